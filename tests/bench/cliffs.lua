-- cliffs.lua NAME SIZE - programs of every shape, each of one thing done very often or very large:
-- where the profiler's cost may fall off a cliff. tests/bench/run counts their instructions.
-- SIZE 0: the same without the work, so that what starting costs can be taken off.
-- Without arguments: prints NAME and what it is for, a line each. The table is made by shapes.lua.
local list = {}
local function case(name, what, run)
    list[#list + 1] = { name = name, what = what, run = run }
end

local function times(n)
    return n > 0 and math.max(1, n // 1) or 0
end

-- ---- objects ------------------------------------------------------------------------------------

case("garbage", "small tables that die at once", function(n)
    for _ = 1, n * 150000 do
        local _ = {}
    end
end)

case("constructor", "constructors of 5,000 fields", function(n)
    local parts = {}
    for i = 1, 5000 do
        parts[i] = i % 2 == 0 and "{}" or "k" .. i .. "={}"
    end
    local make = load("return {" .. table.concat(parts, ",") .. "}", "=constructor")
    for _ = 1, times(n * 15) do
        make()
    end
end)

case("growing", "a table grows to a million", function(n)
    local t = {}
    for i = 1, n * 1000000 do
        t[i] = i
    end
end)

case("hash", "a hash part grows, and all keys go", function(n)
    local t = {}
    for i = 1, n * 80000 do
        t["k" .. i] = i
    end
    for k in pairs(t) do
        t[k] = nil
    end
end)

case("upvalues", "closures of twenty upvalues", function(n)
    for i = 1, n * 10000 do
        local a, b, c, d, e, f, g, h, j, k = i, i, i, i, i, i, i, i, i, i
        local l, m, o, p, q, r, s, t, u, v = i, i, i, i, i, i, i, i, i, i
        local _ = function()
            return a, b, c, d, e, f, g, h, j, k, l, m, o, p, q, r, s, t, u, v
        end
    end
end)

case("userdata", "files opened and closed", function(n)
    for _ = 1, n * 5000 do
        io.open("/dev/null"):close()
    end
end)

case("large", "strings of a megabyte", function(n)
    for i = 1, n * 3 do
        local _ = ("x"):rep(1000000 + i)
    end
end)

case("finalizers", "tables with finalizers", function(n)
    local meta = { __gc = function() local _ = {} end }
    for _ = 1, n * 25000 do
        setmetatable({}, meta)
    end
end)

case("weak", "a cache with weak values", function(n)
    local cache = setmetatable({}, { __mode = "v" })
    for i = 1, n * 40000 do
        cache[i] = { i }
    end
end)

-- ---- the standard library -----------------------------------------------------------------------

case("rep", "string.rep of all lengths", function(n)
    for i = 1, n * 30000 do
        local _ = ("ab"):rep(i % 300)
    end
end)

case("format", "string.format", function(n)
    for i = 1, n * 30000 do
        local _ = string.format("%d: %s, %5.2f", i, "name", i / 3)
    end
end)

case("gsub", "gsub with a function that makes a table", function(n)
    local text = ("word "):rep(1000)
    for _ = 1, times(n * 20) do
        text:gsub("%a+", function(w)
            local _ = { w }
            return w
        end)
    end
end)

case("sort", "table.sort whose comparison makes a table", function(n)
    local t = {}
    for i = 1, n * 7000 do
        t[i] = i * 7919 % 10007
    end
    table.sort(t, function(a, b)
        local pair = { a, b }
        return pair[1] < pair[2]
    end)
end)

case("concat", "table.concat and the .. operator", function(n)
    for i = 1, n * 3000 do
        local t = {}
        for j = 1, 10 do
            t[j] = i .. "-" .. j
        end
        local _ = table.concat(t, ",")
    end
end)

case("pack", "table.pack and unpack of many", function(n)
    local t = {}
    for i = 1, 200 do
        t[i] = i
    end
    for _ = 1, n * 8000 do
        local _ = table.pack(table.unpack(t))
    end
end)

case("metamethods", "metamethods that make tables", function(n)
    local meta = {}
    meta.__add = function(a, b)
        return setmetatable({ a[1] + b[1] }, meta)
    end
    meta.__concat = meta.__add
    meta.__index = function()
        return {}
    end
    local x, one = setmetatable({ 0 }, meta), setmetatable({ 1 }, meta)
    for _ = 1, n * 20000 do
        x = x + one .. one
        local _ = x.nothing
    end
end)

case("cfunctions", "many C functions called on one line", function(n)
    local all = { string.upper, string.lower, string.reverse, string.format, string.sub, string.len, tostring, type,
        table.pack, utf8.codepoint, utf8.len, select, assert, string.byte, utf8.codes, string.gmatch }
    for i = 1, n * 40000 do
        pcall(all[i % #all + 1], "2" .. i, "1")
    end
end)

-- ---- calls --------------------------------------------------------------------------------------

local function deep(depth)
    if depth == 0 then return {} end
    local r = deep(depth - 1)
    return { r and 1 }
end

case("deep", "recursion 15,000 deep", function(n)
    for _ = 1, times(n * 7) do
        deep(15000)
    end
end)

case("deep_garbage", "garbage made 10,000 calls deep", function(n)
    local function down(depth)
        if depth > 0 then return (down(depth - 1)) end
        for _ = 1, n * 100000 do
            local _ = {}
        end
    end
    down(10000)
end)

case("zigzag", "short calls made and left, far down", function(n)
    local function up(depth)
        if depth > 0 then return { up(depth - 1) } end
    end
    local function down(depth)
        if depth > 0 then return (down(depth - 1)) end
        for i = 1, n * 6000 do
            up(i % 20)
        end
    end
    down(5000)
end)

case("pcalls", "pcall in pcall, 150 deep", function(n)
    local function nest(depth)
        if depth == 0 then
            local _ = {}
            error({})
        end
        local _ = {}
        return pcall(nest, depth - 1)
    end
    for _ = 1, n * 400 do
        nest(150)
    end
end)

case("errors", "errors out of 15,000 calls", function(n)
    local function fall(depth)
        if depth == 0 then error({}) end
        return (fall(depth - 1))
    end
    for _ = 1, times(n * 20) do
        pcall(fall, 15000)
        local _ = {}
    end
end)

case("tree", "a tree walked to and fro: many call paths", function(n)
    local source = { "local t = ..." }
    for i = 1, 12 do
        source[#source + 1] = ("local function f%d(d) if d == 0 then return {} end "
            .. "return {f(d - 1)} end f = f%d t[%d] = f%d")
            :format(i, i, i, i)
    end
    local all = {}
    local make = load("local f local t = ... local function f(d, x) "
        .. "x = (x * 1103515245 + 12345) % 2147483648 if d == 0 then return {} end local k = x % 7 "
        .. "if k == 0 then return {f(d-1, x)} elseif k == 1 then\n return {f(d-1, x)} elseif k == 2 then\n "
        .. "return {f(d-1,x)} elseif k == 3 then\n return {f(d-1,x)} elseif k == 4 then\n "
        .. "return {f(d-1,x)} elseif k == 5 then\n return {f(d-1,x)}\n "
        .. "else return {f(d-1,x)} end end return f", "=tree")
    local f = make(all)
    for i = 1, n * 4000 do
        f(12, i * 7919)
    end
end)

case("tail", "tail calls that make tables", function(n)
    local function loop(i)
        local _ = {}
        if i > 0 then return loop(i - 1) end
    end
    loop(n * 80000 // 1)
end)

case("varargs", "varargs, a thousand at a time", function(n)
    local t = {}
    for i = 1, 1000 do
        t[i] = i
    end
    local function count(...)
        local all = { ... }
        return #all
    end
    for _ = 1, n * 1500 do
        count(table.unpack(t))
    end
end)

-- ---- coroutines ---------------------------------------------------------------------------------

case("coroutines", "ten thousand coroutines alive, in turn", function(n)
    local all = {}
    for i = 1, n > 0 and 10000 or 1 do
        all[i] = coroutine.wrap(function()
            while true do
                coroutine.yield({})
            end
        end)
    end
    for _ = 1, times(n * 3) do
        for i = 1, #all do
            all[i]()
        end
    end
end)

case("threads", "coroutines made, run once and dropped", function(n)
    for _ = 1, n * 10000 do
        coroutine.wrap(function()
            local _ = {}
            coroutine.yield()
        end)()
    end
end)

case("nested", "coroutines in coroutines, 100 deep", function(n)
    local function nest(depth)
        local _ = {}
        if depth > 0 then coroutine.wrap(nest)(depth - 1) end
    end
    for _ = 1, times(n * 40) do
        nest(100)
    end
end)

case("deep_coroutine", "yields out of 3,000 calls", function(n)
    local co = coroutine.wrap(function()
        local function h(depth)
            if depth == 0 then
                coroutine.yield({})
            else
                h(depth - 1)
                local _ = {}
            end
        end
        while true do
            h(3000)
        end
    end)
    for _ = 1, times(n * 20) do
        co()
        local _ = {}
    end
end)

case("producers", "two coroutines and an iterator, to and fro", function(n)
    local function numbers()
        for i = 1, n * 12000 do
            coroutine.yield({ i })
        end
    end
    local function doubled(source)
        return coroutine.wrap(function()
            for x in source do
                coroutine.yield({ x[1] * 2 })
            end
        end)
    end
    for _ in doubled(coroutine.wrap(numbers)) do
        local _ = {}
    end
end)

-- ---- code ---------------------------------------------------------------------------------------

case("unnamed", "a large unnamed chunk of data", function(n)
    local rows = ("{id=1, name='a', tags={1,2,3}},\n"):rep(times(n * 6000))
    local _ = load("return {\n" .. rows .. "}")()
end)

case("unnamed_functions", "many functions in a large unnamed chunk", function(n)
    local parts = { "local t = ...\n" }
    for i = 1, times(n * 3000) do
        parts[#parts + 1] = "t[" .. i .. "] = (function() return {} end)() -- " .. ("x"):rep(60) .. "\n"
    end
    local _ = load(table.concat(parts))({})
end)

case("loads", "load of small chunks, all different", function(n)
    for i = 1, n * 1500 do
        load("local t = {" .. i .. "} return function() return {t} end")()()
    end
end)

case("load_same", "load of the same chunk in a loop", function(n)
    for _ = 1, n * 2000 do
        load("local t = {} return function() return {t} end", "=same")()()
    end
end)

case("load_big", "load of a chunk of 300 functions in a loop", function(n)
    local parts = {}
    for i = 1, 300 do
        parts[i] = "local function f" .. i % 150 .. "() return {} end f" .. i % 150 .. "()\n"
        if i % 100 == 0 then parts[i] = parts[i] .. " do end " end
    end
    for i = 1, 300 do
        parts[i] = "do " .. parts[i] .. " end\n"
    end
    local source = table.concat(parts)
    for _ = 1, times(n * 10) do
        load(source, "=big")()
    end
end)

case("chunks", "three thousand chunks, all alive", function(n)
    local all = {}
    for i = 1, n > 0 and 3000 or 1 do
        all[i] = load("local x = ... return {x}", "=chunk" .. i)
    end
    for _ = 1, times(n * 8) do
        for i = 1, #all do
            all[i](i)
        end
    end
end)

case("lines", "twenty thousand lines that make tables", function(n)
    local parts = { "return function()\n" }
    for i = 1, n > 0 and 20000 or 1 do
        parts[#parts + 1] = "local _ = {}\n"
        if i % 100 == 0 then parts[#parts + 1] = "end, function()\n" end
    end
    parts[#parts + 1] = "end"
    local all = table.pack(load(table.concat(parts), "=lines")())
    for _ = 1, times(n * 5) do
        for i = 1, all.n do
            all[i]()
        end
    end
end)

case("long_line", "a line of twenty thousand tables", function(n)
    local parts = {}
    for i = 1, n > 0 and 20000 or 1 do
        parts[i] = "_={}"
    end
    local f = load("local _ " .. table.concat(parts, " "), "=long")
    for _ = 1, times(n * 5) do
        f()
    end
end)

case("dofile", "small files loaded", function(n)
    local name = os.tmpname()
    local file = assert(io.open(name, "w"))
    file:write("local M = {}\nfunction M.new() return {} end\nreturn M\n")
    file:close()
    for _ = 1, n * 800 do
        dofile(name).new()
    end
    os.remove(name)
end)

case("dump", "dump and stripped load", function(n)
    local code = string.dump(function()
        local t = {}
        return function()
            return { t }
        end
    end, true)
    for _ = 1, n * 5000 do
        load(code, "dump", "b")()()
    end
end)

case("stripped", "two hundred stripped functions", function(n)
    local all = {}
    for i = 1, n > 0 and 200 or 1 do
        all[i] = load(string.dump(load("local x = ... return {x, {}, {" .. ("{},"):rep(i) .. "}}"), true))
    end
    for _ = 1, times(n * 10) do
        for i = 1, #all do
            all[i](i)
        end
    end
end)

-- ---- the profiler's own -------------------------------------------------------------------------

case("tags", "a tag set before each table", function(n)
    local lmp = package.loaded.luamemprofiler
    for i = 1, n * 20000 do
        if lmp then lmp.tag("tag " .. i % 2000) end
        local _ = {}
    end
end)

case("tags_coroutines", "a tag in each of a thousand coroutines", function(n)
    local lmp = package.loaded.luamemprofiler
    local all = {}
    for i = 1, n > 0 and 1000 or 1 do
        all[i] = coroutine.wrap(function()
            if lmp then lmp.tag("coroutine " .. i) end
            while true do
                coroutine.yield({})
            end
        end)
    end
    for _ = 1, times(n * 20) do
        for i = 1, #all do
            all[i]()
        end
    end
end)

case("collect", "full collections, one by one", function(n)
    local keep = {}
    for i = 1, 1000 do
        keep[i] = {}
    end
    for _ = 1, n * 150 do
        collectgarbage()
        local _ = {}
    end
end)

case("steps", "collectgarbage('step') at each turn", function(n)
    for _ = 1, n * 10000 do
        local _ = {}
        collectgarbage("step", 1)
    end
end)

case("generational", "generational mode", function(n)
    collectgarbage("generational")
    local keep = {}
    for i = 1, n * 60000 do
        keep[i % 5000 + 1] = { {} }
    end
end)

case("after_peak", "small garbage after a great peak", function(n)
    local t = {}
    for i = 1, n * 60000 do
        t[i] = {}
    end
    t = nil
    collectgarbage()
    for _ = 1, n * 60000 do
        local _ = {}
    end
end)

case("rising", "each block is a new peak", function(n)
    local t = {}
    for i = 1, n * 100000 do
        t[i] = {}
    end
end)

case("sawtooth", "each block a new peak, then one freed", function(n)
    collectgarbage("stop")
    for i = 1, n * 4000 do
        local t = {}
        for j = 1, 9 do
            t[j] = j -- grows: the old part is freed at each new peak
        end
    end
    collectgarbage("restart")
end)

case("hooked", "with a debug hook of the program's", function(n)
    debug.sethook(function() end, "", 1000)
    for _ = 1, n * 100000 do
        local _ = {}
    end
    debug.sethook()
end)

case("line_hook", "in a line hook that makes tables", function(n)
    debug.sethook(function()
        local _ = {}
    end, "l")
    for _ = 1, n * 20000 do
        local _ = {}
    end
    debug.sethook()
end)

-- ---- processes ----------------------------------------------------------------------------------

case("forked", "small tables in a forked child, as in a server's worker", function(n)
    local forks = require("forks")
    if forks.fork() > 0 then
        forks.wait()
        return
    end
    for _ = 1, n * 150000 do
        local _ = {}
    end
    os.exit()
end)

if not arg[1] then
    for _, c in ipairs(list) do
        print(c.name, c.what)
    end
    return
end
for _, c in ipairs(list) do
    if c.name == arg[1] then return c.run(tonumber(arg[2]) or 1) end
end
error("no such case: " .. arg[1])
