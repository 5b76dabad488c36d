-- One table that becomes very large: it doubles, a few times.
local t = {}
for i = 1, 300000 do t[i] = i end
