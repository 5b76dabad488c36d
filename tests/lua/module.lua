-- The module in a stock interpreter, as a user's script has it: what start, stop, stats and mark
-- give, that the columns of stats() add up, and that misuse is told in words. The figures
-- themselves are compared in tests/truth.
local lmp = require("luamemprofiler")
local raises = require("expect").raises
local kinds = { "string", "function", "userdata", "thread", "table", "other" }

local function adds_up(s)
  local sum = { allocs = 0, live_blocks = 0, live_bytes = 0, tag_allocs = 0, tag_live_bytes = 0 }
  for _, kind in ipairs(kinds) do
    for field in pairs(sum) do
      sum[field] = sum[field] + assert(math.tointeger(s.types[kind][field]), kind .. "." .. field)
    end
  end
  assert(sum.allocs == s.mallocs and sum.tag_allocs == s.mallocs)
  assert(sum.live_bytes == s.live_bytes and sum.tag_live_bytes == s.live_bytes)
  assert(sum.live_blocks == s.live_blocks and s.mallocs - s.frees == s.live_blocks)
  assert(s.malloc_bytes + s.realloc_bytes - s.free_bytes == s.live_bytes)
  assert(s.peak_bytes >= s.live_bytes and s.seconds >= 0 and s.failed == 0 and s.dropped == 0)
end

assert(lmp._VERSION:match("^%d+%.%d+%.%d+$"))
raises("not running", lmp.stop)
raises("not running", lmp.stats)
assert(select("#", lmp.mark("no profile")) == 0)
raises("not running", lmp.stats, { sites = true })
raises("not running", lmp.stop, { sites = true })

-- Misuse of the options names the key and what was expected, and starts nothing.
raises("unknown option 'foo'", lmp.start, { foo = 1 })
raises("(one table has all options", lmp.start, true, { hold = false })
raises("option 'fps' must be a number from 0.1 to 60, got -1", lmp.start, { fps = -1 })
raises("option 'live' must be a boolean", lmp.start, { live = "yes" })
raises("option 'summary' must be a boolean or the name of a file", lmp.start, { summary = {} })
raises("option 'record' must be a boolean or the name of a file, got 1", lmp.start, { record = 1 })
raises("option 'name' must be a string", lmp.start, { name = "" })
raises("option 'hold' must be a boolean", lmp.start, { hold = 0 })
raises("option 'lines' must be a boolean, got 1", lmp.start, { lines = 1 })
raises("option 'stacks' must be a boolean, got 'yes'", lmp.start, { stacks = "yes" })
for _, bad in ipairs({ 1023, -1, 0.5, 2 ^ 41, 0 / 0, "", "12", "1.0", "512 KiBs", "2TiB", true, {} }) do
  raises("option 'sample' must be a size from 1024 bytes on (524288, '512KiB') or false, got",
    lmp.start, { sample = bad })
end
for _, bad in ipairs({ -1, 1001, 0.5, "10", true }) do
  raises("option 'top' must be an integer from 0 to 1000, got", lmp.start, { top = bad })
end
raises("option 'stacks' needs lines", lmp.start, { stacks = true, lines = false })
raises("option 'sample' needs lines", lmp.start, { sample = "1MiB", lines = false })
raises("boolean, number or table expected", lmp.start, "live")
for _, bad in ipairs({ "", "a\0b" }) do
  raises("a name that is not empty expected", lmp.tag, bad)
end
raises("not running", lmp.stats)

for round = 1, 20 do
  assert(lmp.start({ summary = false, name = "round " .. round }) == true)
  raises("already running", lmp.start)
  local box = { {} } -- what is kept, until it is let go
  local keep = box[1]
  for i = 1, 1000 do
    keep[i] = { round .. ":" .. i, x = i }
  end
  coroutine.wrap(function() lmp.mark("in a coroutine") end)()
  collectgarbage("stop") -- else a step in the second call may free something
  lmp.stats() -- the interpreter's frame for what it calls
  local before = lmp.stats()
  local after = lmp.stats()
  collectgarbage("restart")
  for _, field in ipairs({ "mallocs", "malloc_bytes", "live_blocks", "live_bytes" }) do
    assert(before[field] == after[field], field .. ": a result of stats() is in the next one")
  end
  adds_up(after)
  assert(after.types.table.live_bytes > after.types.table.tag_live_bytes, "parts belong to tables")
  assert(after.types.table.allocs >= 3000 and after.types.string.live_blocks >= 1000)
  box[1], keep = nil, #keep
  assert(keep == 1000)
  collectgarbage()
  local freed = lmp.stats()
  adds_up(freed)
  assert(freed.live_bytes < after.live_bytes and freed.peak_bytes >= after.live_bytes)
  assert(freed.gc_cycles > 0)
  local last = lmp.stop()
  adds_up(last)
  assert(last.frees >= freed.frees)
end

-- Collections are counted, and what they freed, in both modes: here all are asked for.
for _, mode in ipairs({ "incremental", "generational" }) do
  local old = collectgarbage(mode)
  lmp.start({ summary = false })
  collectgarbage("stop")
  local first = lmp.stats()
  for _ = 1, 10 do
    for i = 1, 100 do
      local _ = { i }
    end
    collectgarbage()
  end
  local last = lmp.stop()
  assert(last.gc_cycles - first.gc_cycles == 10, last.gc_cycles .. " cycles, " .. mode)
  assert(last.gc_freed_bytes == last.free_bytes, "all that was freed, the collector has freed")
  collectgarbage("restart")
  collectgarbage(old)
end

-- A summary in a file, and a file that cannot be written: one line, and the program runs on.
local name = os.tmpname()
lmp.start({ summary = name, name = "a name of its own" })
local t = {}
for i = 1, 100 do
  t[i] = {}
end
lmp.stop()
assert(#t == 100)
local file <close> = assert(io.open(name))
local text = file:read("a")
os.remove(name)
assert(text:find("Memory of a name of its own", 1, true) and text:find("Number of mallocs"))
print("ok")
