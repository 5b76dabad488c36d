-- Every sixteenth round something large is loaded and kept; the others leave nothing behind. A round lasts,
-- for rows of the live history are far apart where each costs much, as with a sanitizer.
local levels = {}
for round = 1, 66 do
    if round % 16 == 0 then
        local level = {}
        for i = 1, 3000 do level[i] = { x = i, y = round } end
        levels[#levels + 1] = level
    end
    local sum, till = 0, os.clock() + 0.04
    repeat
        for i = 1, 5000 do sum = sum + #{ i, round } end
    until os.clock() >= till
    collectgarbage()
    collectgarbage()
end
