-- What lmp report writes of one heap, in all formats, must speak of the same bytes and objects.
--   lua heaps.lua BASE      BASE.csv, BASE.json and so on, as heaps writes them
local base = ...

local function text(format)
  local file = assert(io.open(base .. "." .. format, "rb"))
  local all = file:read "a"
  file:close()
  assert(#all > 0, format .. " is empty")
  return all
end

local function same(what, is, want)
  if is ~= want then error(("%s: %s is %s, not %s"):format(base, what, is, want), 0) end
end

local json = text "json"
local function figure(name) return math.tointeger(assert(json:match('"' .. name .. '":(%d+)'), name)) end
local live, reachable, objects = figure "live_bytes", figure "reachable_bytes", figure "objects"
assert(live > 500000 and objects > 5000, "a real program has more than that")
same("reachable and garbage", reachable + figure "garbage_bytes", live)

-- Fields may be quoted, and have anything in them.
local column, rows, sum, garbage = {}, 0, 0, 0
local function field(line, at)
  if line:byte(at) ~= 34 then return line:match("^([^,\n]*)()", at) end
  local from = at + 1
  repeat
    at = assert(line:find('"', at + 1, true))
    local doubled = line:byte(at + 1) == 34
    if doubled then at = at + 1 end
  until not doubled
  return line:sub(from, at - 1), at + 1
end
local csv, at, first = text "csv", 1, true
while at <= #csv do
  local row, value = {}
  repeat
    value, at = field(csv, at)
    row[#row + 1] = value
    local separator = csv:byte(at)
    at = at + 1
  until separator ~= 44
  if first then
    for i, name in ipairs(row) do column[name] = i end
  else
    rows = rows + 1
    sum = sum + row[column.bytes]
    if row[column.distance] == "" then garbage = garbage + row[column.bytes] end
  end
  first = false
end
same("bytes of the CSV", sum, live)
same("garbage of the CSV", garbage, figure "garbage_bytes")
same("rows of the CSV", rows, objects)

local chrome, own, nodes = text "heapsnapshot", 0, 0
for size in assert(chrome:match '"nodes":%[(.-)%]'):gmatch "%d+,%d+,%d+,(%d+),%d+,%d+,%d+" do
  own, nodes = own + size, nodes + 1
end
same("bytes of the heapsnapshot", own, live)
same("nodes of the heapsnapshot", nodes, math.tointeger(chrome:match '"node_count":(%d+)'))

local held = 0
for line in text("holders"):gmatch "[^\n]+" do held = held + assert(line:match " (%d+)$", line) end
same("bytes by holders", held, reachable)

for _, page in ipairs { "treemap", "icicle" } do
  same(page, math.tointeger(text(page):match '"live":(%d+)'), live)
end
assert(text("summary"):find("What holds most", 1, true), "a summary")
assert(text("dot"):find "^digraph")
print(("%s: %d objects, %d bytes, in all formats"):format(base:match "[^/]*$", objects, live))
