-- A crowd that comes and goes, and never is more than five hundred.
local crowd, n = {}, 100
return function(i)
    for _ = 1, 10 do
        n = math.max(0, math.min(500, n + math.random(-3, 3)))
    end
    for k = 1, n do
        crowd[k] = crowd[k] or { i, k }
    end
    for k = n + 1, #crowd do
        crowd[k] = nil
    end
    churn(150)
end
