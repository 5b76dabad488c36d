-- A cache that is emptied when it holds a thousand.
local cache, n = {}, 0
return function(i)
    if n == 1000 then
        cache, n = {}, 0
    end
    n = n + 1
    cache["key " .. i] = { i }
    churn(100)
end
