-- lmp.snapshot in a stock interpreter: what it gives and refuses, that files are whole, that nothing
-- is counted that it makes itself, and that the figures are right when the program allocates while
-- snapshots are written, in a loop.
local lmp = require("luamemprofiler")
local raises = require("expect").raises
local name = os.tmpname()
local function whole(path)
  local file = assert(io.open(path, "rb"))
  local head = file:read(8)
  file:close()
  assert(head == "LMPPHEAP", "no snapshot in " .. path)
end

raises("not running", lmp.snapshot)
lmp.start({ summary = false })
raises("the name of a file expected", lmp.snapshot, "")
raises("the name of a file expected", lmp.snapshot, "a\0b")
raises("table expected", lmp.snapshot, name, 1)
raises("option 'gc' must be a boolean, got number", lmp.snapshot, name, { gc = 1 })
raises("unknown option 'colect'; there are: gc, wait", lmp.snapshot, name, { colect = true })

local keep = {}
for i = 1, 20000 do
  keep[i] = { i, "string " .. i }
end
local file, s = lmp.snapshot(name, { gc = true, wait = true })
assert(file == name and math.type(s.objects) == "integer", s)
assert(s.number == 1 and s.objects > 40000 and s.live_bytes > 1000000 and s.file_bytes > 100000)
assert(s.stop > 0 and s.stop < 5 and s.walk > 0)
whole(name)

-- Nothing of its own is counted.
collectgarbage()
collectgarbage("stop")
local before = lmp.stats().mallocs
file, s = lmp.snapshot(name)
assert(file == name and s.number == 2 and not s.objects)
local allocs = lmp.stats().mallocs
assert(allocs == before, allocs - before)

-- One at a time.
local none, message, code = lmp.snapshot(name)
assert(none == nil and code == "BUSY" and message:find("another snapshot"), message)
collectgarbage("restart")

none, message, code = lmp.snapshot("/no/such/directory/x.heap", { wait = true })
while code == "BUSY" do
  for i = 1, 100 do keep[i] = { i } end
  none, message, code = lmp.snapshot("/no/such/directory/x.heap", { wait = true })
end
assert(none == nil and code == "FILE", code)
assert(message:find("/no/such/directory/x.heap: cannot write the file: No such file", 1, true), message)

none, message, code = lmp.snapshot(("y"):rep(5000), { wait = true })
assert(none == nil and code == "FILE" and message:find("File name too long", 1, true), message)

-- In a loop, while tables grow and die; in both of the collector's modes.
local taken = 0
for round = 1, 200000 do
  keep[round % 20000 + 1] = { round, { "string " .. round }, function() return round end }
  if round == 100000 then collectgarbage("generational") end
  if round % 500 == 0 and lmp.snapshot(name) then taken = taken + 1 end
end
assert(taken >= 3, taken)
while not lmp.snapshot(name, { wait = true, gc = true }) do
  for i = 1, 100 do keep[i] = { i } end
end
whole(name)
local last = lmp.stop()
local sum = 0
for _, type in pairs(last.types) do
  sum = sum + type.live_bytes
end
assert(sum == last.live_bytes and last.dropped == 0)
assert(last.mallocs - last.frees == last.live_blocks)
os.remove(name)
assert(not io.open(name .. ".part"))
