-- compare.lua - another commit beside this build: what each mode adds in instructions, and the CPU time of
-- the workloads, relative to the unprofiled run of the same round. Part of tests/bench/run --compare REV.
--
-- The other module is built in a work tree of its own, and runs under this build's helpers, so that nothing but
-- the module differs.

--- Builds the other commit's module. Returns a directory that has it beside the helpers of `bench.build`, and what
--- removes all of it.
local function build_other(bench, rev)
    local dir = bench.output_of("mktemp -d")
    local made = bench.output_of(table.concat({
        "cd", bench.quote(bench.top), "&& git worktree add --detach", dir .. "/tree", bench.quote(rev), ">&2",
        "&& cmake -S", dir .. "/tree", "-B", dir .. "/build -DCMAKE_BUILD_TYPE=Release >&2",
        "&& make -s -C", dir .. "/build", "-j$(nproc) luamemprofiler lmp >&2",
        "&& mkdir", dir .. "/mixed && ln -s $(realpath", bench.quote(bench.build) .. ")/*.so",
        "$(realpath", bench.quote(bench.build) .. ")/measure", dir .. "/mixed",
        "&& ln -sf", dir .. "/build/*.so", dir .. "/build/lmp", dir .. "/mixed && echo made",
    }, " "))
    return made == "made" and dir .. "/mixed", function()
        bench.output_of("cd " .. bench.quote(bench.top) .. " && git worktree remove --force " .. dir
            .. "/tree; rm -rf " .. dir)
    end
end

local function print_instructions(bench, builds)
    local instructions = dofile(bench.here .. "/instructions.lua")
    local a, b = instructions.rows(builds[1], bench.here), instructions.rows(builds[2], bench.here)
    bench.head({ "operation", table.unpack(instructions.titles) })
    for i, row in ipairs(b) do
        local cells = { row[1] }
        for k = 2, #row do
            cells[k] = ("%.0f → %.0f (%+.0f %%)"):format(a[i][k], row[k], (row[k] / a[i][k] - 1) * 100)
        end
        bench.row(cells)
    end
end

local function print_times(bench, builds)
    print("\nCPU time to the unprofiled run of the same round, medians of " .. bench.rounds .. " rounds: then → now.\n")
    local titles = { "workload" }
    for i, way in ipairs(bench.ways) do titles[i + 1] = way.name end
    bench.head(titles)
    for _, w in ipairs(bench.workloads) do
        local cells, ratio = { w.what }, { {}, {} }
        for round = 1, bench.rounds do
            local plain = bench.measure(w, "", false, builds[2]).cpu
            for i, way in ipairs(bench.ways) do
                for k = 1, 2 do
                    ratio[k][i] = ratio[k][i] or {}
                    ratio[k][i][round] = bench.measure(w, way.code, false, builds[k]).cpu / plain
                end
            end
        end
        for i in ipairs(bench.ways) do
            cells[i + 1] = ("%.3f → %.3f"):format(bench.median(ratio[1][i]), bench.median(ratio[2][i]))
        end
        bench.row(cells)
    end
end

--- Prints both tables. Returns false if the other commit could not be built.
return function(bench, rev)
    local other, remove = build_other(bench, rev)
    local _ <close> = setmetatable({}, { __close = remove })
    if not other then
        io.stderr:write("run: ", rev, " could not be built\n")
        return false
    end
    local builds = { other, bench.output_of("realpath " .. bench.quote(bench.build)) }
    print("What each mode adds, in instructions: at " .. rev .. " → now.\n")
    print_instructions(bench, builds)
    print_times(bench, builds)
    return true
end
