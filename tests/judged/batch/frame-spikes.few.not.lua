-- One frame makes far more than the others, but these are too few to say what is usual.
local lmp = require("luamemprofiler")
lmp.frame()
for frame = 1, 50 do
    local list = {}
    for i = 1, frame == 30 and 40000 or 10 do list[i] = { i } end
    lmp.frame()
end
