-- Much is made, nothing is kept.
local sum = 0
for round = 1, 80 do
    for i = 1, 5000 do sum = sum + #{ i } end
    collectgarbage()
end
