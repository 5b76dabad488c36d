-- A weak cache.
local cache = setmetatable({}, { __mode = "v" })
return function(i)
    cache[i] = { i }
    churn(200)
end
