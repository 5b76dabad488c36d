-- The Lua API: arguments, errors, and what start and stop leave behind. Runs without a hook of the
-- host's; `original()` tells whether the state's allocator is the one it was made with.
local lmp = require "luamemprofiler"
local quiet = { live = false, summary = false }

local function raises(pattern, f, ...)
    local ok, e = pcall(f, ...)
    assert(not ok, "no error where one was expected: " .. pattern)
    assert(type(e) == "string" and e:find(pattern), ("error %q lacks %q"):format(tostring(e), pattern))
end

assert(type(lmp._VERSION) == "string" and lmp._VERSION:find "^%d+%.%d+")
assert(original())

-- without a profile
raises("not running", lmp.stop)
raises("not running", lmp.stats)
lmp.mark() -- does nothing then

-- options: the key is named, and what was expected
raises("fps.*number", lmp.start, { fps = "x" })
raises("fps.*number", lmp.start, { fps = -1 })
raises("fps.*number", lmp.start, { fps = 0 })
raises("fps.*number", lmp.start, { fps = 1e9 })
raises("fps.*number", lmp.start, { fps = 0 / 0 })
raises("fps.*number", lmp.start, { fps = "10" })
raises("foo", lmp.start, { foo = 1 })
raises("fps", lmp.start, { foo = 1 }) -- names those that there are
raises("unknown option '?1'?", lmp.start, { true })
raises("unknown", lmp.start, { [2.5] = true })
raises("unknown", lmp.start, { [{}] = true })
raises("live.*boolean", lmp.start, { live = 1 })
raises("live.*boolean", lmp.start, { live = "yes" })
raises("hold.*boolean", lmp.start, { hold = 0 })
raises("summary.*file", lmp.start, { summary = 5 })
raises("summary.*file", lmp.start, { summary = "" })
raises("summary.*file", lmp.start, { summary = "a\0b" })
raises("summary.*file", lmp.start, { summary = {} })
raises("name.*string", lmp.start, { name = 5 })
raises("name.*string", lmp.start, { name = true })
raises("expected", lmp.start, "x")
raises("expected", lmp.start, print)
raises("expected", lmp.start, io.stdout)
raises("negative", lmp.start, -1)
raises("negative", lmp.start, 0 / 0)
assert(original(), "an error in the options leaves the allocator alone")
raises("not running", lmp.stats)

-- twice
assert(lmp.start(quiet))
assert(not original())
local t = {}
for i = 1, 100 do t[i] = { i } end
local before = lmp.stats()
raises("already running", lmp.start, quiet)
raises("already running", lmp.start)
raises("fps", lmp.start, { fps = -1 })
local after = lmp.stats()
assert(after.mallocs >= before.mallocs and after.mallocs - before.mallocs < 40, "the profile goes on")
assert(after.live_bytes >= 100 * 56)

-- marks
lmp.mark()
lmp.mark("name")
lmp.mark(("long"):rep(100))
lmp.mark("not\0printable\27[31m")
lmp.mark(nil)
lmp.mark(12)
raises("string", lmp.mark, {})
raises("string", lmp.mark, true)
for i = 1, 300 do lmp.mark("m" .. i) end
raises("string", lmp.mark, print, 2)

-- types and sums
local s = lmp.stats()
for _, k in ipairs { "mallocs", "malloc_bytes", "reallocs", "realloc_bytes", "frees", "free_bytes", "failed",
    "live_blocks", "live_bytes", "peak_bytes", "before_frees", "gc_cycles" } do
    assert(math.type(s[k]) == "integer", k)
end
assert(math.type(s.seconds) == "float" and s.seconds >= 0 and s.seconds < 300)
local n = 0
for name, row in pairs(s.types) do
    n = n + 1
    assert(({ string = 1, ["function"] = 1, userdata = 1, thread = 1, table = 1, other = 1 })[name], name)
    for _, k in ipairs { "allocs", "live_blocks", "live_bytes", "tag_allocs", "tag_live_bytes" } do
        assert(math.type(row[k]) == "integer", name .. "." .. k)
    end
