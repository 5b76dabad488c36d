-- Coroutines: made, resumed a few times, dead.
local sum = 0
for i = 1, 1500000 do
    local next = coroutine.wrap(function(a)
        local t = { a, a + 1 }
        coroutine.yield(t)
        coroutine.yield({ a })
    end)
    sum = sum + next(i)[2] + next()[1]
end
print(sum)
