-- stress.lua SEED [ROUNDS]: all that a Lua program can do to its own stacks, in an order that the
-- seed decides, with the collector in both modes. What it prints depends on nothing but the seed.
local seed, rounds = tonumber(arg[1]) or 1, tonumber(arg[2]) or 1
math.randomseed(seed)
local random, co = math.random, coroutine
local sum, finalized = 0, 0
local function add(n) sum = (sum * 31 + n) % 1000000007 end

local function rec(n) if n == 0 then return 0 end local x = n return 1 + rec(n - 1) end
local function rec_tables(n) if n == 0 then return {} end return { rec_tables(n - 1), n } end
local function many(...) return select("#", ...) end
local function tail(n, ...) if n == 0 then return many(...) end return tail(n - 1, n, ...) end
local function closer(f)
    return setmetatable({}, { __close = function() local t = { f } f() return t end })
end
local function gen(depth)
    return co.wrap(function()
        for i = 1, 12 do
            local t = { i }
            if depth > 0 then
                local g = gen(depth - 1)
                for _ = 1, 4 do add(g()[1]) end
            end
            co.yield(t)
        end
    end)
end
local pool = {}
local function garbage(n)
    for i = 1, n do
        pool[random(200)] = { i, tostring(i), function() return i end }
        if i % 50 == 0 then setmetatable({ i }, { __gc = function() finalized = finalized + #{ 1 } rec(20) end }) end
    end
end

local acts
acts = {
    function() add(rec(random(10))) add(rec(random(400))) add(rec(3000)) end,
    function() add(pcall(rec, 150000) and 1 or 0) end,
    function() add(many(table.unpack({}, 1, random(3000)))) add(tail(random(100))) end,
    function() local g = gen(3) for _ = 1, 10 do add(g()[1]) end end,
    function()
        local cos = {}
        for i = 1, 60 do
            cos[i] = co.create(function(a, ...)
                local b = { a, ... }
                rec(i)
                local z <close> = closer(function() add(i) rec(30) end)
                co.yield(b)
                if i % 4 == 0 then error { i } end
                co.yield(rec(i * 3))
                error("x" .. i)
            end)
            assert(co.resume(cos[i], i, 2, 3))
        end
        for i = 1, 60 do
            if i % 3 == 0 then add(co.resume(cos[i]) and 1 or 2) end
            if i % 2 == 0 then add(co.close(cos[i]) and 1 or 2) end
        end
    end,
    function()
        for i = 1, 40 do
            local text = "local a, b = ... local function k(...) local t = {...} return #t, 's" .. i
                .. "' .. a end\n" .. ("\n"):rep(i) .. "return k(a, b, { x = {" .. i .. "} })"
            local f = load(text, "=stress" .. i % 7)
            if i % 3 == 0 then f = load(string.dump(f, i % 2 == 0)) end
            local n, s = f(i, {})
            add(n + #s)
        end
    end,
    function() garbage(600) collectgarbage() collectgarbage("step", 100) end,
    function() collectgarbage(random(2) == 1 and "generational" or "incremental") garbage(300) end,
    function()
        local s = ""
        for i = 1, 200 do s = s .. i end
        local r, n = s:rep(20):gsub("%d", function(d)
            local t = { d }
            return t[1] == "1" and { nil } and "one" or nil
        end)
        add(#r + n)
        for w in r:gmatch("%a+") do add(#w) end
    end,
    function()
        local t = {}
        for i = 1, 300 do t[i] = random(1000) end
        table.sort(t, function(a, b) rec(3) local k = { a } return k[1] < b end)
        add(t[1] + t[150])
        add(pcall(table.sort, { 3, 2, {}, 1 }) and 1 or 2)
    end,
    function()
        for i = 1, 50 do
            pcall(error, {})
            pcall(string.rep)
            local _, m = xpcall(function() error("e" .. i) end, function(e) return { e, debug.traceback("t") } end)
            add(#m[1])
        end
    end,
    function()
        local function inf(n) return inf(n + 1) + 1 end
        add(pcall(inf, 1) and 1 or 2)
        add(xpcall(inf, function(m) rec(20) return { m } end, 1) and 1 or 2)
        add(co.resume(co.create(inf), 1) and 1 or 2)
    end,
    function()
        local function wraps(n) return co.wrap(function() local t = { n } return wraps(n + 1) end)() end
        add(pcall(wraps, 1) and 1 or 2)
        local function gsubs(s) return (s:gsub(".", gsubs)) end
        add(pcall(gsubs, "x") and 1 or 2)
    end,
    function()
        for i = 1, 15 do
            local w = co.wrap(function()
                pcall(function() co.wrap(function() local t = {} error "in" end)() end)
                local t = { i }
                co.yield()
                rec(150)
                add(#t)
            end)
            w() w()
        end
    end,
    function()
        local n = 0
        debug.sethook(function(e) local t = { e } n = n + #t end, ({ "c", "r", "l", "cr", "crl" })[random(5)])
        rec(40) string.rep("x", 10) co.wrap(function() rec(5) end)()
        debug.sethook()
        debug.sethook(function() local t = {} end, "", random(5))
        rec(100)
        debug.sethook()
        add(n > 0 and 1 or 0)
    end,
    function()
        local t = {}
        for i = 1, 2000 do t[#t + 1] = i % 7 == 0 and { i } or i end
        for i = 1, 300 do t["k" .. i] = { [i] = i } end
        for i = 1, 500 do table.insert(t, random(#t), i) table.remove(t, random(#t)) end
        add(#t + many(table.unpack(t)))
        t = rec_tables(150)
        add(#t)
    end,
    function()
        local mt = { __index = function(t, k) return { k } end, __concat = function(a, b) return "c" .. #{ a, b } end,
            __eq = function() return #{ 1 } == 1 end, __call = function(_, ...) return { ... } end,
            __lt = function(a, b) return #{ a, b } == 2 end, __len = function() return #{ 1, 2 } end }
        local a, b = setmetatable({}, mt), setmetatable({}, mt)
        add(#a.x + #(a .. b) + (a == b and 1 or 0) + #a(1, 2) + (a < b and 1 or 0) + #a)
    end,
    function() -- coroutines that die in all ways
        for i = 1, 30 do
            local c = co.create(function()
                local z <close> = closer(function() if i % 3 == 0 then error "close" end end)
                co.wrap(function() co.yield() end)()
                co.yield()
                co.close(co.create(rec))
            end)
            co.resume(c)
            if i % 5 == 0 then co.resume(c) end
            if i % 2 == 0 then add(co.close(c) and 1 or 2) end
        end
        collectgarbage()
    end,
    function() pcall(function() local t <close> = closer(function() acts[random(6)]() end) error {} end) end,
    function() add(#("x"):rep(random(100000))) add(#string.format("%s %s", ("y"):rep(5000), "z")) end,
}

for _ = 1, rounds do
    for _ = 1, #acts do
        local i = random(#acts)
        if i ~= 2 and i ~= 12 then acts[i]() end -- once is enough for the largest
        add(i)
    end
end
for i = 1, #acts do acts[i]() end
print(seed, sum)

-- ways to end
local way = seed % 6
local pending <close> = closer(function() print("closed") rec(100) end)
setmetatable({}, { __gc = function() local t = { 1 } rec(50) end })
if way == 1 then os.exit(3) end
if way == 2 then os.exit(4, true) end
if way == 3 then
    co.wrap(function()
        local z <close> = closer(function() rec(50) end)
        rec(10)
        os.exit(true, true)
    end)()
end
if way == 4 then error("at the end") end
if way == 5 then error(setmetatable({}, { __tostring = function() return "an object " .. #{ 1 } end })) end
