-- coroutines.lua [SCALE] - coroutines: made, resumed a few times, dead.
local size = 1500000 * tonumber(arg[1] or 1) // 1
local sum = 0
for i = 1, size do
    local next = coroutine.wrap(function(a)
        local t = { a, a + 1 }
        coroutine.yield(t)
        coroutine.yield({ a })
    end)
    sum = sum + next(i)[2] + next()[1]
end
print(sum)
