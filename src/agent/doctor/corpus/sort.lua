-- Comparators, with and without anything made in them; and the errors of sort.
local t = {}
for i = 1, 60 do t[i] = i * 37 % 61 end
table.sort(t, function(a, b)
    local pair = { a, b }
    return pair[1] < pair[2]
end)
table.sort(t, function(a, b) return a > b end)
table.sort(t)
local words = { "delta", "alpha", "charlie", "bravo" }
table.sort(words, function(a, b) return a .. "x" < b .. "x" end)
pcall(table.sort, { 3, 2, 1, 4, 5 }, function(a, b) return { a } and true end)
pcall(table.sort, { 1, "x", {} })
pcall(table.sort, { 3, 1, 2 }, function() error({ "e" }) end)
local objects = {}
local mt = { __lt = function(a, b) local k = { a.k } return k[1] < b.k end }
for i = 1, 20 do objects[i] = setmetatable({ k = i * 7 % 23 }, mt) end
table.sort(objects)
coroutine.wrap(function()
    table.sort(t, function(a, b)
        return #{ a } > 0 and a < b
    end)
end)()