end
assert(n == 6)
assert(s.live_blocks == s.mallocs - s.frees)
assert(s.live_bytes == s.malloc_bytes + s.realloc_bytes - s.free_bytes)

-- stats() is not in its own figures, nor is what else the profiler makes for us
collectgarbage("stop")
local a = lmp.stats()
local b = lmp.stats()
assert(a.mallocs == b.mallocs and a.live_bytes == b.live_bytes and a.frees == b.frees)
pcall(lmp.start)
pcall(lmp.mark, {})
for i = 1, 50 do lmp.stats() end
b = lmp.stats()
assert(b.live_bytes - a.live_bytes < 1000, "only the profiler's own was made: " .. b.live_bytes - a.live_bytes)
a, s, before, after = nil
collectgarbage("restart")
collectgarbage()
local c = lmp.stats()
assert(c.live_blocks == c.mallocs - c.frees, "the profiler's own is not counted when it is freed")

-- full collections are counted, each once (one that frees nothing at all cannot be seen)
local function garbage() return { {} } end
garbage() collectgarbage()
local c0 = lmp.stats().gc_cycles
for i = 1, 5 do garbage() collectgarbage() end
local c1 = lmp.stats().gc_cycles
assert(c1 - c0 == 5, "5 collections counted as " .. c1 - c0)

-- the end
local last = lmp.stop()
assert(original())
assert(last == nil or type(last) == "table")
raises("not running", lmp.stop)
raises("not running", lmp.stats)

-- a hundred times, from the main thread and from coroutines
for i = 1, 100 do
    local function go()
        assert(lmp.start { live = false, summary = false, fps = 0.1 + i % 60, name = "run" .. i })
        assert(not original())
        local x = { i, tostring(i), function() return i end }
        local seen = lmp.stats()
        assert(seen.mallocs < 60 and seen.mallocs > 2, "figures begin at zero: " .. seen.mallocs)
        lmp.stop()
        assert(original())
    end
    if i % 2 == 0 then go() else assert(coroutine.resume(coroutine.create(go))) end
end

-- begun in one coroutine, asked in a second, ended in a third which is then killed
local ok = coroutine.wrap(function() return lmp.start(quiet) end)()
assert(ok)
collectgarbage()
assert(coroutine.wrap(function() local x = {} return lmp.stats().mallocs end)() > 0)
coroutine.wrap(function() coroutine.wrap(function() lmp.mark("deep") end)() end)()
local co = coroutine.create(function() lmp.stop() error("after stop") end)
assert(not coroutine.resume(co))
co = nil
collectgarbage()
assert(original())

-- in a finalizer, in __close, and in an error handler
setmetatable({}, { __gc = function() lmp.start(quiet) end })
collectgarbage()
assert(not original())
do local z <close> = setmetatable({}, { __close = function() lmp.stop() end }) end
assert(original())
xpcall(error, function() lmp.start(quiet) end)
assert(not original())
setmetatable({}, { __gc = function() assert(lmp.stats().live_blocks > 0) lmp.stop() end })
collectgarbage()
assert(original())

-- the module loaded anew is the same profiler
package.loaded.luamemprofiler = nil
local again = require "luamemprofiler"
assert(again.start(quiet))
raises("already running", lmp.start)
lmp.stop()
raises("not running", again.stop)
assert(lmp.start(false)) -- a profile without display; its summary is written to stderr at the end
io.stderr:write("(a summary follows)\n")
lmp.stop()
-- the finalizer of our own, which the debug library gives to anybody
for k, v in pairs(debug.getregistry()) do
    local meta = type(k) == "userdata" and type(v) == "userdata" and debug.getmetatable(v)
    if meta and meta.__gc then
        for _, wrong in ipairs { false, 5, "x", {}, io.stdout } do pcall(meta.__gc, wrong) end
        pcall(meta.__gc)
    end
end
assert(original())

-- closed while profiled: the host closes the state now
assert(lmp.start(quiet))
