-- A busy line holds now much and now little, and a little for ever. --> late
local kept, pool = {}, {}
return function(i)
    local n = math.random(0, 100)
    for k = 1, math.max(n, #pool) do
        pool[k] = k <= n and { i, k } or nil --> grows
    end
    churn(100)
    kept[#kept + 1] = pool[1] --> grows
end
