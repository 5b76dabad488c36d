-- sums.lua OPTIONS SEED|clock SCRIPT...: runs scripts that call check() at random moments, and adds up
-- what stats() tells of who made what: sites, functions, tags and tree must each come to the totals.
-- OPTIONS: of lmp.start, as in a table constructor.
local lmp = require "luamemprofiler"
local text, seed = arg[1], arg[2]
if seed == "clock" then seed = tostring(os.time() % 1000000007) end
print("options " .. text .. ", seed " .. seed)
local options = assert(load("return {" .. text .. "}"))()
options.live, options.summary = false, false

local figure = { -- field of a row, field of the totals
    { "allocs", "mallocs" }, { "bytes", "malloc_bytes" }, { "reallocs", "reallocs" },
    { "realloc_bytes", "realloc_bytes" }, { "frees", "frees" }, { "free_bytes", "free_bytes" },
    { "live_blocks", "live_blocks" }, { "live_bytes", "live_bytes" }, { "peak_live_bytes", "peak_bytes" },
}
local kinds = { "string", "function", "userdata", "thread", "table", "other" }
local checks, errors, rows_seen, nodes_seen, folded = 0, 0, 0, 0, 0
local calls, last_nodes = 0, 0
local label, stderr = "", io.stderr

local function wrong(...)
    errors = errors + 1
    if errors <= 20 then stderr:write("at ", label, " (", checks, "): ", string.format(...), "\n") end
end
local function same(got, want, ...)
    if got ~= want then wrong("%s is %s, not %s (%+d)", string.format(...), got, want, got - want) end
end

local function whole(s)
    if s.live_blocks ~= s.mallocs - s.frees then wrong("live blocks") end
    same(s.live_bytes, s.malloc_bytes + s.realloc_bytes - s.free_bytes, "live_bytes")
    same(s.dropped, 0, "dropped")
    for _, f in ipairs { { "allocs", "mallocs" }, { "live_blocks", "live_blocks" }, { "live_bytes", "live_bytes" },
        { "peak_bytes", "peak_bytes" }, { "tag_allocs", "mallocs" } } do
        local sum = 0
        for _, k in ipairs(kinds) do sum = sum + s.types[k][f[1]] end
        same(sum, s[f[2]], "sum of types.%s", f[1])
    end
end

-- A row by itself: its own fields fit together.
local function row_fits(row, what)
    same(row.live_blocks, row.allocs - row.frees, "%s: live_blocks", what)
    same(row.live_bytes, row.bytes + row.realloc_bytes - row.free_bytes, "%s: live_bytes", what)
    if row.allocs < 0 or row.frees < 0 or row.live_bytes < 0 or row.peak_live_bytes < 0 then
        wrong("%s: below zero", what)
    end
    if row.temporary > row.short_lived or row.short_lived > row.frees then wrong("%s: temporary", what) end
end

local function sum_up(rows, key, s, what)
    for _, f in ipairs(figure) do
        local sum = 0
        for _, row in ipairs(rows) do sum = sum + (key and row[key] or row)[f[1]] end
        same(sum, s[f[2]], "sum of %s.%s", what, f[1])
    end
end

local function sites_fit(s)
    sum_up(s.sites, nil, s, "sites")
    for _, k in ipairs(kinds) do
        for _, f in ipairs { "allocs", "live_blocks", "live_bytes", "tag_allocs" } do
            local sum = 0
            for _, site in ipairs(s.sites) do sum = sum + site.types[k][f] end
            same(sum, s.types[k][f], "sum of sites' types.%s.%s", k, f)
        end
    end
    for _, site in ipairs(s.sites) do
        local what = site.source .. ":" .. site.line
        row_fits(site, what)
        for _, f in ipairs { "allocs", "live_blocks", "live_bytes" } do
            local sum = 0
            for _, k in ipairs(kinds) do sum = sum + site.types[k][f] end
            same(sum, site[f], "%s: sum of types.%s", what, f)
        end
        for _, f in ipairs { "allocs", "bytes", "live_blocks" } do
            local sum = 0
            for _, call in ipairs(site.calls) do sum = sum + call[f] end
            if sum > site[f] then wrong("%s: calls make %s of %d, more than all %d", what, f, sum, site[f]) end
        end
    end
    rows_seen = rows_seen + #s.sites
