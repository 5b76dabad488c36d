-- Forty functions of which it is known whether each call leaves something behind for good: what the
-- assertions for tests and lmp.measure_growth must tell apart. Rows: name, does it leak, a maker of the function.
-- What a row needs is made before anything is measured.
local rows = {}

local function sound(name, make)
  rows[#rows + 1] = { name, false, make }
end
local function leaks(name, make)
  rows[#rows + 1] = { name, true, make }
end
local function filled(n) -- from before, with something in it
  local t = {}
  for i = 1, n do
    t[i] = { i }
  end
  return t
end
local function counter()
  local n = 0
  return function()
    n = n + 1
    return n
  end
end

sound("nothing", function() return function() end end)
sound("garbage", function() return function()
  local t = {}
  for i = 1, 300 do t[i] = { "x" .. i } end
end end)
sound("the last", function()
  local last
  return function() last = { 1, 2, 3, ("x"):rep(2000) } return last end
end)
sound("a ring of one", function()
  local ring, next = filled(1), counter()
  return function() ring[1] = { next() } end
end)
sound("a ring of 100", function()
  local ring, next = filled(100), counter()
  return function() ring[next() % 100 + 1] = { next() } end
end)
sound("cleared and filled again", function()
  local t = filled(50)
  return function()
    for k in pairs(t) do t[k] = nil end
    for i = 1, 50 do t[i] = { i } end
  end
end)
sound("other keys each time", function() -- the hash part is made anew now and then
  local t, next = {}, counter()
  return function()
    for k in pairs(t) do t[k] = nil end
    for _ = 1, 40 do t["key " .. next()] = true end
  end
end)
sound("a cache of 7", function()
  local cache, next = {}, counter()
  return function() local n = next() cache[n % 7] = { n, "value " .. n } end
end)
sound("a cache of 100", function()
  local cache, next = {}, counter()
  return function() local n = next() cache[n % 100] = { n, "value " .. n } end
end)
sound("once", function()
  local made
  return function() made = made or filled(1000) end
end)
sound("memoized, twenty arguments", function()
  local memo, next = {}, counter()
  return function()
    local n = next() % 20
    memo[n] = memo[n] or ("result "):rep(n)
    return memo[n]
  end
end)
sound("weak values", function()
  local cache, next = setmetatable({}, { __mode = "v" }), counter()
  return function() cache[next()] = {} end
end)
sound("weak keys", function()
  local of = setmetatable({}, { __mode = "k" })
  return function() local key = {} of[key] = { key } end
end)
sound("a queue", function()
  local queue, first, last = filled(20), 1, 20
  return function()
    for _ = 1, 9 do
      last = last + 1
      queue[last] = { last }
      queue[first], first = nil, first + 1
    end
  end
end)
sound("a pool of coroutines", function()
  local pool, next = {}, counter()
  local function deep(n) if n > 0 then return 1 + deep(n - 1) end coroutine.yield() return 0 end
  return function()
    local n = next() % 4
    pool[n] = pool[n] or coroutine.wrap(function() while true do deep(n * 20 + math.random(9)) end end)
    pool[n]()
  end
end)
sound("coroutines that end", function() return function()
  coroutine.wrap(function() local t = filled(10) coroutine.yield(t) end)()
end end)
sound("finalizers", function() return function()
  for _ = 1, 5 do setmetatable({}, { __gc = function(o) o.seen = {} end }) end
end end)
sound("in and out of the registry", function()
  local registry, next = debug.getregistry(), counter()
  return function()
    local key = "key " .. next()
    registry[key] = filled(5)
    registry[key] = nil
  end
end)
sound("a stack that goes up and down", function()
  local stack, next = filled(10), counter()
  return function()
    if next() % 2 == 0 then stack[#stack + 1] = { "more" } else stack[#stack] = nil end
  end
end)
sound("files that are closed", function() return function()
  local file = io.open("/dev/null")
  file:read("a")
  file:close()
end end)

leaks("a table each", function()
  local held = {}
  return function() held[#held + 1] = {} end
end)
leaks("behind a thousand from before", function()
  local held = filled(1000)
  return function() held[#held + 1] = {} end
end)
leaks("a number behind a thousand from before", function()
  local held = {}
  for i = 1, 1030 do held[i] = i end
  return function() held[#held + 1] = 1 end
end)
leaks("5000 numbers", function()
  local held = {}
  return function() for _ = 1, 5000 do held[#held + 1] = 1 end end
end)
leaks("a key", function()
  local held, next = {}, counter()
  return function() held[next() + 0.5] = true end
end)
leaks("strings kept", function()
  local held, next = {}, counter()
  return function() held["key " .. next()] = true end
end)
leaks("a string that gets longer", function()
  local s = ""
  return function() s = s .. ("x"):rep(100) end
end)
leaks("a closure of a closure", function()
  local last
  return function()
    local before = last
    last = function() return before end
  end
end)
leaks("an upvalue", function()
  local function make() local mine = {} return function(x) mine[#mine + 1] = x end end
  local add = make()
  return function() add {} end
end)
leaks("coroutines kept", function()
  local held = {}
  return function()
    held[#held + 1] = coroutine.create(function() coroutine.yield() end)
    coroutine.resume(held[#held])
  end
end)
leaks("locals of a coroutine", function()
  local go = coroutine.wrap(function()
    local mine = {}
    while true do mine[#mine + 1] = { coroutine.yield() } end
  end)
  return function() go {} end
end)
leaks("a coroutine that goes deeper", function()
  local function deeper() coroutine.yield() return deeper() + 1 end
  local go = coroutine.wrap(deeper)
  return function() go() end
end)
leaks("the registry", function()
  local registry = debug.getregistry()
  return function() registry[{}] = true end
end)
leaks("a weak table that holds its keys", function()
  local of = setmetatable({}, { __mode = "v" })
  local next = counter()
  return function() of[next()] = "a string counts as a value" end
end)
leaks("userdata", function()
  local held = {}
  return function()
    local file = io.open("/dev/null")
    file:close()
    held[#held + 1] = file
  end
end)
leaks("memoized, all arguments", function()
  local memo, next = {}, counter()
  return function() memo[next()] = { "result" } end
end)
leaks("every fifth call", function()
  local held, next = {}, counter()
  return function() if next() % 5 == 0 then held[#held + 1] = {} end end
end)
leaks("beside a cache and garbage", function()
  local held, cache, next = {}, {}, counter()
  return function()
    local n, t = next(), filled(50)
    cache[n % 12] = { n, "value " .. n }
    held[#held + 1] = t[25]
  end
end)
leaks("listeners", function()
  local listeners = filled(3)
  return function() table.insert(listeners, function() return listeners end) end
end)
leaks("globals", function()
  local next = counter()
  return function() _G[{}] = next() end
end)

return rows
