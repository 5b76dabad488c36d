-- Made once; and functions that are kept.
local list, sum, kept = { 3, 1, 2 }, 0, {}
local function each(t, f) for i = 1, #t do f(t[i]) end end
local function add(v) sum = sum + v end
for i = 1, 60000 do each(list, add) end
for i = 1, 20000 do kept[i] = function() return i end end