end

-- The tree with a list of our own; a path can be too deep for recursion.
local function tree_fits(s)
    local root = s.tree
    for _, f in ipairs(figure) do
        if root.retained[f[1]] then same(root.retained[f[1]], s[f[2]], "the root's retained %s", f[1]) end
    end
    local list, retained = { root }, {}
    local i = 1
    while list[i] do
        local node = list[i]
        for _, child in ipairs(node.children) do list[#list + 1] = child child.up = node end
        i = i + 1
    end
    nodes_seen, last_nodes = nodes_seen + #list, #list
    for n = #list, 1, -1 do
        local node = list[n]
        for _, f in ipairs { "allocs", "bytes", "frees", "free_bytes", "live_blocks", "live_bytes",
            "peak_live_bytes" } do
            local sum = node.shallow[f]
            for _, child in ipairs(node.children) do sum = sum + child.retained[f] end
            same(node.retained[f], sum, "%s:%d: retained %s", node.short_src, node.line, f)
        end
    end
    -- A function's retained: its outermost nodes' sums. Only of functions whose names are no others'.
    local by_name = {}
    for _, f in ipairs(s.functions) do
        local name = f.func .. "\0" .. f.short_src
        by_name[name] = by_name[name] == nil and f or false
    end
    for _, node in ipairs(list) do
        local name = node.func .. "\0" .. node.short_src
        local inner, up = false, node.up
        if by_name[name] then
            while up and not inner do
                inner = up.func == node.func and up.short_src == node.short_src
                up = up.up
            end
            if not inner then
                retained[name] = retained[name] or { bytes = 0, live_bytes = 0, allocs = 0 }
                for f, n in pairs(retained[name]) do retained[name][f] = n + node.retained[f] end
            end
        end
    end
    for name, sums in pairs(retained) do
        for f, n in pairs(sums) do same(by_name[name].retained[f], n, "%s: retained %s", by_name[name].func, f) end
    end
end

function check(where, always)
    label = where or "check"
    calls = calls + 1
    if calls % (last_nodes // 500 + 1) ~= 0 and not always then return end -- a large tree takes long
    checks = checks + 1
    local s = lmp.stats { sites = true, functions = true, tags = true, tree = options.stacks }
    whole(s)
    folded = s.folded
    if options.lines == false and not options.stacks then
        same(#s.sites + #s.functions, 0, "rows without lines")
    elseif options.sample then
        for _, site in ipairs(s.sites) do if site.live_bytes < 0 then wrong("an estimate below zero") end end
    else
        sites_fit(s)
        for _, f in ipairs(s.functions) do row_fits(f.shallow, f.func) end
        sum_up(s.functions, "shallow", s, "functions")
        if #s.tags > 0 then sum_up(s.tags, nil, s, "tags") end
        if options.stacks then tree_fits(s) end
    end
end

print = function() end
bigdata = function() return io.tmpfile() end
local chunks = {}
for i = 3, #arg do chunks[#chunks + 1] = assert(loadfile(arg[i])) end
assert(lmp.start(options))
check("start")
for i, chunk in ipairs(chunks) do
    if i % 2 == 0 then lmp.tag("script " .. i) end
    collectgarbage("incremental")
    collectgarbage("restart")
    chunk(seed, options.stacks)
    check("end of " .. arg[i + 2], true)
    lmp.tag()
end
collectgarbage()
check("collected", true)
lmp.stop()
stderr:write(string.format("%d checks, %d rows, %d nodes, %d folded\n", checks, rows_seen, nodes_seen, folded))
if errors > 0 then os.exit(1) end
assert(options.lines == false or rows_seen > 50 or options.sample, "nothing was seen")
