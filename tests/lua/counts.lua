-- counts.lua - what is counted besides memory: calls, instructions, overrides, held to counts that
-- programs make of themselves. Programs are made at random; the seed is printed, and taken:
--
--     lua5.4 counts.lua [SEED [ROUNDS]]
local lmp = require "luamemprofiler"
local seed = math.tointeger(tonumber(arg[1])) or os.time()
local rounds = tonumber(arg[2]) or 12
print("seed " .. seed)
math.randomseed(seed)
local random = math.random

local function start(options)
    options.summary = false
    assert(lmp.start(options))
end

local function check(what, got, expected)
    if got ~= expected then
        error(("seed %d: %s: %s, expected %s"):format(seed, what, got, expected), 2)
    end
end

-- ---- programs at random -------------------------------------------------------------------------

-- Ways to call function f with d from a line; F is the table of functions. What a line counts of
-- itself comes before it: calls(C function or f, by this line).
local ways = {
    { "F[%d](%s)" },
    { "pcall(F[%d], %s)", "pcall" },
    { "pcall(pcall, F[%d], %s)", "pcall", "pcall" },
    { "xpcall(F[%d], handler, %s)", "xpcall" },
    { "local _ = setmetatable({}, {__index = function(_, k) return F[%d](k) end})[%s]", "setmetatable" },
    { "coroutine.wrap(F[%d])(%s)", "wrap" },
    { "coroutine.resume(coroutine.create(F[%d]), %s)", "create", "resume" },
    { "string.gsub('ab', '.', function() F[%d](%s) end)", "gsub", times = 2 },
    { "local a <close> = setmetatable({}, {__close = function() F[%d](%s) end})", "setmetatable" },
    { "for _ in F[%d], %s do break end", for_in = true },
    { "load('local f, d = ... return f(d)', '=loaded' .. random(3))(F[%d], %s)", "load" },
    { "select(1, F[%d](%s))", "select" },
    { "local _ = tostring(setmetatable({}, {__tostring = function() F[%d](%s) return 'x' end}))", "setmetatable",
        "tostring" },
    { "local co = coroutine.wrap(function(d) F[%d](coroutine.yield(d)) end) co(1) co(%s)", "wrap", "yield" },
    { "local co = coroutine.create(function(d) local x <close> = setmetatable({}, {__close = function() F[%d](d) end}) "
        .. "coroutine.yield() end) coroutine.resume(co, %s) coroutine.close(co)",
        "create", "resume", "setmetatable", "yield", "close" },
    { "collectgarbage('step')", "collectgarbage", none = true },
    { "if random(3) == 1 then error('thrown') end F[%d](%s)" },
}

