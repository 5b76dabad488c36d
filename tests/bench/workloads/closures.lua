-- closures.lua [SCALE] - closures, each with an upvalue of its own.
local function counter(start)
    local n = start
    return function(by)
        n = n + by
        return n
    end
end

local size = 6000000 * tonumber(arg[1] or 1) // 1
local sum, kept = 0, {}
for i = 1, size do
    local c = counter(i)
    kept[i % 1000 + 1] = c
    sum = sum + c(1)
end
print(sum, #kept)
