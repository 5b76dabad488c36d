-- As many tables, that stay.
local all = {}
for i = 1, 100000 do all[i] = { x = i, y = i } end
