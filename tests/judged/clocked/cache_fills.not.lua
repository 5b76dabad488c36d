-- A cache that fills up in the first half and then is complete.
local cache = {}
return function(i)
    if i < 1200 then
        cache[i] = { "value " .. i }
    end
    churn(300)
end
