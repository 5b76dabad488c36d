-- lmp.measure in a stock interpreter: what a call makes, its peak and what it leaves, exactly; errors,
-- results and yields go through; nested and interleaved measures are each right, and the run's own peak
-- comes out as if there were none (random programs against a plain model; SEED=number repeats one).
local lmp = require("luamemprofiler")
local raises = require("expect").raises
local takes = require("takes")

local seed = tonumber(os.getenv("SEED") or "") or 4711
if os.getenv("SEED") == "clock" then
  seed = os.time()
end
print("SEED=" .. seed)

local function not_running()
  raises("call start first", lmp.stats)
end

local function site_of(m, line)
  for _, s in ipairs(m.sites) do
    if s.line == line and s.short_src:find("measure.lua", 1, true) then
      return s
    end
  end
end

local function all_figures(m)
  local allocs, bytes, held, blocks = 0, 0, 0, 0
  for _, name in ipairs({ "string", "function", "userdata", "thread", "table", "other" }) do
    local t = m.types[name]
    allocs, bytes, held, blocks = allocs + t.allocs, bytes + t.bytes, held + t.held_bytes, blocks + t.held_blocks
  end
  assert(allocs == m.allocs, "allocations by type")
  assert(bytes >= m.bytes, "bytes by type") -- a type that has shrunk made nothing
  assert(held == m.held_bytes and blocks == m.held_blocks, "held by type")
end

-- ---- what is told, with and without a profile ---------------------------------------------------

