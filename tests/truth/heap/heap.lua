-- Heaps of all shapes, compared with what the documented API says of them (heap.c).
--   lua heap.lua WHAT [SCRIPTS, SEED]     WHAT: shapes, paused, refused, or scripts
-- The module truth_heap is on package.cpath.
local heap = require "truth_heap"
local what, seed = ..., tonumber((select(select("#", ...), ...))) or 1
local every = tonumber(os.getenv "LMP_EVERY" or 7) -- of the operations, those that are walked in
local co = coroutine

-- What is alive at this moment is looked at.
local function step(...) co.yield(true, ...) end

local shapes = {}

function shapes.strings()
    local t = {}
    for i = 0, 50 do t[#t + 1] = ("s"):rep(i) t[#t + 1] = ("\0a"):rep(i * 10) end
    step(t)
end

function shapes.tables()
    local t, o = {}, { n = 1 }
    for i = 0, 40 do
        local a = {}
        for j = 1, i do a[j] = { j } end
        for j = i, i // 2 + 1, -1 do a[j] = nil end
        t["f" .. i], t[i * 1.5], t[{}], t[-i] = a, #a, a, a
    end
    t[true], t[false], t[print], t[1 << 40], t[-1] = o, o, o, o, o
    t[co.create(print)] = t
    t[function() return o end] = o
    for i = 0, 40, 3 do t["f" .. i] = nil end -- keys that are dead
    step(t, o)
end

function shapes.closures()
    local a, b = {}, "b"
    local function one() return a, b end
    local function two() b = {} return b, one end
    local made = {}
    for i = 1, 10 do local c = { i } made[i] = function() c = a return c, two end end
    step(made)
    step(string.gmatch("abc", "."), string.gmatch(("x"):rep(100), "."))
end

function shapes.coroutines()
    local t = {}
    local function nested(n)
        local own = { n }
        if n == 0 then co.yield(own) return own end
        return (co.wrap(nested)(n - 1)), own
    end
    for i = 1, 5 do
        t[#t + 1] = co.create(function(...) local x, y = { i }, ... co.yield(x) return y end)
        co.resume(t[#t], {}, {})
        t[#t + 1] = co.create(nested)
        co.resume(t[#t], i)
        t[#t + 1] = co.create(function(a) local b = { a } error({ b }) end)
        co.resume(t[#t], {})
        t[#t + 1] = co.create(nested) -- not started
        t[#t + 1] = co.create(function() return {} end)
        co.resume(t[#t])
        t[#t + 1] = co.wrap(function() local z <const> = {} co.yield(function() return z end) end)
        t[#t + 1] = t[#t]()
    end
    for i, v in ipairs(t) do t[{ i }] = v end
    step(t)
    co.wrap(function(...)
        local deep = { ... }
        co.wrap(function() local deeper = { deep } heap.check("nested coroutines") return deeper end)()
    end)({}, 1, "x")
end

function shapes.deep()
    local function down(n, ...)
        local here = { n, ... }
        if n == 0 then heap.check("deep") return here end
        local r = down(n - 1, here)
        return r, here
    end
    down(150, {})
    pcall(function() local z <close> = setmetatable({}, { __close = function() heap.check("close") end }) error {} end)
    xpcall(function() error({}) end, function(e) heap.check("error handler") return e end)
    table.sort({ 3, 1, 2 }, function(a, b) heap.check("sort") return a < b end)
    local link
    for i = 1, 3000 do link = { next = link, i } end
    step(link)
end

function shapes.userdata()
    local f = io.tmpfile()
    local t = { f, io.stdout, [f] = f }
    for n = 0, 5 do
        local u = host.userdata(n * 37, n)
        for i = 1, n - 1 do debug.setuservalue(u, ({ t, "text", u, 1 })[i] or {}, i) end
        t[u] = debug.setmetatable(u, { __name = "u", [u] = true })
    end
    step(t)
    f:close()
end

function shapes.weak()
    local t, o = {}, {}
    for _, mode in ipairs { "k", "v", "kv", "x", "vk" } do
        local w = setmetatable({}, { __mode = mode })
        w[o], w[1], w[2], w.x, w[{}] = {}, o, "string", {}, o
        local key, value = {}, {}
        w[key], w[value] = value, key
        w["a long key that is no short string, so that it is not shared"] = "a long value, for the same reason"
        t[#t + 1] = w
        t[#t + 1] = key
    end
    setmetatable(t[1], { __mode = 1 })
    local chain = setmetatable({}, { __mode = "k" }) -- each value is the next one's key
    local k = {}
    t.first = k
    for _ = 1, 20 do local v = {} chain[k], k = v, v end
    chain[k] = chain
    t.chain = chain
    step(t)
end

function shapes.finalizers()
    local kept = {}
    for i = 1, 20 do
        local o = setmetatable({ i, {} }, { __gc = function(x)
            if i % 5 == 0 then heap.check("finalizer") end
            kept[i] = { x[2] }
        end })
        if i % 2 == 0 then kept[-i] = o end
    end
    step(kept)
    collectgarbage()
    step(kept)
end

function shapes.code()
    local t = {}
    for i = 1, 10 do
        t[i] = load("local a, b = ..., {} " .. ("local x = 'k%d' "):format(i):rep(i)
            .. " return function(...) local c = a return function() return a, b, c, 'in', 1.5 end end", "=code" .. i)
        t[-i] = t[i]({})
        t[-i - 100] = t[-i]({})
    end
    t.stripped = load(string.dump(t[5], true))
    t.inner = t.stripped({})
    t.dumped = load(string.dump(t[5]))
    t.lent = host.lent(0, string.dump(shapes.weak))
    t.far = host.lent(1, string.dump(load("local a = ... return a", "@" .. ("far/"):rep(20))))
    step(t)
    local n = 0
    load(function()
        n = n + 1
        if n % 10 == 0 then heap.check("parsing") end
        return n < 60 and "local x" .. n .. " = {'y', " .. n .. "}\n" or nil
    end)
    pcall(load, function() error {} end)
end

function shapes.garbage()
    for i = 1, 300 do local t = { i, { tostring(i) } } t[3] = function() return t end end
    step()
    for _ = 1, 30 do collectgarbage("step", 0) step() local x = { {}, "g" .. _ } end
end

function shapes.basic()
    local mt = { __index = function() return 1 end, __name = "basic" }
    debug.setmetatable(1, mt)
    debug.setmetatable(nil, mt)
    step()
    debug.setmetatable(1, nil)
    debug.setmetatable(nil, nil)
end

function shapes.hook()
    local n = 0
    debug.sethook(function() n = n + 1 if n % 37 == 0 then heap.check("hook") end end, "", 1)
    local t = {}
    for i = 1, 100 do t[i] = { i, x = "v" .. i } end
    debug.sethook()
    step(t)
end

local names = {}
for name in pairs(shapes) do names[#names + 1] = name end
table.sort(names)

local function play(each)
    for _, name in ipairs(names) do
        local n = 0
        for _, a, b in co.wrap(function() shapes[name]() return nil end) do
            n = n + 1
            each(name .. " " .. n, a, b)
        end
        each(name .. " done")
    end
end

local function nothing() end
local modes = { "incremental", "generational" }
_G.check = heap.check
_G.bigdata = function(n) return host.userdata(n, n % 3) end
_G.noise, _G.live = function() end, function() end

local run = {}

function run.shapes()
    heap.bare("before start")
    for _, options in ipairs { {}, { lines = true }, { stacks = true } } do
        for _, mode in ipairs(modes) do
            heap.start(options)
            collectgarbage(mode)
            play(heap.check)
            play(heap.alive)
            heap.maps()
            heap.bare("bare")
            heap.stop()
        end
    end
end

function run.paused()
    for i, mode in ipairs(modes) do
        heap.start { lines = i == 1 }
        collectgarbage(mode)
        heap.paused(every)
        play(nothing)
        heap.paused(0)
        heap.check("after pauses")
        heap.stop()
    end
    assert(select(2, heap.walks()) > 40000 // every)
end

function run.refused()
    for i, mode in ipairs(modes) do
        heap.start { lines = i == 1 }
        collectgarbage(mode)
        for _, n in ipairs { 1, 2, 3, 5, 8, 13, 21, 34, 55, 90 } do
            do
                local times = 1 + n % 3
                heap.paused(every * 13)
                heap.refuse(n, times)
                pcall(play, nothing)
                pcall(shapes[names[n % #names + 1]])
                heap.refuse(0)
                heap.paused(0)
                heap.check("refused")
            end
        end
        heap.alive("after refusals")
        heap.stop()
    end
end

function run.scripts(...)
    for i = 1, select("#", ...) - 1 do
        local path = select(i, ...)
        local script = assert(loadfile(path))
        for k, mode in ipairs(modes) do
            heap.start { stacks = k == 1 }
            collectgarbage(mode)
            heap.paused(k == 1 and every * 41 or 0)
            local ok, err = pcall(script, seed)
            heap.paused(0)
            assert(ok, err)
            heap.check("end")
            if not path:find "collector" then heap.alive("end") end -- its finalizers go on for ever
            heap.stop()
        end
    end
end

run[what](select(2, ...))
print(("%s, %s: %d walks, %d within an operation"):format(_VERSION, what, heap.walks()))
