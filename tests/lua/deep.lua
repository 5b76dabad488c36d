-- A path far deeper than C's stack: neither made nor shown by recursion.
local lmp = require("luamemprofiler")

lmp.start({ summary = false, stacks = true })
local box, depth = {}, 150000
local function down(n)
  box[#box + 1] = {}
  if n > 1 then down(n - 1) end
  return n
end
down(depth)
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
assert(s.tree.retained.live_bytes == s.live_bytes and #box == depth)
lmp.stop()
print("ok")
