-- It holds now much, now little, at random.
local pool = {}
return function(i)
    local n = math.random(0, 300)
    for k = 1, math.max(n, #pool) do
        pool[k] = k <= n and { i, k } or nil
    end
    churn(100)
end
