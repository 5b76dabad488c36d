-- Goes through the odd corners of the interpreter's stack, so that pauses with their look at stack
-- and locals fall everywhere: growing and shrinking stacks, overflow, varargs with more values than
-- registers, tail calls, nested coroutines of every kind, to-be-closed variables, finalizers,
-- metamethods, errors and their handlers, hooks, load, sort, gsub, both modes of the collector.
-- Returns a text that must be the same with and without all that.
local random = 1
local function below(n)
  random = random * 16807 % 2147483647
  return random % n + 1
end

local seen = {}
local function note(...) seen[#seen + 1] = table.concat({...}, " ") end

local function deep(n, keep)
  local here <const>, text = {n}, "level " .. n
  if n == 0 then return #text end
  return deep(n - 1, here) + here[1]
end

local function tail(n, list)
  if n == 0 then return #list end
  list[#list + 1] = {n}
  return tail(n - 1, list)
end

local function many(...)
  local a, b = ...
  local t = {...}
  return select("#", ...), a, b, #t, ...
end

local function nested(depth)
  return coroutine.wrap(function(...)
    local first, rest = ..., {...}
    for i = 1, 4 do
      local inner = depth > 0 and nested(depth - 1)
      local sum = 0
      for k = 1, 3 do sum = sum + (inner and inner(k, {k}) or k) end
      coroutine.yield(sum + #rest)
    end
  end)
end

local point = {}
point.__index = function(self, key) return {key} end
point.__add = function(a, b) local c = setmetatable({a.v + b.v}, point) c.v = c[1] return c end
point.__concat = function(a, b) return "<" .. tostring(a) .. "," .. tostring(b) .. ">" end
point.__tostring = function(self) local s = "p" .. self.v return s end
point.__eq = function(a, b) local t = {a, b} return #t == 2 end
point.__lt = function(a, b) local t = {a.v < b.v} return t[1] end
point.__len = function(self) local n = {1, 2, 3} return #n end
point.__call = function(self, ...) local t = {...} return #t end
point.__close = function(self) local t = {self.v} note("closed", t[1]) end

local function metamethods()
  local p, q = setmetatable({v = 1}, point), setmetatable({v = 2}, point)
  local sum = p + q
  local text = p .. q
  local field = p.missing
  note(sum.v, text, field[1], tostring(p == q), tostring(p < q), #p, p(1, nil, 3))
  for i = 1, 3 do
    local z <close> = setmetatable({v = i}, point)
    if i == 2 then goto next end
    local after = {i}
    ::next::
  end
end

local function errors()
  local handled = 0
  for i = 1, 5 do
    local ok, e = pcall(function()
      local z <close> = setmetatable({v = "e" .. i}, point)
      local t = {i}
      error({code = t[1]})
    end)
    handled = handled + e.code
  end
  local ok, e = xpcall(function() local x = {} return x.y.z end, function(m)
    local t = {m}
    return "handled " .. #t
  end)
  note(handled, e)
  local function endless(n) local t = {n} return endless(n + 1) + #t end
  ok, e = pcall(endless, 1)
  note(tostring(ok), (tostring(e):find("overflow")) and "overflow" or tostring(e))
  ok, e = pcall(string.rep, "x", -1)
  note(tostring(ok), #e)
  ok, e = pcall(string.rep)
  note(tostring(ok))
end

local function finalizers()
  local count = 0
  for i = 1, 40 do
    setmetatable({}, {__gc = function(o) local t = {o, i} count = count + #t end})
  end
  collectgarbage()
  note("finalized", count)
end

local function coroutines()
  local alive = {}
  for i = 1, 30 do
    alive[i] = coroutine.create(function(a, ...)
      local mine = {a, ...}
      local z <close> = setmetatable({v = i}, point)
      deep(i)
      coroutine.yield(#mine)
      error("x" .. i)
    end)
    coroutine.resume(alive[i], i, 2, 3)
  end
  for i = 1, 30 do
    if i % 3 == 0 then coroutine.resume(alive[i]) end
    if i % 2 == 0 then note(tostring(coroutine.close(alive[i]))) end
  end
  local g = nested(2)
  local sum = 0
  for i = 1, 4 do sum = sum + g(i, "b", "c") end
  note("nested", sum)
end

local function library()
  local list = {}
  for i = 1, 60 do list[i] = below(1000) end
  table.sort(list, function(a, b) local t = {a, b} return t[1] < t[2] end)
  local text = ("abc"):rep(20):gsub("%a", function(c) local t = {c} return t[1] .. c end)
  note(list[1], list[60], #text)
  for i = 1, 10 do
    local f = load("local a, b = ... local function k(...) local t = {...} return #t, 's" .. i ..
      "' .. a end return k(a, b, " .. i .. ")")
    note(f(i, {}))
  end
  for word, number in ("a=1, b=2, c=3"):gmatch("(%w+)=(%w+)") do
    local pair = {word, number}
    note(pair[1], pair[2])
  end
  note(("%s %d %q"):format({} and "t", 7, "q\n"), table.concat(list, ",", 1, 5))
end

for round = 1, 2 do
  collectgarbage(round == 1 and "incremental" or "generational")
  note(deep(5), deep(60), deep(300))
  note(tail(50, {}))
  note(many(table.unpack({1, 2, 3}, 1, 260)))
  metamethods()
  errors()
  coroutines()
  library()
  finalizers()
  debug.sethook(function(event) local t = {event} end, "c")
  deep(4)
  debug.sethook()
  collectgarbage("step", 50)
end
collectgarbage("incremental")
for i = 1, #seen do seen[i] = seen[i]:gsub("nil", "-") end
return table.concat(seen, "\n")
