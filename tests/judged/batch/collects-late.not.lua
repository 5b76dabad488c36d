-- The same with the pause that it has by default.
collectgarbage("incremental", 200)
local kept, sum = {}, 0
for i = 1, 30000 do kept[i] = { i } end
for i = 1, 600000 do sum = sum + #{ i } end
