-- As much is kept, a little each round.
local kept = {}
for round = 1, 36 do
    for i = 1, 500 do kept[#kept + 1] = { x = i, y = round } end
    local sum = 0
    for i = 1, 3000 do sum = sum + #{ i, round } end
    collectgarbage()
    collectgarbage()
end
