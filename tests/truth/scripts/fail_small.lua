-- A bit of everything, for runs in which a request fails. What it prints and raises must not depend
-- on when the collector runs.
local keep = {}
for i = 1, 6 do keep[i] = { i, i, i, i, name = "n" .. i } end
keep.f = function() return keep end
keep.s = table.concat({ string.rep("abc", 700), string.rep("d", 900), "tail" }, "-")
print(#keep.s, #keep)
local c = coroutine.wrap(function(a) local b = { a } for i = 1, 3 do coroutine.yield(b, i) end end)
print(select(2, c(1)), select(2, c()))
local function rec(n) if n == 0 then return 0 end return 1 + rec(n - 1) end
print(rec(30))
local f, e = load("local a, b = ... return { a, b, 'const', function() return a end }")
print(type(f), e)
print(#f(1, 2))
print(#load(string.dump(f))(3, 4))
print((("x"):rep(20):gsub("x", { x = "yy" })))
