-- Arithmetic that makes nothing, next to what makes something.
local x, y = 1, 2.5
for i = 1, 10 do
    x = x * 2 + i // 2 - (i & 3)
    y = y / 3 ^ 2
    local t = { x,
        y }
    x = x + #t
end
for i = 1, 3 do for k = 1.5, 2.5 do local t = { i, k } end end
for i = math.maxinteger - 2, math.maxinteger do local t = {} end
local n = 0
for i = 1, 1000 do n = n + i end
local t = { n }
local r = n > 5 and { 1 } or { 2 }
r = not r or { r }
r = n == 5 and {} or
    {}
local a, b = { 1 }, { 2 } a, b = b, a
r = ("%d"):format(n) .. n + 1 .. -n
