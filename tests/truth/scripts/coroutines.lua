-- Coroutines: made, wrapped, closed, killed by errors, deep inside, their stacks grown and shrunk.
local co = coroutine
local function rec(n) if n == 0 then check("deep") return 0 end local x = n return 1 + rec(n - 1) end
local keep = {}
for i = 1, 30 do
    keep[i] = co.create(function(a, ...)
        local b = { a, ... }
        if i % 10 == 0 then rec(i * 4) end
        local z <close> = setmetatable({}, { __close = function() b[#b + 1] = { "closed" } end })
        co.yield(b)
        if i % 5 == 0 then check("second resume") end
        error("x" .. i)
    end)
end
check("created")
for i = 1, 30 do co.resume(keep[i], i, 2, 3) end
check("resumed")
for i = 1, 30 do
    if i % 3 == 0 then print(co.resume(keep[i])) end
    if i % 2 == 0 then print(co.close(keep[i])) end
end
check("closed")
local function gen(d)
    return co.wrap(function(...)
        for i = 1, 4 do
            local t = { i }
            if d > 0 then local g = gen(d - 1) for k = 1, 3 do g(k) end end
            co.yield(t)
        end
    end)
end
local g = gen(2)
for _ = 1, 4 do g() end
check("generators")
rec(150)
check("after recursion")
collectgarbage() -- shrinks the stack and the CallInfos
check("shrunk")
print(pcall(function() local function inf(n) return inf(n + 1) + 1 end return inf(1) end) == false)
check("stack overflow")
collectgarbage()
check("stack overflow, collected")
print(select("#", table.unpack({}, 1, 3000)))
for _ = 1, 5 do
    local w = co.wrap(function()
        pcall(function() co.wrap(function() error "in" end)() end)
        co.yield()
        rec(60)
        return co.running(), co.isyieldable()
    end)
    w() w()
end
check("nested wraps")
print(pcall(co.wrap(function() error({ code = 1 }) end)))
local dead = co.create(function() end)
co.resume(dead)
print(co.status(dead), co.resume(dead))
local w = co.wrap(function() return pcall(pcall, error, co.yield(1)) end)
w() print(w("again"))
print(co.wrap(function() return select("#", co.yield(table.unpack({}, 1, 200))) end)())
local many = {}
for i = 1, 100 do many[i] = co.wrap(function() co.yield(i) end) many[i]() end
check("many")
many, keep = nil
collectgarbage()
collectgarbage()
check("end of coroutines")
