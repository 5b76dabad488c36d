-- Strings interned from a vocabulary of five hundred.
local interned = {}
return function(i)
    for k = 1, 5 do
        local s = "symbol " .. (i * 7 + k * 13) % 500
        interned[s] = interned[s] or { s }
    end
    churn(150)
end
