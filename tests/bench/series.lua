-- series.lua BLOCKS OPERATIONS - with BLOCKS tables alive, makes OPERATIONS new ones in place of
-- old ones at random, then frees the old ones. Writes the CPU seconds that took and the bytes of the
-- heap at its highest to stderr. The collector traverses all that lives, so a figure means something
-- only beside that of an unprofiled run.
local blocks, operations = math.tointeger(arg[1]), math.tointeger(arg[2])
collectgarbage("stop")
local t = {}
for i = 1, blocks do
    t[i] = {}
end
math.randomseed(42)
local random = math.random
local start = os.clock()
for _ = 1, operations do
    t[random(blocks)] = {}
end
local heap = collectgarbage("count") * 1024 // 1 -- the highest: nothing was freed so far
collectgarbage()
io.stderr:write(string.format("took %.6f heap %d\n", os.clock() - start, heap))
