-- Random operations on a pool of values. The seed is the argument; it is printed.
local seed = tonumber((...)) or 1
math.randomseed(seed)
local random, co = math.random, coroutine
local pool, size = {}, 60
local function any() return pool[random(size)] end
local function put(v) pool[random(size)] = v end
local loud = select(2, ...) ~= "quiet"
local function look(label) if loud and random(12) == 1 then check(label) end end

local ops
local function some(n) for _ = 1, random(n) do ops[random(#ops)]() end end
local depth = 0
local function deeper(f)
    if depth >= 4 then return end
    depth = depth + 1
    pcall(f)
    depth = depth - 1
end

ops = {
    function() put(tostring(random(1 << 40))) end,
    function() put(string.rep(string.char(random(97, 122)), random(200))) end,
    function() put(string.rep("0123456789", random(3000))) end,
    function() put({}) end,
    function() put({ any(), any(), any(), any() }) end,
    function() put({ a = any(), b = 1, [random(5)] = any() }) end,
    function() local t = {} for i = 1, random(70) do t[i] = i end put(t) end,
    function() local t = {} for _ = 1, random(40) do t[random(1000)] = any() end put(t) end,
    function() local t = any() if type(t) == "table" then for _ = 1, random(20) do t[#t + 1] = any() end end end,
    function()
        local t = any()
        if type(t) == "table" then for _ = 1, random(20) do t["f" .. random(30)] = any() end end
    end,
    function() local t = any() if type(t) == "table" then for k in pairs(t) do t[k] = nil end end end,
    function() local t = any() if type(t) == "table" then table.remove(t) end end,
    function() local a, b = any(), any() put(function() a, b = b, a return a end) end,
    function() local f = any() if type(f) == "function" then deeper(f) end end,
    function() local x = any() put(function() return x and some(2) end) end,
    function()
        put(load("local t = {" .. random(99) .. ", 'k" .. random(50) .. "'} return function(...) return t, ... end")())
    end,
    function() load("x = = " .. random(9)) end,
    function() local f = any() if type(f) == "function" then pcall(function() put(load(string.dump(f))) end) end end,
    function() put(co.create(function(...) local t = { ... } while true do some(2) co.yield(t) end end)) end,
    function() put(co.wrap(function() for i = 1, random(5) do co.yield(any()) end error("over") end)) end,
    function()
        local c = any()
        if type(c) == "thread" and co.status(c) == "suspended" then
            deeper(function() co.resume(c, any(), any()) end)
        end
    end,
    function()
        local c = any()
        if type(c) == "thread" and co.status(c) ~= "running" and co.status(c) ~= "normal" then co.close(c) end
    end,
    function()
        deeper(function()
            local function r(n)
                if n == 0 then look("recursion") some(2) return 0 end
                return 1 + r(n - 1)
            end
            r(random(250))
        end)
    end,
    function() put(setmetatable({ any() }, { __gc = function() local t = { any() } look("__gc") end })) end,
    function() put(setmetatable({}, { __mode = ({ "k", "v", "kv" })[random(3)] })) end,
    function()
        deeper(function()
            local z <close> = setmetatable({}, { __close = function() some(2) look("__close") end })
            some(2)
            error("out")
        end)
    end,
    function() deeper(function() error({ any() }) end) end,
    function()
        local s = any()
        if type(s) == "string" then put(s:sub(1, 500):gsub("%a", function(c) look("gsub") return c .. c end)) end
    end,
    function()
        local s = any()
        if type(s) == "string" then
            put(string.format("%q %10.3f %s", s:sub(1, 90), random(), s:upper():sub(1, 300)))
        end
    end,
    function()
        local t = {}
        for i = 1, random(150) do t[i] = random(1000) end
        table.sort(t, function(a, b) return a < b end)
        put(table.concat(t, ","))
    end,
    function() put(table.pack(table.unpack({}, 1, random(400)))) end,
    function() put(bigdata(random(5000))) end,
    function() local s, at = "return {" .. ("1,"):rep(random(300)) .. "}", 0
        put(load(function() at = at + 1 look("parsing") return at <= #s and s:sub(at, at) or nil end)) end,
    function() collectgarbage("step", random(0, 3)) end,
    function() if random(4) == 1 then collectgarbage() end end,
    function() if random(3) == 1 then collectgarbage(random(2) == 1 and "generational" or "incremental") end end,
    function() if random(5) == 1 then collectgarbage(random(2) == 1 and "stop" or "restart") end end,
    function() for i = 1, 10 do pool[random(size)] = nil end end,
    function() look("in between") end,
}
local ok, err = pcall(function() for _ = 1, 700 do some(1) look("between") end end)
print("seed", seed, ok, err)
collectgarbage("restart")
pool = {}
