-- instructions.lua - what each mode adds to an operation and to a start, in instructions (valgrind's
-- callgrind): the same on any machine but for 1 %. `run --instructions` prints the table;
-- instructions.txt is that of the repository, and `--check` fails where a figure is 2 % above it.
--
-- Pinned: the clock, hashes, the C library's variants for processors, the names of files. Subtracted: the
-- same run with an allocator that only calls on.

local M = {}

local N = 20000 -- as in workloads/stages.lua
local OPERATIONS = {
    { "a table with one element", N }, { "a string", N }, { "a function with an upvalue", N },
    { "a table grown to nine", N / 4 }, { "a coroutine", N / 4 },
}
local MODES = {
    { "totals", "summary = false, lines = false" }, { "lines", "summary = false" },
    { "stacks", "summary = false, stacks = true" }, { "sampled", "summary = false, sample = 512 * 1024" },
}
local MOST = 1.02

M.titles = {}
for m, mode in ipairs(MODES) do M.titles[m] = mode[1] end

local function output_of(command)
    local pipe <close> = assert(io.popen(command))
    return pipe:read("a")
end

--- What callgrind says of `lua5.4 -e code script` in a directory of its own. `cache` is where a start keeps what it
--- learns of the interpreter, which an earlier run has filled already; "off": each start learns anew.
local function play(build, here, cache, code, script, after)
    local lua = (os.getenv("LUA") or "lua5.4") .. " -e '" .. code .. "' "
    local env = table.concat({
        "env -i PATH=/usr/bin:/bin LMP_COMMAND=/nowhere LMP_BENCH_STAGE=./slow_clock.so LD_PRELOAD=./slow_clock.so",
        "LUA_CPATH='./?.so' LMP_CACHE=" .. cache,
        "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-ERMS,-FSRM ",
    }, " ")
    return output_of(table.concat({
        "d=$(mktemp -d) && cd $d && ln -s", build .. "/*.so", here .. "/workloads/stages.lua . &&",
        env .. lua .. "-e '' && ",
        env .. "valgrind --tool=callgrind --dump-before=bench_stage --callgrind-out-file=out " .. lua .. script
            .. " 2>&1;",
        after .. "; rm -r $d",
    }, " "))
end

local function start_code(mode)
    return 'require "luamemprofiler".start({ ' .. mode[2] .. " })"
end

--- Instructions of each part of the run, by `stage`; the first is the start.
local function count(build, here, code)
    local parts = {}
    local said = play(build, here, '"$PWD"/cache', code, "stages.lua",
        "for i in $(seq " .. 2 * #OPERATIONS .. "); do sed -n 's/^summary: /part /p' out.$i; done")
    for part in said:gmatch("part (%d+)") do parts[#parts + 1] = tonumber(part) end
    assert(#parts == 2 * #OPERATIONS, said)
    return parts
end

--- Instructions of a start and an end where nothing is kept of an earlier start.
local function count_first(build, here, code)
    local said = play(build, here, "off", code, "-e ''", "true")
    return assert(tonumber(said:match("Collected : (%d+)")), said)
end

function M.rows(build, here)
    local floor, first = count(build, here, 'require "passthrough"'), count_first(build, here, 'require "passthrough"')
    local list = { { "start, thousands" }, { "first start and end, thousands" } }
    for m, mode in ipairs(MODES) do
        local parts = count(build, here, start_code(mode))
        list[1][m + 1] = (parts[1] - floor[1]) / 1000
        list[2][m + 1] = (count_first(build, here, start_code(mode)) - first) / 1000
        for i, operation in ipairs(OPERATIONS) do
            list[i + 2] = list[i + 2] or { operation[1] }
            list[i + 2][m + 1] = (parts[2 * i] - floor[2 * i]) / operation[2]
        end
    end
    return list
end

local function write(list)
    print("| operation | " .. table.concat(M.titles, " | ") .. " |\n| --- | ---: | ---: | ---: | ---: |")
    for _, row in ipairs(list) do
        print(("| %s | %.0f | %.0f | %.0f | %.0f |"):format(table.unpack(row)))
    end
end

--- The table of the repository: figures by operation and mode.
local function read(name)
    local known = {}
    for line in io.lines(name) do
        local what, a, b, c, d = line:match("^| ([^|]-) | (%d+) | (%d+) | (%d+) | (%d+) |$")
        if what then known[what] = { tonumber(a), tonumber(b), tonumber(c), tonumber(d) } end
    end
    return known
end

--- Prints the table; with `check` returns whether no figure is above that of the repository.
function M.run(build, here, check)
    local list, well = M.rows(build, here), true
    write(list)
    local known = check and read(here .. "/instructions.txt") or {}
    for _, row in ipairs(check and list or {}) do
        local most = assert(known[row[1]], "instructions.txt has no " .. row[1])
        for m, mode in ipairs(MODES) do
            if row[m + 1] > most[m] * MOST then
                io.stderr:write(("run: %s, %s: %.0f instructions, %.0f are allowed (instructions.txt and 2 %%)\n")
                    :format(row[1], mode[1], row[m + 1], most[m] * MOST))
                well = false
            end
        end
    end
    return well
end

return M
