-- Keys that are kept.
local keys = {}
for i = 1, 60000 do keys[i] = "user:" .. i end
