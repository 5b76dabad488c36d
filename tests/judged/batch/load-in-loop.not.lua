-- Compiled once.
local sum, made = 0, {}
local f = load("local x = ... return { x * 2 + 1 }")
for i = 1, 30000 do
    made = f(i)
    sum = sum + made[1]
end
