-- lmp.measure_growth in a stock interpreter: small and large leaks are found and counted, what fills up or
-- comes once is none; then random programs of both kinds, and how often it is wrong (SEED=number, ROUNDS=n).
local lmp = require("luamemprofiler")
local takes = require("takes")

local seed = tonumber(os.getenv("SEED") or "") or 4711
if os.getenv("SEED") == "clock" then
  seed = os.time()
end
print("SEED=" .. seed)
math.randomseed(seed)

local function of(f, ...)
  collectgarbage()
  return assert(lmp.measure_growth(f, ...))
end

local function show(name, g)
  local rounds = {}
  for i, r in ipairs(g.rounds) do
    rounds[i] = ("%d B, %d"):format(r.bytes, r.blocks)
  end
  return ("%s: %s, %.1f B and %.2f blocks a call (%s)"):format(name, g.verdict, g.bytes_per_call, g.blocks_per_call,
    table.concat(rounds, "; "))
end

-- ---- leaks ---------------------------------------------------------------------------------------

local function leaks()
  return {
    table = { function()
      local held = {}
      return function()
        held[#held + 1] = {}
      end
    end, 1 },
    number = { function() -- 16 bytes, in the steps in which the array doubles
      local held = {}
      return function()
        held[#held + 1] = 1
      end
    end, 0 },
    keys = { function()
      local held, n = {}, 0
      return function()
        n = n + 0.5
        held[n] = true
      end
    end, 0 },
    string = { function()
      local held, n = {}, 0
      return function()
        n = n + 1
        held["key " .. n] = true
      end
    end, 1 },
    longer = { function() -- no block more: a string that gets longer
      local s = ""
      return function()
        s = s .. "12345678901234567890123456789012345678901234567890"
      end
    end, 0 },
    closures = { function()
      local last
      return function()
        local before = last
        last = function()
          return before
        end
      end
    end, nil },
    threads = { function()
      local held = {}
      return function()
        local co = coroutine.create(function()
          coroutine.yield()
        end)
        coroutine.resume(co)
        held[co] = true
      end
    end, nil },
    beside_garbage = { function()
      local held = {}
      return function()
        local t = {}
        for i = 1, 500 do
          t[i] = { i, "x" .. i }
        end
        held[#held + 1] = t[250]
      end
    end, nil },
    among_a_cache = { function()
      local cache, held, n = {}, {}, 0
      return function()
        n = n + 1
        cache[n % 5] = { n }
        held[n] = { n }
      end
    end, nil },
  }
end

for name, leak in pairs(leaks()) do
  local g = of(leak[1]())
  assert(g.verdict == "leak", show(name, g))
  assert(g.bytes_per_call > 0 and #g.rounds == 8 and g.rounds[8].calls == 256 and g.calls == 511)
  assert(g.words:match "^a leak: [%d.]+ B and [%d.]+ blocks a call, over 511 calls$", g.words)
  assert(not leak[2] or math.abs(g.blocks_per_call - leak[2]) < 0.01, show(name, g))
  assert(#g.sites > 0 and g.sites[1].short_src:find("growth.lua", 1, true), show(name, g))
end
local one = of((function()
  local held = {}
  return function()
    held[#held + 1] = {}
  end
end)())
assert(math.abs(one.bytes_per_call - takes.table - takes.slot) < 0.5 and one.sites[1].blocks_per_call == 1)

-- A leak in some of the calls alone, and what only few calls can tell.
for every = 2, 4 do
  local held, n = {}, 0
  local g = of(function()
    n = n + 1
    if n % every == 0 then
      held[#held + 1] = {}
    end
  end)
  assert(g.verdict == "leak", show("every " .. every, g))
  assert(math.abs(g.blocks_per_call - 1 / every) < 0.02, show("every " .. every, g))
end
for before = 0, 24, 3 do -- numbers in a table that has some: it doubles in some rounds
  local held, n = {}, before
  for i = 1, before do
    held[i + 0.5] = true
  end
  local g = of(function()
    n = n + 1
    held[n + 0.5] = true
  end)
  assert(g.verdict == "leak", show("behind " .. before, g))
end
do -- a leak of one table behind a cache of many, which is full in the eighth call
  local held, cache, n = {}, {}, 0
  local g = of(function()
    n = n + 1
    held[n] = {}
    for i = 1, n <= 8 and 10 or 0 do
      cache[#cache + 1] = { i }
    end
  end)
  assert(g.verdict == "leak" and math.abs(g.blocks_per_call - 1) < 0.02, show("behind a cache", g))
end

-- Caches of many entries: full, half full, and with more entries than there are calls.
local function cache_of(entries, pick)
  local cache, n = {}, 0
  return function()
    n = n + 1
    cache[pick and math.random(entries) or n % entries] = { n, "value " .. n }
  end
end
for _, entries in ipairs { 16, 20, 31, 32, 50, 63, 64, 100, 127, 128, 200, 255 } do
  for pick = 0, 1 do
    local g = of(cache_of(entries, pick == 1))
    assert(g.verdict == "none" or pick == 1 and entries > 60 and g.verdict == "unclear",
      show("a cache of " .. entries, g))
    assert(pick == 1 or g.words:match "^no leak: ", g.words)
    assert(entries > 32 or pick == 1 or g.calls <= 255, "more calls than are needed")
  end
end
local half = of(cache_of(400))
assert(half.verdict == "unclear" and #half.sites > 0, show("a cache of 400", half))
assert(half.words:match "^cannot tell yet after 511 calls: %d+ B came with the last 256 of them", half.words)
assert(of(cache_of(2000)).verdict == "leak", "what is not full cannot be told from a leak")
half = assert(lmp.measure_growth(8191, cache_of(2000)))
assert(half.verdict == "none" and half.calls <= 8191, show("a cache of 2000, with more calls", half))
half = assert(lmp.measure_growth(31, leaks().table[1]()))
assert(half.verdict == "leak" and half.calls == 31 and #half.rounds == 4)
half = assert(lmp.measure_growth(126, leaks().table[1]()))
assert(half.verdict == "leak" and half.calls == 63, "as many rounds as are whole")
for _, wrong in ipairs { 30, 0, -1, 2 ^ 40, 31.5 } do
  assert(not pcall(lmp.measure_growth, wrong, print))
end

-- ---- sound ---------------------------------------------------------------------------------------

local sound = {
  nothing = function()
    return function() end
  end,
  garbage = function()
    return function()
      local t = {}
      for i = 1, 1000 do
        t[i] = { "x" .. i }
      end
    end
  end,
  once = function()
    local made
    return function()
      made = made or { {}, {}, {} }
    end
  end,
  late = function() -- once, in the last round
    local made, n = nil, 0
    return function()
      n = n + 1
      if n == 400 or n == 30 then
        made = { {}, {}, {} }
      end
      return made
    end
  end,
  cache = function() -- of seven: full within the first rounds
    local cache, n = {}, 0
    return function()
      n = n + 1
      cache[n % 7] = { n, "value " .. n }
    end
  end,
  lru = function()
    local at, list, n = {}, {}, 0
    return function()
      n = n + 1
      local key = "page " .. math.random(10)
      if not at[key] then
        at[key] = { n }
        list[#list + 1] = key
        if #list > 6 then
          at[table.remove(list, 1)] = nil
        end
      end
    end
  end,
  weak = function()
    local cache, n = setmetatable({}, { __mode = "v" }), 0
    return function()
      n = n + 1
      cache[n % 9] = {}
    end
  end,
  pool = function() -- of coroutines
    local pool, n = {}, 0
    return function()
      n = n % 4 + 1
      pool[n] = pool[n] or coroutine.wrap(function()
        while true do
          coroutine.yield({})
        end
      end)
      pool[n]()
    end
  end,
  strings = function() -- new ones each time: the interpreter's table of them grows
    local n = 0
    return function()
      for _ = 1, 500 do
        n = n + 1
        local _ = "string number " .. n
      end
    end
  end,
  deep = function()
    local function down(n)
      return n == 0 and 0 or 1 + down(n - 1)
    end
    return function()
      down(math.random(2000))
    end
  end,
  finalizers = function()
    return function()
      setmetatable({}, { __gc = function() end })
    end
  end,
  in_and_out = function() -- as much as comes goes
    local queue, first, last = {}, 1, 0
    return function()
      for _ = 1, 5 do
        last = last + 1
        queue[last] = { last }
      end
      while last - first >= 5 do
        queue[first], first = nil, first + 1
      end
    end
  end,
}
for name, make in pairs(sound) do
  local g = of(make())
  assert(g.verdict ~= "leak", show(name, g))
  assert(g.verdict == "none" or name == "late", show(name, g))
  assert(g.verdict ~= "none" or #g.sites == 0)
end

-- ---- the call ------------------------------------------------------------------------------------

local calls, seen = 0, nil
local r = table.pack(lmp.measure_growth(function(...)
  calls, seen = calls + 1, table.pack(...)
  return {}, 1, 2
end, "a", nil, nil))
assert(r.n == 1 and calls == 31 and seen.n == 3 and seen[1] == "a")
assert(r[1].words:match "^no leak: ", r[1].words)
calls = 0
r = table.pack(lmp.measure_growth(1000, function(...)
  calls, seen = calls + 1, table.pack(...)
end, "a", nil, nil))
assert(r.n == 1 and calls == 31 and seen.n == 3 and seen[1] == "a", "the number is no argument")
calls = 0
local problem = {}
local ok, got = pcall(lmp.measure_growth, function()
  calls = calls + 1
  if calls == 9 then
    error(problem)
  end
end)
assert(not ok and got == problem and calls == 9)
local co = coroutine.wrap(function(...)
  local t = {}
  return lmp.measure_growth(40, function(x)
    t[#t + 1] = {}
    coroutine.yield(x)
  end, ...)
end)
for _ = 1, 31 do
  assert(co("x") == "x")
end
assert(co().verdict == "leak", "across yields")
ok, got = pcall(lmp.measure_growth, 100)
assert(not ok and got:find("value expected", 1, true), got)
ok, got = pcall(lmp.measure_growth, "12")
assert(not ok and got:find("function expected, got string", 1, true), got)
ok, got = pcall(lmp.measure_growth, 12, print)
assert(not ok and got:find("31 to 2097151 calls can be made", 1, true), got)
assert(not pcall(lmp.stats), "the profile that it started is over")
do -- Where no garbage is collected nothing can be told, whatever it is (before 5.4.4 there is some).
  local g
  setmetatable({}, { __gc = function()
    g = lmp.measure_growth(leaks().table[1]())
  end })
  collectgarbage()
  assert(g.verdict == "leak" or g.verdict == "unclear" and #g.rounds == 0 and #g.sites == 0
    and g.words == "cannot tell: within a finalizer no garbage is collected", g.words)
end
lmp.start({ summary = false, lines = false })
r = lmp.measure_growth(leaks().table[1]())
assert(r.verdict == "leak" and #r.sites == 0)
assert(lmp.measure_growth(lmp.stop) == nil)
lmp.start({ summary = false, stacks = true })
r = lmp.measure_growth(function() -- a measure in it
  local m = lmp.measure(function()
    return {}
  end)
  assert(m.held_bytes == takes.table)
end)
assert(r.verdict == "none", show("measure", r))
lmp.stop()

-- ---- random programs -----------------------------------------------------------------------------

-- Steps that leave nothing but for a while, and those that leave something each time or now and then.
local function sound_step()
  local kind, size = math.random(5), math.random(1, 12)
  local cache, n, some = {}, 0, nil
  return function()
    n = n + 1
    if kind == 1 then -- garbage
      local t = {}
      for i = 1, size * 20 do
        t[i] = { i }
      end
    elseif kind == 2 then -- a cache that fills up, in order
      cache[n % size] = { n }
    elseif kind == 3 then -- or by chance
      cache[math.random(size)] = { n, "v" .. n }
    elseif kind == 4 then -- what is there as much as it is not
      some = math.random(2) == 1 and { {}, {} } or nil
    else -- once
      cache.once = cache.once or { {}, size }
    end
    return some
  end
end
local function leaking_step()
  local held, every, n, size = {}, math.random(1, 2), 0, math.random(3)
  return function()
    n = n + 1
    if n % every == 0 then
      local t = {}
      for i = 1, size do
        t[i] = {}
      end
      held[#held + 1] = t
    end
  end
end
local function program(leaking)
  local steps = {}
  for i = 1, math.random(1, 4) do
    steps[i] = sound_step()
  end
  if leaking then
    steps[#steps + 1] = leaking_step()
  end
  return function()
    for i = 1, #steps do
      steps[i]()
    end
  end
end

local rounds = tonumber(os.getenv("ROUNDS") or "") or 150
local count = { [true] = { leak = 0, unclear = 0, none = 0 }, [false] = { leak = 0, unclear = 0, none = 0 } }
lmp.start({ summary = false })
for i = 1, rounds * 2 do
  local leaking = i % 2 == 0
  local g = lmp.measure_growth(program(leaking))
  count[leaking][g.verdict] = count[leaking][g.verdict] + 1
end
lmp.stop()
print(("of %d leaking programs %d leak, %d unclear, %d none; "
    .. "of as many sound ones %d leak, %d unclear, %d none"):format(
  rounds, count[true].leak, count[true].unclear, count[true].none, count[false].leak, count[false].unclear,
  count[false].none))
assert(count[true].leak >= rounds * 0.98, "leaks are missed")
assert(count[false].leak <= rounds * 0.01, "what is sound is taken for a leak")
print("ok")