local kept = {}
local function cases()
  local m = lmp.measure(function() end)
  assert(m.allocs == 0 and m.bytes == 0 and m.peak_bytes == 0 and m.held_bytes == 0 and #m.sites == 0)

  local made = function()
    local t = {}
    return t
  end
  local line = debug.getinfo(made, "S").linedefined + 1
  local value
  m, value = lmp.measure(made)
  assert(m.allocs == 1 and m.bytes == takes.table and m.peak_bytes == takes.table, "a table")
  assert(m.held_bytes == takes.table and m.held_blocks == 1, "its result holds it")
  assert(m.types.table.allocs == 1 and m.types.table.held_bytes == takes.table and m.types.string.allocs == 0)
  assert(type(value) == "table")
  local s = assert(site_of(m, line), "no line")
  assert(s.allocs == 1 and s.bytes == takes.table and s.held_bytes == takes.table and s.held_blocks == 1)
  assert(s.func:find("function", 1, true) and s.source:sub(1, 1) == "@")
  all_figures(m)

  m = lmp.measure(function()
    made()
  end)
  assert(m.types.table.allocs == 1 and m.held_bytes == 0 and m.held_blocks == 0, "nobody holds it")
  assert(m.allocs == 1 + m.types.thread.allocs, "a frame of the interpreter, at most")

  kept[1], kept[2] = {}, {}
  collectgarbage()
  m = lmp.measure(function()
    kept[1], kept[2] = nil, nil
  end)
  local known = pcall(lmp.stats) and 2 or 0 -- what was there before the profile is not in its figures
  assert(m.held_bytes == -takes.table * known and m.held_blocks == -known, "it lets go of what was there")
  assert(m.allocs == 0)

  m = lmp.measure(function() -- the peak is in the middle
    local t = {}
    for i = 1, 1000 do
      t[i] = {}
    end
    t = nil -- luacheck: ignore
    collectgarbage()
    t = {}
    return t
  end)
  assert(m.peak_bytes >= 1000 * takes.table and m.peak_bytes < 117000 and m.held_bytes == takes.table, m.peak_bytes)
  assert(m.frees >= 1001 and m.allocs >= 1002)
  assert(m.reallocs + m.frees >= 1011, "an array that grows is resized, or another one takes its place")
  all_figures(m)

  m = lmp.measure(function() -- what finalizers hold on to for a cycle is not held
    for _ = 1, 10 do
      setmetatable({}, { __gc = function() end })
    end
  end)
  assert(m.held_bytes == 0 and m.held_blocks == 0, "finalizers")

  m = lmp.measure(function() -- nor what the interpreter keeps for itself: its table of strings, its stack
    local t = {}
    for i = 1, 3000 do
      t[i] = "a string of its own " .. i
    end
    local function deep(n)
      return n == 0 and 0 or 1 + deep(n - 1)
    end
    pcall(deep, 5000) -- Lua 5.4.0 and 5.4.1 stop at some 2,000
  end)
  assert(m.held_bytes == 0 and m.held_blocks == 0, "held: " .. m.held_bytes)

  -- results and arguments, nils and all
  local r = table.pack(lmp.measure(function(...)
    return nil, select("#", ...), ...
  end, nil, 1, nil))
  assert(r.n == 6 and type(r[1]) == "table" and r[2] == nil and r[3] == 3 and r[4] == nil and r[5] == 1 and r[6] == nil)
  r = table.pack(lmp.measure(function() end))
  assert(r.n == 1)
  r = table.pack(lmp.measure(setmetatable({}, {
    __call = function(self, x)
      return type(self), x
    end,
  }), 7))
  assert(r.n == 3 and r[2] == "table" and r[3] == 7)
  r = table.pack(lmp.measure(table.unpack, {}, 1, 200))
  assert(r.n == 201)

  -- errors: the very value, and the traceback of where it was raised
  local problem = {}
  local ok, got = pcall(lmp.measure, error, problem)
  assert(not ok and got == problem)
  ok, got = pcall(lmp.measure, error)
  assert(not ok and got == select(2, pcall(error)))
  ok, got = xpcall(lmp.measure, debug.traceback, function()
    local function inner_most()
      error("oops")
    end
    inner_most()
  end)
  assert(not ok and got:find("oops", 1, true) and got:find("inner_most", 1, true), got)
  raises("bad argument #1 to 'luamemprofiler.measure' (function expected, got number)", lmp.measure, 12)
  raises("bad argument #1 to 'luamemprofiler.measure'", lmp.measure)

  -- nested
  local inner
  m = lmp.measure(function()
    local a = {}
    inner = lmp.measure(function()
      local b = { {}, {} }
      return b
    end)
    return a
  end)
  local b_bytes = takes.of(function() return { {}, {} } end)
  assert(inner.allocs == 4 and inner.peak_bytes == inner.bytes and inner.bytes == b_bytes)
  assert(m.types.table.allocs == 5 and m.types["function"].allocs == 1, "lmp's own tables are in no figure")
  assert(m.allocs == 6 + m.types.thread.allocs and m.types.string.allocs == 0, m.allocs)
  local most = takes.table + 32 + b_bytes -- a, the function, b
  assert(m.peak_bytes >= most and m.peak_bytes <= most + m.types.thread.bytes + 8192)
  ok = pcall(lmp.measure, function() -- an inner error ends the inner one alone
    assert(not pcall(lmp.measure, error))
    local t = {}
    error(t)
  end)
  assert(not ok)

  -- in coroutines, across yields
  local co = coroutine.wrap(function(...)
    local x, y = lmp.measure(function(a)
      local t = {}
      local b = coroutine.yield(a)
      return t, b
    end, ...)
    coroutine.yield(x, y)
    return lmp.measure(error, problem)
  end)
  assert(co(1) == 1)
  for i = 1, 10 do -- all that the state makes in that time
    kept[i] = {}
  end
  m, value = co(2)
  assert(m.allocs >= 11 and m.held_blocks >= 11 and type(value) == "table")
  ok, got = pcall(co)
  assert(not ok and got == problem)
  co = coroutine.create(function() -- one that is never resumed, and closed
    lmp.measure(coroutine.yield)
  end)
  coroutine.resume(co)
  assert(coroutine.close(co))
  coroutine.wrap(function() -- or collected
    lmp.measure(coroutine.yield)
  end)()
  collectgarbage()
  collectgarbage()
end

cases()
not_running() -- it has started a profile each time, and stopped it
for _, options in ipairs({ {}, { lines = false }, { stacks = true } }) do
  options.summary = false
  if options.lines == false then -- without lines there are no sites
    lmp.start(options)
    local m = lmp.measure(function()
      return {}
    end)
    assert(m.allocs == 1 and m.held_bytes == takes.table and #m.sites == 0)
  else
    lmp.start(options)
    cases()
  end
  local before = lmp.stats()
  lmp.measure(rawequal, 1, 1)
  local after = lmp.stats()
  for _, name in ipairs({ "table", "string", "userdata", "function", "other" }) do
    assert(after.types[name].allocs == before.types[name].allocs, "lmp.measure is in the figures: " .. name)
  end
  lmp.stop()
end

-- a profile that ends in between: the results come, and no figures
lmp.start({ summary = false })
local r = table.pack(lmp.measure(function()
  lmp.stop()
  return 1, nil
end))
assert(r.n == 3 and r[1] == nil and r[2] == 1)
r = table.pack(lmp.measure(function()
  lmp.stop()
  lmp.start({ summary = false })
  return 2
end))
assert(r.n == 2 and r[1] == nil and r[2] == 2)
lmp.stats() -- the second one is still there
lmp.stop()
raises("call stop first", lmp.measure, function()
  lmp.start()
end)
not_running()

-- ---- random programs against a plain model -------------------------------------------------------

local function sums(stats)
  local by_site, by_type = 0, 0
  for _, s in ipairs(stats.sites) do
    by_site = by_site + s.peak_live_bytes
  end
  for _, t in pairs(stats.types) do
    by_type = by_type + t.peak_bytes
  end
  assert(by_type == stats.peak_bytes, "the peak by type: " .. by_type .. ", not " .. stats.peak_bytes)
  if stats.lines ~= "off" and not stats.sample then
    assert(by_site == stats.peak_bytes, "the peak by site: " .. by_site .. ", not " .. stats.peak_bytes)
  end
end

local function random_program(options)
  collectgarbage()
  collectgarbage("stop")
  lmp.start(options)
  local open, most = {}, 0 -- measures that run: the most that was there in each; the run's
  local held, checked, exact = {}, 0, 0

  local function look() -- the plain model: before and after everything that happens
    local live = lmp.stats().live_bytes
    if live > most then
      most = live
    end
    for m in pairs(open) do
      if m.runs and live > m.most then
        m.most = live
      end
    end
  end

  local function act(depth)
    for _ = 1, math.random(1, 6) do
      local what = math.random(8)
      look()
      if what <= 3 then
        local t = {}
        for i = 1, math.random(0, 60) do
          t[i] = {}
        end
        held[math.random(20)] = t
      elseif what == 4 then
        held[math.random(20)] = nil
      elseif what == 5 then
        for i = 1, 20 do
          held[i] = nil
        end
        collectgarbage()
      elseif what == 6 then
        collectgarbage()
      elseif what == 7 and coroutine.isyieldable() then
        coroutine.yield()
      elseif depth < 4 then
        local mine = { most = 0, start = 0, runs = false }
        local fails = math.random(10) == 1
        local function inner() -- made, and entered in the table, before the last look: nothing grows unseen
          mine.runs = true
          look()
          mine.start = mine.most
          act(depth + 1)
          look()
          mine.runs = false
          if fails then
            error("random", 0)
          end
        end
        open[mine] = true
        look()
        local ok, m = pcall(lmp.measure, inner)
        open[mine] = nil
        assert(ok == not fails, m)
        if ok then
          local model = mine.most - mine.start
          local off = m.peak_bytes - model
          -- stacks and frames of the interpreter grow and shrink where nobody looks
          assert(off >= 0 and off <= 16384, ("peak %d, the model has %d"):format(m.peak_bytes, model))
          checked, exact = checked + 1, exact + (off == 0 and 1 or 0)
        end
      end
      look()
    end
  end

  local threads = {}
  for _ = 1, 60 do
    if math.random(3) == 1 then
      act(0)
    else
      local i = math.random(4)
      threads[i] = threads[i] or coroutine.create(act)
      local ok, problem = coroutine.resume(threads[i], 0)
      assert(ok, problem)
      if coroutine.status(threads[i]) == "dead" or math.random(8) == 1 then
        coroutine.close(threads[i])
        threads[i] = nil
      end
    end
    look() -- whose call may grow the stack: so before the figures are asked for
    local stats = lmp.stats({ sites = true })
    assert(stats.peak_bytes >= most and stats.peak_bytes - most <= 16384,
      ("the run's peak: %d, the model has %d"):format(stats.peak_bytes, most))
    sums(stats)
  end
  local last = lmp.stop({ sites = true })
  sums(last)
  collectgarbage("restart")
  return checked, exact
end

math.randomseed(seed)
local checked, exact = 0, 0
for round = 1, 12 do
  local options = ({ {}, { lines = false }, { stacks = true }, { sample = 4096 } })[round % 4 + 1]
  options.summary = false
  local more, as_said = random_program(options)
  checked, exact = checked + more, exact + as_said
end
print(checked .. " measures were compared, " .. exact .. " are to the byte")
assert(checked > 200 and exact > checked // 3) -- up to Lua 5.4.2 frames come and go more often
print("ok")
