-- Who made what, as stats() and stop() tell it: every field is there, has its type and its place in
-- the order, sums fit the totals, a table made here is charged to this line; tags by coroutine; and
-- what happens without lines. That the lines are right is compared in tests/truth.
local lmp = require("luamemprofiler")
local raises = require("expect").raises
local takes = require("takes")
local kinds = { "string", "function", "userdata", "thread", "table", "other" }
local tally = {
  "allocs", "bytes", "reallocs", "realloc_bytes", "frees", "free_bytes", "live_blocks",
  "live_bytes", "peak_live_bytes", "temporary", "short_lived",
}
local node_tally = {
  "allocs", "bytes", "frees", "free_bytes", "live_blocks", "live_bytes", "peak_live_bytes",
  "temporary",
}

local function here()
  return debug.getinfo(2, "l").currentline
end

-- A table has just these fields; names ending in ? may be missing.
local function has_fields(what, t, names)
  local known = {}
  for _, name in ipairs(names) do
    local bare = name:gsub("%?$", "")
    known[bare] = true
    assert(t[bare] ~= nil or bare ~= name, what .. " has no " .. bare)
  end
  for name in pairs(t) do
    assert(known[name], what .. " has an unknown field: " .. name)
  end
end

local function check_tally(what, t, names)
  for _, name in ipairs(names or tally) do
    assert(math.type(t[name]) == "integer", what .. "." .. name)
    assert(t[name] >= 0 or name == "realloc_bytes", what .. "." .. name .. " is negative")
  end
  assert(t.allocs - t.frees == t.live_blocks, what .. ": blocks")
  if t.realloc_bytes then
    assert(t.bytes + t.realloc_bytes - t.free_bytes == t.live_bytes, what .. ": bytes")
  end
end

local function in_order(what, rows, get)
  for i = 2, #rows do
    local a, b = get(rows[i - 1]), get(rows[i])
    assert(a.live_bytes > b.live_bytes or (a.live_bytes == b.live_bytes and a.bytes >= b.bytes),
      what .. " " .. i .. " is out of order")
  end
end

