-- Every sixth round something large is loaded and kept; the others leave nothing behind.
local levels = {}
for round = 1, 36 do
    if round % 6 == 0 then
        local level = {}
        for i = 1, 3000 do level[i] = { x = i, y = round } end
        levels[#levels + 1] = level
    end
    local sum = 0
    for i = 1, 3000 do sum = sum + #{ i, round } end
    collectgarbage()
    collectgarbage()
end
