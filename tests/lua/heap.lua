-- What the module says of single objects: sizes against what the profiler counts, what is retained
-- against what goes when it is let go, and who holds what; with a profile and without one.
local lmp = require("luamemprofiler")
local expect = require("expect")
local same = expect.same
local takes = require("takes")

local function live() -- once unused frames are gone, too
  local last
  repeat
    local bytes = last
    collectgarbage()
    collectgarbage()
    last = lmp.stats().live_bytes
  until last == bytes
  return last
end

-- ---- sizes, without a profile -------------------------------------------------------------------

same("nothing", lmp.size(nil), 0)
same("number", lmp.size(1), 0)
same("light function", lmp.size(print), 0)
same("string", lmp.size("abc"), 28)
for what, make in pairs({
  ["long string"] = function() return ("x"):rep(1000) end,
  table = function() return {} end,
  array = function() return { 1, 2, 3 } end,
  fields = function() return { a = 1, b = 2, c = 3 } end,
}) do
  same(what, lmp.size(make()), takes.of(make))
end
local up = {}
same("function", lmp.size(function() return up end), 40)
same("none at all", select("#", pcall(lmp.size)), 2)
assert(not pcall(lmp.size) and not pcall(lmp.retained) and not pcall(lmp.references) and not pcall(lmp.paths))
assert(not pcall(lmp.total_size, 1, 2) and not pcall(lmp.paths, {}, "x") and not pcall(lmp.paths, {}, -1))
expect.raises("#2 to 'total_size' (unknown option 'global'; there is: globals)", lmp.total_size, {}, { global = true })
expect.raises("#2 to 'total_size' (option 'globals' must be a boolean, got string)", lmp.total_size, {},
  { globals = "no" })
local function closure()
  local held = {}
  return function() return held end, held
end
do
  local get, held = closure()
  local _, list = lmp.references(held)
  local said = ""
  for _, r in ipairs(list) do said = said .. r.from .. r.step .. ";" end
  assert(said:find("function get (", 1, true) and said:find("upvalue held", 1, true), said)
  same("and the other way", get(), held)
end
same("nobody holds it", lmp.paths({}).held, "garbage")
same("nobody refers to it", (lmp.references({})), 0)
same("only weakly", (function()
  local weak = setmetatable({}, { __mode = "v" })
  weak[1] = {}
  return lmp.paths(weak[1]).held
end)(), "weakly")
same("never so many", #lmp.paths(_G, math.maxinteger) >= 1, true)
same("no object", lmp.retained(7), 0)
same("no object", select("#", lmp.total_size(true)), 3)
same("no object", #lmp.paths(12), 0)
same("no object", (lmp.references(1.5)), 0)

-- ---- against the counts, with one ---------------------------------------------------------------

local names = { "f1", "f2", "f3", "f4", "f5", "f6", "f7" }
local makers = {
  function() return {} end,
  function() local t = {} for i = 1, 37 do t[i] = i end return t end,
  function() local t = {} for i = 1, 100 do t[names[i % 7 + 1]] = true t[i * 1.5] = i end return t end,
  function() return ("y"):rep(777) end,
  function() return coroutine.create(print) end,
}

local function sizes()
  for i, make in ipairs(makers) do
    local before = live()
    local v = make()
    local size, made = lmp.size(v), live() - before
    v = nil
    local gone = live() - before
    same("size of " .. i, size, made)
    same("gone " .. i, gone, 0)
  end
end

local function planted()
  local shared = { ("shared"):rep(100) }
  local v = { shared = shared, list = {} }
  for i = 1, 200 do v.list[i] = { i, ("text %d"):format(i), function() return v, shared end } end
  return v, shared
end

local function retained()
  local v, shared = planted()
  local total, only, objects = lmp.total_size(v)
  same("only it", only, lmp.retained(v))
  assert(total > only and objects > 600, total)
  local before = live()
  v = nil
  local gone = before - live()
  same("what goes", gone, only)
  same("what was shared", lmp.retained(shared), lmp.size(shared) + lmp.size(shared[1]))
end

-- ---- who holds it -------------------------------------------------------------------------------

holder = { by = { ["a name"] = {} } }

local function held()
  local there = holder.by["a name"]
  there[1] = {}
  local n, list = lmp.references(there[1])
  same("references", n, 1)
  same("listed", #list, 1)
  same("step", list[1].step, "[1]")
  same("weak", list[1].weak, false)
  same("none listed", #select(2, lmp.references(there[1], 0)), 0)
  local paths = lmp.paths(there[1], 1)
  same("paths", #paths, 1)
  same("held", paths.held, "held")
  there = nil
  paths = lmp.paths(holder.by["a name"][1])
  same("path", paths[1].text, '_G.holder.by["a name"][1]')
  same("steps end", paths[1].steps[#paths[1].steps].step, "[1]")
  local weak = setmetatable({}, { __mode = "v" })
  weak[1] = {}
  n, list = lmp.references(weak[1])
  same("weakly", list[1].weak, true)
  same("held by nothing", lmp.paths(weak[1]).held, "weakly")
end

local function within() -- in a coroutine, a finalizer, an error handler
  local done = 0
  local function look()
    local own = { {} }
    same("within", lmp.retained(own), lmp.size(own) + lmp.size(own[1]))
    assert(#lmp.paths(own[1]) > 0)
    done = done + 1
  end
  coroutine.wrap(look)()
  setmetatable({}, { __gc = look })
  collectgarbage()
  xpcall(error, look, "x")
  same("looks", done, 3)
end

held()
within()
for _, mode in ipairs({ "incremental", "generational" }) do
  collectgarbage(mode)
  assert(lmp.start({ live = false, summary = false }))
  sizes()
  retained()
  held()
  within()
  local before = live() -- nothing that is made for the program counts
  local v = { {} }
  local size = live() - before
  lmp.paths(v[1]) lmp.references(v[1]) lmp.retained(v) lmp.total_size(v)
  local after = live() - before
  same("made by looking", after, size)
  lmp.stop()
end
