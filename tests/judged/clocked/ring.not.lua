-- A ring of two thousand.
local ring = {}
return function(i)
    for k = 1, 10 do
        ring[(i * 10 + k) % 2000 + 1] = { i, k }
    end
    churn(150)
end
