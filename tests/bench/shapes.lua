-- shapes.lua - programs of every shape (cliffs.lua, and host.c for those that are C), in instructions
-- relative to the unprofiled run: for what falls off a cliff, on any machine, however busy. Part of
-- tests/bench/run, which calls it with a table of what it needs; returns how many figures are
-- above the aim.
local AIM = tonumber(os.getenv("LMP_BENCH_AIM")) or 2
local LONG_ENOUGH, TIMED = 0.15, 5 -- seconds, rounds
local WORTH_A_ROW = 1.9 -- in the document; `run --shapes` has all

return function(bench)
    local ways = {
        { "totals", ".start({ summary = false, lines = false })" },
        { "lines", ".start({ summary = false })" },
        { "stacks", ".start({ summary = false, stacks = true })" },
        { "sampled", ".start({ summary = false, sample = 512 * 1024 })" },
    }

    -- Without it, an instruction counter would count what is done every few milliseconds so many times.
    local slow_clock = bench.build .. "/slow_clock.so"

    --- Instructions of a program after `code`; nil: it cannot be run so.
    local function count(runner, code, name, size)
        local text = bench.output_of(string.format(
            "LUA_INIT= LUA_INIT_5_4= LUA_CPATH=%s LD_PRELOAD=%s valgrind --tool=cachegrind --cache-sim=no "
            .. "--cachegrind-out-file=/dev/null " .. runner .. " 2>&1",
            bench.quote(bench.build .. "/?.so;;"), bench.quote(slow_clock), bench.quote(code), name, size))
        local number = text:match("I%s+refs:%s+([%d,]+)")
        return number and tonumber((number:gsub(",", "")))
    end

    --- The same without what starting costs, in millions. What a first start learns is kept for all others.
    local learned = {}
    local function work(runner, code, name)
        learned[runner .. code] = learned[runner .. code] or count(runner, code, name, 0)
        local whole, start = count(runner, code, name, bench.size), count(runner, code, name, 0)
        return whole and start and (whole - start) / 1e6
    end

    --- CPU time of the same, in seconds.
    local function time(runner, code, name, size)
        local text = bench.output_of(string.format("LUA_INIT= LUA_INIT_5_4= LUA_CPATH=%s %s " .. runner .. " 2>&1",
            bench.quote(bench.build .. "/?.so;;"), bench.quote(bench.build .. "/measure"), bench.quote(code), name,
            size))
        return tonumber(text:match("([%d.]+) [%d.]+ %d+ %d+ ?-?[%d.]*$"))
    end

    --- The least of a few: what starting and ending costs.
    local function least(...)
        return math.min(time(...), time(...), time(...))
    end

    --- CPU time after each of `codes` relative to that after `plain`, without what starting costs: medians of
    --- TIMED interleaved rounds, with the program so large that it runs for a while.
    local function times(runner, plain, codes, name)
        local size, own = bench.size, least(runner, plain, name, 0)
        while time(runner, plain, name, size) - own < LONG_ENOUGH and size < bench.size * 512 do size = size * 2 end
        local ratios, start = {}, {}
        for i, code in ipairs(codes) do ratios[i], start[i] = {}, least(runner, code, name, 0) end
        for round = 1, TIMED do
            local base = time(runner, plain, name, size) - own
            for i, code in ipairs(codes) do ratios[i][round] = (time(runner, code, name, size) - start[i]) / base end
        end
        for i, list in ipairs(ratios) do
            table.sort(list)
            ratios[i] = list[TIMED // 2 + 1]
        end
        return ratios
    end

    local script = bench.quote(bench.here .. "/cliffs.lua")
    local host = bench.quote(bench.build .. "/bench_host")
    local cases = {}
    for _, from in ipairs({ { bench.lua .. " -e %s " .. script .. " %s %s", bench.lua .. " " .. script },
        { host .. " %s %s %s", host } }) do
        for line in bench.output_of(from[2]):gmatch("[^\n]+") do
            local name, what = line:match("^(%S+)%s+(.*)")
            if name:find(bench.only) then cases[#cases + 1] = { from[1], name, what } end
        end
    end

    print("\n## Programs of every shape\n")
    print("Each does one thing very often or very large. Instructions relative to the unprofiled run, without what "
        .. "starting costs\n(valgrind's cachegrind). The aim: at most " .. AIM
        .. (bench.all and ".\n" or ". Programs with at most " .. WORTH_A_ROW .. " in all columns are only counted.\n"))
    local titles = { "program", "unprofiled", "totals", "lines", "stacks", "sampled" }
    if bench.timed then titles[7], titles[8] = "lines, time", "stacks, time" end
    bench.head(titles)
    local missed, left_out = 0, 0
    for i, case in ipairs(cases) do
        bench.progress("shapes: %d of %d: %s", i, #cases, case[2])
        local plain = work(case[1], 'require "luamemprofiler"', case[2])
        local cells = { case[3], plain and string.format("%.0f million", plain) or "cannot be run under valgrind" }
        local most = plain and 0 or math.huge
        for n, way in ipairs(ways) do
            local mine = plain and work(case[1], 'require "luamemprofiler"' .. way[2], case[2])
            local ratio = mine and mine / plain
            cells[n + 2] = not ratio and "?" or string.format("%.2f%s", ratio, ratio > AIM and " ✗" or "")
            if not ratio or ratio > AIM then missed = missed + 1 end
            most = math.max(most, ratio or math.huge)
        end
        local timed = bench.timed and times(case[1], 'require "luamemprofiler"',
            { 'require "luamemprofiler"' .. ways[2][2], 'require "luamemprofiler"' .. ways[3][2] }, case[2]) or {}
        for n = 1, bench.timed and 2 or 0 do cells[#cells + 1] = timed[n] and string.format("%.2f", timed[n]) or "?" end
        if bench.all or most > WORTH_A_ROW then bench.row(cells) else left_out = left_out + 1 end
        io.stdout:flush()
    end
    if left_out > 0 then print("\n" .. left_out .. " of " .. #cases .. " programs have no row.") end
    return missed
end
