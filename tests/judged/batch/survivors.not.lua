-- Generational mode, and nearly all dies at once beside a heap that stays.
collectgarbage("generational")
local kept, sum = {}, 0
for i = 1, 30000 do kept[i] = { i } end
for i = 1, 600000 do sum = sum + #{ i } end
