-- lmp.frame in a stock interpreter: bytes and allocations of each frame are those of stats(), it makes
-- nothing itself, any coroutine may call it, and without a profile it does nothing.
local lmp = require("luamemprofiler")
local raises = require("expect").raises
local takes = require("takes")

local function does_nothing()
  local results = table.pack(lmp.frame("x"))
  assert(results.n == 1 and results[1] == nil)
  assert(lmp.frame() == nil and lmp.frame(nil) == nil)
end
does_nothing()
for _, bad in ipairs({ 12, true, {}, print }) do -- also where nothing runs: a mistake shows at once
  raises("bad argument #1 to 'luamemprofiler.frame' (string expected, got " .. type(bad) .. ")", lmp.frame, bad)
end

local function made(s)
  return s.malloc_bytes + math.max(s.realloc_bytes, 0)
end

for _, options in ipairs({ {}, { lines = false }, { stacks = true }, { sample = 65536 } }) do
  options.summary = false
  lmp.start(options)
  collectgarbage("stop") -- its steps free, and stacks and tables of strings may shrink
  local start = {}
  for i = 1, 5000 do -- what comes before the first call is in no frame
    start[i] = { i }
  end
  assert(lmp.frame("the first") == nil, "the first call only begins")
  assert(lmp.stats().frames == 0 and #lmp.stats().worst_frames == 0)
  local before = lmp.stats()
  for i = 1, 1000 do
    local bytes, allocs = lmp.frame("a name")
    assert(bytes == 0 and allocs == 0, i)
  end
  assert(lmp.stats().mallocs == before.mallocs, "lmp.frame makes something")
  assert(lmp.stats().frames == 1000 and #lmp.stats().worst_frames == 0, "nothing is no worst frame")

  local list, most, at = {}, 0, nil -- a frame makes what stats() says it does
  local sum, count = lmp.frame()
  assert(sum == takes.table and count == 1, "a table")
  local was = lmp.stats()
  for i = 1, 300 do
    for k = 1, i % 37 do
      list = { list, ("x"):rep(k * i % 1000) } -- longer ones make Lua 5.5 collect, stopped or not
    end
    local bytes, allocs = lmp.frame(i % 2 == 0 and "even" or nil)
    local now = lmp.stats()
    assert(allocs == now.mallocs - was.mallocs, i)
    assert(bytes == made(now) - made(was), i .. ": " .. bytes .. ", not " .. made(now) - made(was))
    assert(now.frame_last_bytes == bytes and now.frames == 1001 + i)
    if bytes > most then
      most, at = bytes, i
    end
    sum, count, was = sum + bytes, count + allocs, now
  end
  local s = lmp.stats()
  assert(s.frames == 1301 and s.frame_bytes == sum and s.frame_allocs == count)
  assert(s.frame_mean_bytes == sum // 1301 and s.frame_median_bytes == 0)
  assert(s.frame_p99_bytes <= most and s.frame_p99_bytes > most / 2)
  assert(s.frame_seconds > 0 and s.frame_seconds <= s.seconds)
  assert(#s.worst_frames == 16)
  for i, worst in ipairs(s.worst_frames) do
    local name = nil
    if (worst.number - 1001) % 2 == 0 then name = "even" end
    assert(worst.name == name and worst.gc_cycles == 0)
    assert(i == 1 or worst.bytes <= s.worst_frames[i - 1].bytes)
    assert(worst.allocs > 0 and worst.seconds >= 0 and worst.at + worst.seconds <= s.seconds)
  end
  assert(s.worst_frames[1].bytes == most and s.worst_frames[1].number == 1001 + at)

  collectgarbage("restart") -- in a coroutine, with a collection and a name that is too long
  lmp.frame()
  coroutine.wrap(function()
    list = ("y"):rep(1 << 20)
    collectgarbage()
    lmp.frame(("z"):rep(100))
  end)()
  local worst = lmp.stats().worst_frames[1]
  assert(worst.bytes > 1 << 20 and worst.gc_cycles >= 1 and worst.name == ("z"):rep(39))

  local last = lmp.stop()
  assert(last.frames == 1303 and last.worst_frames[1].bytes == worst.bytes)
  does_nothing()
  list, start = nil, nil
end

lmp.start({ summary = false }) -- each start begins from zero
local s = lmp.stats()
assert(s.frames == 0 and s.frame_mean_bytes == 0 and #s.worst_frames == 0)
assert(lmp.frame() == nil)
lmp.stop()
print("ok")
