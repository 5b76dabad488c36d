-- A path as deep as the interpreter lets it be: neither made nor shown by recursion. Where an interpreter stops is its
-- own affair (Lua 5.4.0 and 5.4.1 count calls of Lua functions as C's, up to some 2,000); a profile takes none of it.
local lmp = require("luamemprofiler")

local ways = {
  calls = function(tick)
    local function down(...)
      tick()
      down(...)
      return 1
    end
    down(table.unpack({}, 1, 200)) -- so that Lua's own stack is full soon
  end,
  gsub = function(tick)
    local function down()
      tick()
      return (string.gsub("a", "a", down))
    end
    down()
  end,
  sort = function(tick)
    local function down()
      tick()
      table.sort({ 1, 2 }, function(a, b)
        down()
        return a < b
      end)
    end
    down()
  end,
  index = function(tick)
    local t = setmetatable({}, {
      __index = function(t, k)
        tick()
        return t[k + 1]
      end,
    })
    return t[1]
  end,
  coroutines = function(tick)
    local function down()
      tick()
      assert(coroutine.resume(coroutine.create(down)))
    end
    down()
  end,
}

-- How deep each way goes until the interpreter refuses, and what it says then.
local function depths()
  local found = {}
  for name, way in pairs(ways) do
    local n = 0
    local ok, why = pcall(way, function()
      n = n + 1
      local _ = { n }
    end)
    assert(not ok and tostring(why):find("stack overflow"), tostring(why))
    found[name] = n
    collectgarbage()
  end
  return found
end

local plain
for _, option in ipairs({ "none", "lines", "stacks" }) do
  if plain then lmp.start({ summary = false, [option] = true }) end
  local found = depths()
  if plain then lmp.stop() end
  plain = plain or found
  for name, n in pairs(found) do
    assert(n == plain[name], ("%s, %s: %d deep, without a profile %d"):format(option, name, n, plain[name]))
  end
end

lmp.start({ summary = false, stacks = true })
local box, depth = {}, 150000
local function down(n)
  box[#box + 1] = {}
  if n > 1 then down(n - 1) end
  return n
end
local whole, why = pcall(down, depth)
assert(whole or (plain.calls < 2000 and why:find("C stack overflow")), why)
local s = lmp.stats({ tree = true })
local node, levels = s.tree, 0
while node.children[1] do
  local deepest = node.children[1]
  for _, child in ipairs(node.children) do
    if child.retained.live_blocks > deepest.retained.live_blocks then deepest = child end
  end
  node, levels = deepest, levels + 1
end
assert(levels > 100, levels .. " levels")
assert(s.tree.retained.live_bytes == s.live_bytes and (#box == depth or not whole))
lmp.stop()
print("ok")
