-- Growing arrays: few operations, large reallocations.
local sum = 0
for round = 1, 8 do
    local t = {}
    for i = 1, 3000000 do
        table.insert(t, i * round)
    end
    sum = sum + #t
end
print(sum)
