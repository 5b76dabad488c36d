-- The level is made before the first frame begins, and frames differ by less than that.
local lmp = require("luamemprofiler")
local level = {}
for i = 1, 20000 do level[i] = { i } end
lmp.frame()
for frame = 1, 400 do
    local bullets = {}
    for i = 1, 1000 + frame % 5 * 1000 do bullets[i] = { i } end
    lmp.frame()
end