-- The text of a program of n functions. C[i] counts the calls of function i, K[name] those of C
-- functions that can be told from the line; E["line:i"] direct calls by a line.
local function program(n)
    local out, line = {}, 0
    local function put(text)
        out[#out + 1] = text
        line = line + 1
    end
    put("local F, C, K, E, random, handler, budget = ...")
    for i = 1, n do
        local head = random(2) == 1 and "function(d, ...)" or "function(d)"
        put(("F[%d] = %s C[%d] = C[%d] + 1"):format(i, head, i, i))
        put("if type(d) ~= 'number' or d <= 0 or budget() then return nil end")
        for _ = 1, random(0, 3) do
            local way, callee = ways[random(#ways)], random(n)
            if way[1]:find("F[%d](%s)", 1, true) == 1 then
                put(("E['%d:%d'] = (E['%d:%d'] or 0) + 1"):format(line + 2, callee, line + 2, callee))
            end
            put((way.none and way[1] or way[1]:format(callee, "d - 1")))
        end
        if random(2) == 1 then -- one tail call, or several, of which the line cannot be told
            local callee, several = random(n), random(2) == 1
            if several then
                put(("if d > 3 then return F[%d](d - 1) end"):format(random(n)))
            end
            put(("return F[%d](d - 1)"):format(callee))
        end
        put("end")
    end
    put(("for i = 1, %d do pcall(F[random(%d)], %d) end"):format(random(1, 6), n, random(2, 7)))
    put("pcall(function() for i = 1, 20 do F[random(" .. n .. ")](3) end end)")
    return table.concat(out, "\n")
end

-- Runs it; the same numbers at random in each run.
local function run(text, n, name)
    local F, C, E = {}, {}, {}
    local left = 3000
    for i = 1, n do C[i] = 0 end
    local state = seed & 0xffff
    local function pick(m)
        state = (state * 1103515245 + 12345) & 0x7fffffff
        return (state >> 8) % m + 1
    end
    local function budget()
        left = left - 1
        return left < 0
    end
    local f = assert(load(text, name))
    f(F, C, {}, E, pick, function(e) return e end, budget)
    return C, E, F, 3000 - left
end

local function defined(text)
    local at, line = {}, 0
    for one in (text .. "\n"):gmatch("(.-)\n") do
        line = line + 1
        local i = one:match("^F%[(%d+)%] = function")
        if i then at[line] = tonumber(i) end
    end
    return at
end

local function check_calls(s, text, C, E, name)
    local at, sum, seen = defined(text), 0, {}
    for _, f in ipairs(s.functions) do
        local i = f.source == name and at[f.linedefined]
        if i then
            check("calls of function " .. i .. " of\n" .. text, f.calls, C[i])
            seen[i] = true
        end
        sum = sum + f.calls
    end
    for i, calls in ipairs(C) do
        if calls > 0 then check("function " .. i .. " is told", seen[i], true) end
    end
    local by_callee, direct = {}, {}
    for _, e in ipairs(s.edges) do
        sum = sum - e.calls
        local i = e.callee_source == name and at[e.callee_linedefined]
        if i then by_callee[i] = (by_callee[i] or 0) + e.calls end
        if i and e.source == name then direct[e.line .. ":" .. i] = e.calls end
    end
    check("calls less calls by edge", sum, 0)
    for i, calls in ipairs(C) do check("edges to " .. i, by_callee[i] or 0, calls) end
    for key, calls in pairs(E) do
        check("edge " .. key .. " of\n" .. text, direct[key] or 0, calls)
    end
end

local function calls_at_random(options)
    for round = 1, rounds do
        local n = random(1, 8)
        local text, name = program(n), "=program" .. round
        local hidden = {} -- a thread from before start: its later calls count
        local before = coroutine.wrap(function()
            coroutine.yield()
            return hidden.f(1)
        end)
        before()
        start(options)
        local C, E, F = run(text, n, name)
        function hidden.f(k)
            if k == 0 then return 0 end
            return hidden.f(k - 1)
        end
        before()
        local s = lmp.stop { functions = true, edges = true }
        check("function", F ~= nil, true)
        check_calls(s, text, C, E, name)
        local late = 0
        for _, f in ipairs(s.functions) do
            if f.source == "@" .. arg[0] and f.linedefined == debug.getinfo(hidden.f, "S").linedefined then
                late = f.calls
            end
        end
        check("calls in a thread from before start", late, 2)
        check("no hook is left", debug.gethook(), nil)
    end
end

calls_at_random { calls = true }
calls_at_random { calls = true, stacks = true }
calls_at_random { calls = true, sample = 1024 }
calls_at_random { calls = true, instructions = true, overrides = true }

-- ---- what is known ------------------------------------------------------------------------------

local function edges_of(s)
    local edges = {}
    for _, e in ipairs(s.edges) do
        local key = e.source .. ":" .. e.line .. " " .. e.callee_source .. ":" .. e.callee_linedefined
        edges[key] = (edges[key] or 0) + e.calls
    end
    return edges
end

-- A tail call is its caller's, whose frame is gone; the line is that of its only tail call.
do
    start { calls = true }
    local f = load([[
local count = ...
local function tail(n)
    if n == 0 then return count() end
    return tail(n - 1)
end
local function one(n)
    return tail(n)
end
one(3) one(4)]], "=tails")
    f(function() end)
    local edges = edges_of(lmp.stop { edges = true })
    check("the line of one tail call", edges["=tails:7 =tails:2"], 2)
    check("of several", edges["=tails:-1 =tails:2"], 7)
end

-- How many instructions a text runs with this argument, as a hook of Lua's own tells.
local function instructions_of(text, ...)
    local n, f = 0, load(text, "=counted")
    debug.sethook(function()
        if debug.getinfo(2, "S").source == "=counted" then n = n + 1 end
    end, "", 1)
    f(...)
    debug.sethook()
    return n
end

-- Code that dies, and other code at its addresses, of the caller, of the callee or of both: each
-- has its own calls, and its own instructions. Loaded from bytes, code is allocated in one piece of
-- its size, so that malloc soon gives the addresses of what was collected to code of another name.
for _, options in ipairs { { calls = true }, { instructions = true } } do
    local chunks, inner, steps = {}, {}, {}
    local text = "local function f() return 1 + 1 end for i = 1, ... do f() end"
    local once, each = instructions_of(text, 0), instructions_of(text, 1)
    each = each - once
    local bytes = {}
    for i = 1, 20 do bytes["=dies" .. i] = string.dump(load(text, "=dies" .. i)) end
    start(options)
    for _ = 1, 1000 do
        local name = "=dies" .. random(20)
        local n = random(3)
        chunks[name], inner[name] = (chunks[name] or 0) + 1, (inner[name] or 0) + n
        do
            local f = load(bytes[name], nil, "b")
            f(n)
        end
        if random(3) > 1 then collectgarbage() end
    end
    local s = lmp.stop { functions = true, edges = true, sites = true }
    local told = 0
    for _, f in ipairs(options.calls and s.functions or {}) do
        local expected = f.linedefined == 1 and inner or chunks
        if expected[f.source] then
            check("calls of " .. f.source .. ":" .. f.linedefined, f.calls, expected[f.source])
            told = told + 1
        end
    end
    for _, e in ipairs(options.calls and s.edges or {}) do
        local source = e.callee_source
        if chunks[source] then
            local of_inner = e.callee_linedefined == 1
            check("the caller of " .. source, e.source, of_inner and source or "@" .. arg[0])
            check("calls from there", e.calls, (of_inner and inner or chunks)[source])
            told = told + 1
        end
    end
    for _, site in ipairs(options.instructions and s.sites or {}) do
        if chunks[site.source] then
            steps[site.source] = (steps[site.source] or 0) + site.instructions
        end
    end
    for source, n in pairs(steps) do
        check("instructions of " .. source, n, chunks[source] * once + inner[source] * each)
        told = told + 1
    end
    check("all are told", told, options.calls and 80 or 20)
end

-- Finalizers are run by Lua without any hook: their calls are not told, and nothing else suffers.
do
    start { calls = true }
    local function counted() end
    for _ = 1, 50 do
        setmetatable({}, { __gc = function() counted() end })
        counted()
    end
    collectgarbage()
    local s = lmp.stop { functions = true }
    for _, f in ipairs(s.functions) do
        if f.linedefined == debug.getinfo(counted, "S").linedefined and f.source == "@" .. arg[0] then
            check("calls beside finalizers", f.calls, 50)
        end
    end
end

-- ---- the program's own hooks --------------------------------------------------------------------

do
    local text = program(4)
    local function events(mask, count)
        local n, hook = {}, nil
        hook = function(event, line)
            local key = event .. (line or "")
            n[key] = (n[key] or 0) + 1
        end
        debug.sethook(hook, mask, count)
        local f, m, c = debug.gethook()
        check("the hook that is set", f, hook)
        check("its mask", m, mask)
        check("its count", c, count or 0)
        local C, E = run(text, 4, "=hooked")
        debug.sethook()
        check("no hook any more", debug.gethook(), nil)
        return n, C, E
    end
    for _, one in ipairs { { "crl" }, { "c" }, { "r" }, { "l" }, { "", 1 }, { "", 7 }, { "crl", 100 } } do
        local expected = events(one[1], one[2])
        for _, options in ipairs { { calls = true }, { instructions = true }, { calls = true, instructions = true } } do
            start(options)
            local got, C, E = events(one[1], one[2])
            local s = lmp.stop { functions = true, edges = true }
            -- Of a hook for every seventh instruction Lua also counts what the hook itself runs.
            local differs = options.instructions and one[2] and one[2] > 1
            -- And a count begins anew when lmp has looked for names (safepoint.h), after which Lua's
            -- own lines may be told twice, or not. Lua also counts, and swallows, what falls into
            -- the hook itself: of few such events one that begins anew can make many.
            local anew = one[2] and one[2] > 1
            for key, n in pairs(differs and {} or expected) do
                local slack = anew and (key == "count" and n + 32 or key:find("line") and n) or 0
                if math.abs((got[key] or 0) - n) > slack then check("events " .. key, got[key], n) end
            end
            if options.calls then check_calls(s, text, C, E, "=hooked") end
        end
    end
    -- set before start, kept after stop
    local n = 0
    local hook = function() n = n + 1 end
    debug.sethook(hook, "c")
    start { calls = true }
    check("the hook from before", debug.gethook(), hook)
    local before = n
    assert(tostring(1))
    check("it is called", n > before, true)
    lmp.stop()
    check("and after", debug.gethook(), hook)
    debug.sethook()
    local message = select(2, pcall(debug.sethook, 1, "c"))
    start { calls = true }
    check("errors are the library's", select(2, pcall(debug.sethook, 1, "c")), message)
    lmp.stop()
end

-- ---- instructions -------------------------------------------------------------------------------

for round = 1, rounds do
    local n = random(1, 6)
    local text, name = program(n), "=run" .. round
    local expected = {}
    collectgarbage("stop")
    debug.sethook(function()
        local info = debug.getinfo(2, "Sl")
        if info.source == name then expected[info.currentline] = (expected[info.currentline] or 0) + 1 end
    end, "", 1)
    -- a new coroutine has no hook of Lua's own: programs without them
    text = text:gsub("[^\n]*coroutine[^\n]*", ""):gsub("[^\n]*collectgarbage[^\n]*", "")
    run(text, n, name)
    debug.sethook()
    start { instructions = true }
    run(text, n, name)
    local s = lmp.stop { sites = true }
    collectgarbage("restart")
    local got = {}
    for _, site in ipairs(s.sites) do
        if site.source == name then got[site.line] = site.instructions end
    end
    for line, count in pairs(expected) do
        check("instructions of line " .. line .. " of\n" .. text, got[line], count)
    end
    for line, count in pairs(got) do
        check("instructions of line " .. line .. " of\n" .. text, count, expected[line] or 0)
    end
end

-- ---- overrides ----------------------------------------------------------------------------------

local function check_overrides(s)
    local here, frees, reallocs = {}, {}, {}
    local function add(t, place, o, a, b)
        local key = place.source .. ":" .. place.line
        t[key] = t[key] or { 0, 0 }
        t[key][1] = t[key][1] + o[a]
        t[key][2] = t[key][2] + o[b]
    end
    local here_reallocs = {}
    for _, o in ipairs(s.overrides) do
        add(here, o.here, o, "frees", "free_bytes")
        add(here_reallocs, o.here, o, "reallocs", "realloc_bytes")
        add(frees, o.made, o, "frees", "free_bytes")
        add(reallocs, o.made, o, "reallocs", "realloc_bytes")
    end
    local none = { 0, 0 }
    for _, site in ipairs(s.sites) do
        local key = site.source .. ":" .. site.line
        check("frees at " .. key, (here[key] or none)[1], site.here.frees)
        check("bytes freed at " .. key, (here[key] or none)[2], site.here.free_bytes)
        check("reallocs at " .. key, (here_reallocs[key] or none)[1], site.here.reallocs)
        check("bytes of them at " .. key, (here_reallocs[key] or none)[2], site.here.realloc_bytes)
        check("frees of " .. key, (frees[key] or none)[1], site.frees)
        check("bytes freed of " .. key, (frees[key] or none)[2], site.free_bytes)
        check("reallocs of " .. key, (reallocs[key] or none)[1], site.reallocs)
        check("bytes of them of " .. key, (reallocs[key] or none)[2], site.realloc_bytes)
    end
end

for round = 1, rounds do
    start { overrides = true, stacks = round % 2 == 0 }
    run(program(5), 5, "=over" .. round)
    local t, parts = {}, {}
    for i = 1, random(2000) do t[random(500)] = i end
    for i = 1, random(200) do parts[#parts + 1] = ("x"):rep(i) end
    local _ = table.concat(parts)
    check_overrides(lmp.stop { sites = true, overrides = true })
end

-- Whose table grows where: made at one line, grown at another, given back at a third.
do
    start { overrides = true }
    local f = load([[
local t = {}
for i = 1, 64 do t[i] = i end
for i = 1, 64 do t["k" .. i] = true end
return t]], "=tables")
    f()
    local s = lmp.stop { overrides = true, sites = true }
    check_overrides(s)
    local by = {}
    for _, o in ipairs(s.overrides) do
        if o.made.source == "=tables" and o.here.source == "=tables" then
            by[o.made.line .. " at " .. o.here.line] = o
        end
    end
    local array = by["2 at 2"] -- is resized, or another one takes its place
    check("the array grows six times", array.reallocs + array.frees, 6)
    if array.reallocs > 0 then check("from 1 slot of 16 bytes to 64", array.realloc_bytes, 63 * 16) end
    check("hash parts are freed where they grow", by["3 at 3"].frees, 6)
end
print("ok")
