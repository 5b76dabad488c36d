-- A cache of a thousand random keys, most of them met early.
local cache = {}
return function()
    for _ = 1, 8 do
        local k = math.random(1, 1000)
        cache[k] = cache[k] or { "value " .. k }
    end
    churn(200)
end
