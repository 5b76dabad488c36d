-- A pause of 1000: the heap grows to ten times of what lives.
collectgarbage("incremental", 1000)
local kept, sum = {}, 0
for i = 1, 5000 do kept[i] = { i } end
for i = 1, 600000 do sum = sum + #{ i } end
