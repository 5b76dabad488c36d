-- A game that makes a little in every frame, and a whole level in one of them.
local lmp = require("luamemprofiler")
lmp.frame()
for frame = 1, 400 do
    local bullets, level = {}, {}
    for i = 1, 50 do bullets[i] = { i } end
    if frame == 250 then
        for i = 1, 20000 do level[i] = { i } end
    end
    lmp.frame(frame == 250 and "new level" or nil)
end
