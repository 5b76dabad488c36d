-- Every tenth round something large is loaded and kept; the others leave nothing behind.
local levels = {}
for round = 1, 60 do
    if round % 10 == 0 then
        local level = {}
        for i = 1, 3000 do level[i] = { x = i, y = round } end
        levels[#levels + 1] = level
    end
    local sum = 0
    for i = 1, 10000 do sum = sum + #{ i, round } end
    collectgarbage()
    collectgarbage()
end
