-- A comparison that is made anew for each call.
local list, sum = { 3, 1, 2 }, 0
local function each(t, f) for i = 1, #t do f(t[i]) end end
for i = 1, 60000 do
    each(list, function(v) sum = sum + v + i end)
end
