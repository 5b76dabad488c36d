-- A cache without a bound, filled by keys that never come again.
local cache = {}
return function(i)
    churn(100)
    local key = "key " .. i --> grows
    cache[key] = { value = i } --> grows
end
