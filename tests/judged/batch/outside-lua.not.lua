-- As much, in Lua, and let go of: what the allocator keeps was Lua's.
local t = {}
for i = 1, 400000 do t[i] = { i, i } end
t = nil
collectgarbage()
