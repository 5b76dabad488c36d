-- A formula that is compiled anew each time it is needed.
local sum = 0
for i = 1, 3000 do
    local f = load("local x = ... return x * 2 + 1")
    sum = sum + f(i)
end
