-- Programs of odd shapes are charged to the right places: stripped functions, long sources that
-- come and go at one address, more lines than any cache has room for, code that dies and is
-- followed by other code at its address.
local lmp = require("luamemprofiler")
local same = require("expect").same

local function sites()
  local found = {}
  for _, site in ipairs(lmp.stats({ sites = true }).sites) do
    local key = site.source .. ":" .. site.line
    assert(not found[key], key .. " is there twice")
    found[key] = site
  end
  return found
end

local function tables_at(found, key)
  local site = found[key]
  return site and site.types.table and site.types.table.tag_allocs or 0
end

-- ---- stripped: by function, and the same code is the same function ------------------------------

local function strip(source)
  return load(string.dump(assert(load(source)), true))
end

lmp.start({ summary = false })
local parts = strip([[
local function one() return {} end
local function two(n) return { n }, {} end
local function
  three()
  return {}, {}, {}
end
return one, two, three
]])
local one, two, three = parts()
local again = strip("return function() return {}, {}, {}, {}, {} end")
for _ = 1, 10 do
  one()
  two(1)
  three()
  again()()
end
again = strip("return function() return {}, {}, {}, {}, {} end")
again()()
local counts = {}
for _, site in ipairs(lmp.stats({ sites = true }).sites) do
  if site.source:sub(1, 3) == "=?#" then
    same("line of a stripped function", site.line, -1)
    local tables = site.types.table and site.types.table.tag_allocs or 0
    if tables > 0 then counts[#counts + 1] = tables end
  end
end
table.sort(counts)
same("stripped functions", table.concat(counts, " "), "10 20 30 55")
lmp.stop()

-- More of them than are remembered by their code, loaded again and again at all addresses; and one that only
-- looks like them: its source is called "=?".
lmp.start({ summary = false })
local dumped = {}
for i = 1, 400 do
  dumped[i] = string.dump(load("return {" .. ("{},"):rep(i) .. "}"), true)
end
for round = 1, 5 do
  for i = 1, #dumped do
    load(dumped[i], "dump", "b")()
  end
  if round % 2 == 0 then collectgarbage() end
end
for _ = 1, 7 do
  load("local a = {}\nlocal b = {}", "=?")()
end
local by_count, lines = {}, {}
for _, site in ipairs(lmp.stats({ sites = true }).sites) do
  local tables = site.types.table and site.types.table.tag_allocs or 0
  if site.source:sub(1, 3) == "=?#" and tables > 0 then by_count[tables] = (by_count[tables] or 0) + 1 end
  if tables == 7 and site.source:find("=?", 1, true) then lines[#lines + 1] = site.line end
end
table.sort(lines)
same("lines of a chunk that is called ?", table.concat(lines, " "), "1 2")
for i = 1, #dumped do
  same("functions of " .. i + 1 .. " tables, five times", by_count[5 * (i + 1)], 1)
end
lmp.stop()

-- ---- more threads than are remembered: those from before start, the main one too, stay known ------

local early = {}
for i = 1, 20 do
  early[i] = coroutine.wrap(function() while true do coroutine.yield(("x"):rep(60 + i)) end end)
  early[i]()
end
lmp.start({ summary = false })
for i = 1, 20 do early[i]() end
local all = {}
for i = 1, 3000 do
  all[i] = coroutine.create(function()
    local _ = {}
    coroutine.yield()
  end)
  coroutine.resume(all[i])
  local _ = ("x"):rep(50 + i % 7) -- the main thread asks, which did not run last
  early[i % 20 + 1]()
end
same("requests that nothing explains", lmp.stats().lines_unproven, 0)
lmp.stop()

-- ---- long sources at the same address -----------------------------------------------------------

lmp.start({ summary = false })
local rest = ("x"):rep(5000)
for i = 1, 300 do
  load(("local t = {} -- %06d %s"):format(i, rest))()
  if i % 10 == 0 then collectgarbage() end
end
local seen = 0
for _, site in ipairs(lmp.stats({ sites = true }).sites) do
  local i = site.source:match("^local t = {} %-%- (%d+) x")
  if i then
    seen = seen + 1
    same("tables of source " .. i, site.types.table.tag_allocs, 1)
  end
end
same("long sources", seen, 300)
lmp.stop()

-- ---- the same function under several sources at once, one of them from before start ---------------

local early = load("local function f() return {} end\nreturn f -- early " .. rest)
lmp.start({ summary = false })
local late = load("local function f() return {} end\nreturn f -- later " .. rest)
local f, g = early(), late()
for _ = 1, 7 do
  f()
  g()
end
early, f = nil, nil
collectgarbage()
local fresh = load("local function f() return {} end\nreturn f -- fresh " .. rest)() -- perhaps there
for _ = 1, 5 do
  fresh()
end
local by = {}
for _, site in ipairs(lmp.stats({ sites = true }).sites) do
  local which = site.source:match("return f %-%- (%a+) x")
  if which and site.line == 1 then by[which] = site.types.table.tag_allocs end
end
same("from before start", by.early, 7)
same("later", by.later, 7)
same("fresh", by.fresh, 5)
lmp.stop()

-- ---- more lines than caches have room for -------------------------------------------------------

for _, options in ipairs({ {}, { stacks = true } }) do
  options.summary = false
  lmp.start(options)
  local lines = { "local _ return function()" }
  for i = 2, 20001 do
    lines[i] = i % 150 == 0 and "end, function()" or "_ = {}"
  end
  lines[#lines + 1] = "end"
  local all = table.pack(load(table.concat(lines, "\n"), "=many")())
  for _ = 1, 2 do
    for i = 1, all.n do
      all[i]()
    end
  end
  local found = sites()
  for i = 2, 20001 do
    same("tables of line " .. i, tables_at(found, "=many:" .. i), i % 150 == 0 and 0 or 2)
  end
  lmp.stop()
end

-- ---- code that dies -----------------------------------------------------------------------------

lmp.start({ summary = false })
for i = 1, 400 do
  local chunk = load(("\n"):rep(i) .. "local a = {}\nreturn function() return { a } end", "=dies")
  chunk()()
  if i % 7 == 0 then collectgarbage() end
end
local found = sites()
same("first line of the last", tables_at(found, "=dies:401"), 2)
for i = 2, 400 do
  same("tables of line " .. i + 1, tables_at(found, "=dies:" .. i + 1), 2)
end
same("the second of the last", tables_at(found, "=dies:402"), 1)
same("the first of all", tables_at(found, "=dies:2"), 1)
lmp.stop()
print("shapes: all right")
