-- Over before much could be seen.
local t = {}
for i = 1, 100 do t[i] = { i } end
