-- arrays.lua [SCALE] - growing arrays: few operations, large reallocations.
local size = 2400000 * tonumber(arg[1] or 1) // 1
local sum = 0
for round = 1, 8 do
    local t = {}
    for i = 1, size do
        table.insert(t, i * round)
    end
    sum = sum + #t
end
print(sum)
