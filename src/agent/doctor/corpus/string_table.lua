-- More strings than the table of strings has room for: it grows, but was not made here.
local t = {}
for i = 1, 12000 do t[i] = "s" .. i end
local u = {}
for i = 1, 200 do u["k" .. i] = "v" .. i end