local function with(fields, more)
  local all = { table.unpack(fields) }
  table.move(more, 1, #more, #all + 1, all)
  return all
end

local function check(s, stacks)
  local sum, site_fields = {}, with(tally, { "source", "short_src", "line", "func", "here", "types", "calls" })
  for _, name in ipairs(tally) do
    sum[name] = 0
  end
  local here_sum = { reallocs = 0, realloc_bytes = 0, frees = 0, free_bytes = 0 }
  for i, site in ipairs(s.sites) do
    local what = "site " .. i
    has_fields(what, site, site_fields)
    check_tally(what, site)
    assert(type(site.source) == "string" and type(site.short_src) == "string")
    assert(type(site.func) == "string" and site.func ~= "" and math.type(site.line) == "integer")
    has_fields(what, site.here, { "reallocs", "realloc_bytes", "frees", "free_bytes" })
    for name in pairs(here_sum) do
      here_sum[name] = here_sum[name] + assert(math.tointeger(site.here[name]))
    end
    has_fields(what, site.types, kinds)
    local types = { allocs = 0, bytes = 0, live_blocks = 0, live_bytes = 0, tag_allocs = 0 }
    for _, kind in ipairs(kinds) do
      has_fields(what, site.types[kind], { "allocs", "bytes", "live_blocks", "live_bytes", "tag_allocs" })
      for name in pairs(types) do
        types[name] = types[name] + assert(math.tointeger(site.types[kind][name]))
      end
    end
    for name, n in pairs(types) do
      assert(n == site[name == "tag_allocs" and "allocs" or name], what .. ": types." .. name)
    end
    local called = 0
    for k, call in ipairs(site.calls) do
      has_fields(what .. " call " .. k, call, with(tally, { "name" }))
      check_tally(what .. " call " .. k, call)
      called = called + call.allocs
    end
    assert(called <= site.allocs)
    for _, name in ipairs(tally) do
      sum[name] = sum[name] + site[name]
    end
  end
  in_order("site", s.sites, function(site) return site end)
  assert(sum.allocs == s.mallocs and sum.bytes == s.malloc_bytes and sum.frees == s.frees)
  assert(sum.free_bytes == s.free_bytes and sum.reallocs == s.reallocs)
  assert(sum.realloc_bytes == s.realloc_bytes and sum.live_bytes == s.live_bytes)
  assert(sum.live_blocks == s.live_blocks and sum.peak_live_bytes == s.peak_bytes)
  assert(here_sum.reallocs == s.reallocs and here_sum.realloc_bytes == s.realloc_bytes)
  assert(here_sum.frees == s.frees and here_sum.free_bytes == s.free_bytes)

  local shallow = 0
  for i, f in ipairs(s.functions) do
    has_fields("function " .. i, f,
      { "source", "short_src", "linedefined", "func", "shallow", stacks and "retained" or nil })
    has_fields("shallow", f.shallow, tally)
    check_tally("function " .. i, f.shallow)
    shallow = shallow + f.shallow.live_bytes
    if stacks then
      check_tally("function " .. i, f.retained)
      assert(f.retained.live_bytes >= f.shallow.live_bytes, f.func)
      assert(f.retained.live_bytes <= s.live_bytes, f.func .. ": counted twice")
    end
  end
  in_order("function", s.functions, function(f) return f.shallow end)
  assert(shallow == s.live_bytes)

  local tagged = 0
  for i, t in ipairs(s.tags) do
    has_fields("tag " .. i, t, with(tally, { "name" }))
    check_tally("tag " .. i, t)
    tagged = tagged + t.live_bytes
  end
  in_order("tag", s.tags, function(t) return t end)
  assert(#s.tags == 0 or tagged == s.live_bytes)

  if not stacks then
    assert(s.tree == nil)
    return
  end
  local nodes, own = { s.tree }, 0
  while #nodes > 0 do
    local node = table.remove(nodes)
    has_fields("node", node,
      { "func", "short_src", "line", "shallow", "retained", "children", "tail?", "coroutine?" })
    has_fields("node", node.shallow, node_tally)
    check_tally("node", node.shallow, node_tally)
    check_tally("node", node.retained, node_tally)
    own = own + node.shallow.live_bytes
    local retained = node.shallow.live_bytes
    for _, child in ipairs(node.children) do
      nodes[#nodes + 1] = child
      retained = retained + child.retained.live_bytes
    end
    assert(retained == node.retained.live_bytes, "what a node retains is its own and its children's")
  end
  assert(own == s.live_bytes and s.tree.retained.live_bytes == s.live_bytes)
  assert(s.tree.retained.allocs == s.mallocs and s.tree.retained.free_bytes == s.free_bytes)
end

local everything = { sites = true, functions = true, tags = true, tree = true }

local function site_of(s, line)
  for _, site in ipairs(s.sites) do
    if site.source == debug.getinfo(1, "S").source and site.line == line then return site end
  end
end

local function function_of(s, name)
  for _, f in ipairs(s.functions) do
    if f.func:find(name, 1, true) then return f end
  end
end

local function tag_of(s, name)
  for _, t in ipairs(s.tags) do
    if t.name == name then return t.live_bytes, t.allocs end
  end
  return 0, 0
end

-- Misuse names the key, and changes nothing.
lmp.start({ summary = false })
for _, f in ipairs({ "stats", "stop" }) do
  raises("'" .. f .. "' (unknown key 'site'; there are: sites, functions, tree, tags, edges, overrides)", lmp[f],
    { site = true })
  raises("'" .. f .. "' (unknown key '1'; there are", lmp[f], { "sites" })
  raises("'" .. f .. "' (key 'sites' must be a boolean, got number)", lmp[f], { sites = 10 })
  raises("table expected, got string", lmp[f], "sites")
end
raises("name that is not empty", lmp.tag, "")
raises("name that is not empty", lmp.tag, "a\0b")
raises("string expected, got table", lmp.tag, {})
local plain = lmp.stats({ sites = false })
assert(plain.sites == nil and plain.functions == nil and plain.tree == nil and plain.tags == nil)
assert(plain.lines == "exact" or plain.lines == "approximate", plain.lines)
assert(plain.stacks == false and plain.sample == nil and plain.folded == 0)
lmp.stop()

-- What is asked for, with and without stacks, and again at stop.
Shelf = { books = {} } -- a global class, so that its functions have a path
function Shelf.put(n)
  for i = 1, n do
    Shelf.books[i] = { i }; Shelf.line = here()
  end
end
local function product() -- two closures of one function in two places: neither is its name
  return function() return {} end
end
Made = { one = product(), two = product() }

for _, stacks in ipairs({ false, true }) do
  lmp.start({ summary = false, stacks = stacks })
  Shelf.put(100)
  Shelf.first, Shelf.second = Made.one(), Made.two()
  local built = {}
  for i = 1, 50 do
    built[i] = ("%d"):format(i) .. "x"
  end
  local words = table.concat(built, " "); local concat_line = here()
  collectgarbage("stop")
  local s = lmp.stats(everything)
  local again = lmp.stats(everything)
  collectgarbage("restart")
  check(s, stacks)
  check(again, stacks)
  assert(s.live_bytes == again.live_bytes and s.mallocs == again.mallocs, "the result is not counted")
  local put = assert(site_of(s, Shelf.line), "no site for the line of put")
  assert(put.types.table.tag_allocs == 100, "tables")
  assert(put.types.table.allocs >= 200 and put.types.table.allocs < 210, "a table has two parts")
  assert(put.types.table.live_blocks >= 200 and put.live_bytes >= 100 * (takes.table + takes.slot))
  assert(put.func == "function 'Shelf.put'", put.func)
  assert(put.short_src == "figures.lua" or put.short_src:find("figures.lua$"), put.short_src)
  local concat = assert(site_of(s, concat_line))
  assert(concat.calls[1].name == "table.concat [C]" or concat.calls[1].name == "concat [C]",
    concat.calls[1].name)
  assert(concat.calls[1].types == nil and concat.calls[1].allocs >= 1)
  assert(function_of(s, "Shelf.put").shallow.live_bytes >= put.live_bytes)
  for _, f in ipairs(s.functions) do
    assert(not f.func:find("Made%."), "a factory's product has no name: " .. f.func)
  end
  Shelf.books = {}
  collectgarbage()
  local last = lmp.stop(everything)
  check(last, stacks)
  put = site_of(last, Shelf.line)
  assert(put.frees >= 200 and put.live_blocks <= 2 and put.peak_live_bytes > 0)
  assert(put.short_lived <= put.frees and put.temporary <= put.short_lived and #words > 0)
end

-- What is garbage is freed by the collector, in each of its modes, and by no line; what a table that
-- grows gives back is freed by the line. The parts of closures, tables and threads are told apart by
-- who frees them.
for _, mode in ipairs({ "incremental", "generational" }) do
  local before = collectgarbage(mode)
  collectgarbage()
  lmp.start({ summary = false })
  local lines = { here() + 1, nil }
  local function garbage(n)
    for i = 1, n do
      local count = i
      local f = function() count = count + 1; return count end
      local t = { f(), i, name = i }
      local co = coroutine.wrap(function() coroutine.yield(t) end)
      co()
    end
  end
  for _ = 1, 20 do
    garbage(200)
    collectgarbage("step")
  end
  collectgarbage()
  lines[2] = here()
  local grown, grows = {}, here() + 2
  for i = 1, 5000 do
    grown["k" .. i] = i
  end
  local s = lmp.stop(everything)
  local freed, by_collector = 0, 0
  for _, site in ipairs(s.sites) do
    if site.line >= lines[1] and site.line <= lines[2] and site.source == debug.getinfo(1, "S").source then
      freed = freed + site.here.frees
    elseif site.func == "(collector)" then
      by_collector = by_collector + site.here.frees
    end
  end
  assert(s.lines ~= "exact" or freed == 0, mode .. ": lines have freed " .. freed .. " blocks of garbage")
  assert(by_collector > 20 * 200 * 8, by_collector .. " blocks freed by the collector")
  assert(site_of(s, grows).here.frees >= 10, "a table that grows frees its old part")
  collectgarbage(before)
end

-- Tags: by coroutine, handed to coroutines made under them, given back.
assert(lmp.tag("not running") == nil and lmp.tag() == nil)
lmp.start({ summary = false })
do
  local keep = {}
  local function make(n)
    for _ = 1, n do
      keep[#keep + 1] = { 1, 2, 3, 4 }
    end
  end
  assert(#lmp.stats({ tags = true }).tags == 0, "nothing is tagged")
  assert(lmp.tag("a") == nil)
  make(100)
  assert(lmp.tag("b") == "a")
  make(50)
  local helper = coroutine.wrap(function() -- made under b
    make(10)
    assert(lmp.tag("c") == "b")
    make(1000)
    coroutine.yield()
    make(1000)
    assert(lmp.tag() == "c")
    coroutine.yield()
    make(500)
    assert(lmp.tag("c") == nil)
  end)
  helper()
  make(50)
  assert(lmp.tag("a") == "b", "another coroutine's tag is its own")
  helper()
  make(100)
  assert(lmp.tag(nil) == "a")
  helper()
  local s = lmp.stats(everything)
  check(s, false)
  local one = takes.of(function() return { 1, 2, 3, 4 } end)
  local a, a_blocks = tag_of(s, "a")
  local b = tag_of(s, "b")
  local c, c_blocks = tag_of(s, "c")
  assert(a_blocks >= 400 and a_blocks < 420, a_blocks)
  assert(a >= 200 * one and a < 200 * one + 3000 + 16 * 4096, a)
  assert(b >= 110 * one and b < 110 * one + 6000, b)
  assert(c_blocks >= 4000 and c_blocks < 4010 and c >= 2000 * one, c_blocks)
  local none = tag_of(s, "(untagged)")
  assert(none >= 500 * one, none)

  -- Coroutines by the thousand: each its own, and the names of dead ones do not stick to new ones
  -- at their addresses.
  for round = 1, 3 do
    for i = 1, 2000 do
      coroutine.wrap(function()
        assert(lmp.tag("worker " .. i % 7) == nil, "a new coroutine's tag")
        local _ = {}
      end)()
    end
    collectgarbage()
  end
  lmp.tag(("long "):rep(100))
  assert(#lmp.tag() == 127, "of a name, 127 bytes are kept")
  -- More names than there is room for fall into one.
  for i = 1, 2000 do
    lmp.tag("number " .. i)
    keep[#keep + 1] = { i }
  end
  assert(lmp.tag("a") == "(others)")
  assert(lmp.tag("(others)") == "a" and lmp.tag() == "(others)")
  s = lmp.stats(everything)
  check(s, false)
  assert(#s.tags <= 1024 and tag_of(s, "(others)") > 0 and tag_of(s, "number 7") > 0)
end
lmp.stop()

-- By samples: sites are estimates, totals are not.
for _, size in ipairs({ 4096, "4KiB", 4096.0 }) do
  lmp.start({ summary = false, sample = size, stacks = true })
  local keep, line
  for i = 1, 40000 do
    keep = { i, keep }; line = line or here()
  end
  local s = lmp.stats(everything)
  assert(keep and s.sample == 4096 and s.lines == "exact" and s.types.table.tag_allocs > 40000)
  local site = assert(site_of(s, line), "a site of three megabytes is not found")
  local want = 40000 * takes.of(function() return { 1, 2 } end)
  assert(math.abs(site.bytes - want) < want / 5, site.bytes .. " bytes, about " .. want)
  local sum = 0
  for _, row in ipairs(s.sites) do
    check_tally("sampled site", row)
    sum = sum + row.live_bytes
  end
  assert(s.tree.retained.live_bytes == sum, "the same samples in all tables")
  assert(#lmp.stop({ sites = true }).sites > 0)
end

-- Without lines there is nothing to tell, and tags do nothing.
lmp.start({ summary = false, lines = false })
do
  assert(lmp.tag("a") == nil and lmp.tag() == nil)
  local s = lmp.stats(everything)
  assert(s.lines == "off" and #s.sites == 0 and #s.functions == 0 and #s.tags == 0 and not s.tree)
end
lmp.stop()
print("ok")
