-- sizes.lua - a C library that says wrong sizes of its blocks (sizes.c) works under the profiler, in
-- every mode: what is live has changed by what Lua counts and what the library holds, to the byte; and
-- how many blocks were given back with another size is told.
local lmp, sizes = require "luamemprofiler", require "sizes"
local file, parts = os.tmpname(), { sites = true }

-- Bytes that Lua counts.
local function counted()
    return math.tointeger(collectgarbage "count" * 1024)
end

-- Calls need no more memory afterwards.
local function deep(n)
    return n > 0 and deep(n - 1) + 1 or 0
end

local function live(s)
    return s.live_bytes - s.before_free_bytes + s.before_realloc_bytes
end

local function run(options)
    options.summary, options.live = file, false
    collectgarbage()
    collectgarbage "stop" -- or what is the profiler's own is freed between
    lmp.start(options)
    deep(30)
    local was, held, wrong = lmp.stats(parts), 0, 0
    local began = counted()
    local function check(holds)
        local now = counted()
        local s = lmp.stats(parts)
        local by_lua, by_us = now - began + holds - held, live(s) - live(was)
        assert(by_us == by_lua, by_us - by_lua)
        assert(s.peak_bytes < 1 << 24 and s.other_sizes == wrong and s.dropped == 0)
        local sum = 0
        for _, site in ipairs(s.sites) do
            assert(site.live_bytes >= 0 and site.peak_live_bytes < 1 << 24)
            sum = sum + site.live_bytes
        end
        assert(options.sample or options.lines == false or sum == s.live_bytes)
        was, held, began = s, holds, counted()
    end
    for _, said in ipairs { 0, 1, 1.024, 0.5, 1e9 } do
        for tag = 4, 7 do
            lmp.tag("tag " .. tag)
            lmp.frame()
            sizes.churn(500, said)
            coroutine.wrap(sizes.churn)(500, said, tag)
            local made = lmp.frame()
            assert(made >= 2000000 and made < 2010000, made)
            wrong = wrong + (said == 1 and 0 or 2000)
        end
        check(0)
    end
    lmp.tag()
    local holds
    for i = 0, 99 do sizes.keep(i, i * 40 + 1) end
    for i = 0, 99 do holds = sizes.keep(i, 4000 - i * 39, 7) end
    wrong = wrong + 100
    check(holds)
    local _, shot = assert(lmp.snapshot(file .. ".heap", { wait = true }))
    was, began = lmp.stats(parts), counted()
    assert(shot.live_bytes <= was.live_bytes and shot.live_bytes > was.live_bytes - 1000)
    for i = 0, 99 do holds = sizes.keep(i, 0, i == 50 and 4000 - 50 * 39 or 0) end
    wrong = wrong + 99
    check(holds)
    assert(holds == 0)
    lmp.stop()
    local text = assert(io.open(file)):read "a"
    assert(text:gsub(",", ""):find("%D" .. wrong .. " blocks were given back with another size"), text)
    collectgarbage "restart"
end

for _, options in ipairs { { lines = false }, {}, { stacks = true }, { sample = 4096 },
    { sample = 4096, stacks = true } } do
    run(options)
end
os.remove(file)
os.remove(file .. ".heap")
