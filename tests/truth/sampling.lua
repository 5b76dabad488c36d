-- sampling.lua [SEEDS] [OPTIONS]: the estimates of sampled mode against the truth, over many seeds,
-- the same ones in each run (SEED=clock in the environment: others).
-- The same program runs once accounted exactly and then sampled with each seed, each time in a
-- process of its own. For every line that makes something:
--   the mean of the estimates is the truth, within 4.5 of its standard errors;
--   where all blocks have one size, no estimate is further from it than 6 times the standard deviation
--   that Poisson sampling of bytes has, and theirs together is that one.
local lmp = require "luamemprofiler"
local interval = 4096

if arg[1] == "load" then -- the program itself
    local rep = string.rep
    local options = assert(load("return {" .. arg[2] .. "}"))()
    options.live, options.summary = false, false
    collectgarbage() collectgarbage "stop"
    local kept, gone = {}, {}
    for i = 1, 4000 do kept[i], gone[i] = 0, 0 end
    assert(lmp.start(options))
    for i = 1, 3000 do kept[i] = {} end -- one size
    for i = 1, 2000 do gone[i] = { i } end
    for i = 1, 500 do kept[i] = rep("k", 900) .. i % 10 end
    for i = 1, 1000 do kept[1000 + i] = function() return i end end -- one size
    for i = 2001, 2400 do gone[i] = rep("g", 3000) .. i end
    for i = 2421, 2480 do gone[i] = rep("0123456789", 70 + i) end
    for i = 1, 40 do kept[2000 + i] = rep("large", 8000) .. i end
    for i = 2401, 2420 do gone[i] = rep("huge", 100000) .. i end
    for i = 1, 200 do local t = {} kept[2100 + i] = t for k = 1, 40 do t[#t + 1] = k end end
    for i = 1, 200 do local t = {} gone[2500 + i] = t for k = 1, 30 do t["f" .. k] = k end end
    for i = 1, 100 do kept[3000 + i] = coroutine.wrap(function() coroutine.yield() end) kept[3000 + i]() end
    for i = 1, 4000 do gone[i] = 0 end
    collectgarbage()
    for _, site in ipairs(lmp.stop { sites = true }.sites) do
        if site.line > 0 then
            print(site.line, site.allocs, site.bytes, site.live_blocks, site.live_bytes, site.free_bytes,
                site.realloc_bytes)
        end
    end
    return
end

local seeds, more = tonumber(arg[1]) or 200, arg[2] and arg[2] ~= "" and ", " .. arg[2] or ""
local names = { "allocs", "bytes", "live_blocks", "live_bytes", "free_bytes" }
local function run(seed, options)
    local out = {}
    local lua = os.getenv "LUA" or arg[-1]
    local p = assert(io.popen(("LMP_SAMPLE_SEED=%d '%s' '%s' load '%s'"):format(seed, lua, arg[0], options)))
    for text in p:lines() do
        local n = {}
        for w in text:gmatch "%S+" do n[#n + 1] = math.tointeger(w) end
        local row = { grown = n[7] }
        for i, name in ipairs(names) do row[name] = n[i + 1] end
        out[n[1]] = row
    end
    assert(p:close(), "the program failed")
    return out
end

local one_size = {} -- lines of the load that make blocks of one size
do
    local n = 0
    for text in io.lines(arg[0]) do
        n = n + 1
        one_size[n] = text:find "-- one size" and true
    end
end
local truth = run(0, "lines = true")
local sums, squares, worst = {}, {}, {}
local first = os.getenv("SEED") == "clock" and os.time() or 20261122
for seed = first, first + seeds - 1 do
    local estimate = run(seed, "sample = " .. interval .. more)
    for line, row in pairs(truth) do
        for _, name in ipairs(names) do
            local key = line .. " " .. name
            local e = (estimate[line] and estimate[line][name] or 0) - row[name]
            sums[key] = (sums[key] or 0) + e
            squares[key] = (squares[key] or 0) + e * e
            worst[key] = math.max(worst[key] or 0, math.abs(e))
        end
    end
    for line in pairs(estimate) do assert(truth[line], "line " .. line .. " made nothing") end
end

local errors, checked = 0, 0
local function wrong(...)
    errors = errors + 1
    io.stderr:write(string.format(...), "\n")
end
for line, row in pairs(truth) do
    -- what Poisson sampling promises of n blocks of one size
    local function promise(bytes, n)
        local p = 1 - math.exp(-bytes / n / interval)
        return bytes / n * math.sqrt(n * (1 - p) / p), n * p
    end
    for _, name in ipairs(names) do
        local key = line .. " " .. name
        local mean = sums[key] / seeds
        local sd = math.sqrt(math.max(squares[key] / seeds - mean * mean, 0))
        local samples = select(2, promise(row.bytes, row.allocs)) -- in one run, about
        if samples * seeds >= 100 and (row.grown == 0 or name:find "live") then
            checked = checked + 1
            if math.abs(mean) > 4.5 * sd / math.sqrt(seeds) + 1e-3 * row[name] + 1 then
                wrong("line %d: %s is %d, the estimates' mean is %+.1f off, which is %.1f standard errors", line, name,
                    row[name], mean, mean / (sd / math.sqrt(seeds)))
            end
        end
        local n = name == "bytes" and row.allocs or name == "live_bytes" and row.live_blocks
        if n and n > 0 and row.grown == 0 and one_size[line] then
            local promised, expected = promise(row[name], n)
            if expected >= 5 then
                checked = checked + 2
                if worst[key] > 6 * promised + 1 then
                    wrong("line %d: %s is %d, an estimate is %d off, %.1f times the deviation", line, name, row[name],
                        worst[key], worst[key] / promised)
                end
                if sd > 1.35 * promised or sd < 0.65 * promised then
                    wrong("line %d: %s deviates by %.0f, not %.0f", line, name, sd, promised)
                end
            end
        end
        if os.getenv "SHOW" then
            local percent = 100 / math.max(row[name], 1)
            print(line, name, row[name],
                string.format("mean %+.2f %%, deviation %.2f %%", percent * mean, percent * sd))
        end
    end
end
print(string.format("%d seeds from %d, %d checks", seeds, first, checked))
os.exit(errors == 0)
