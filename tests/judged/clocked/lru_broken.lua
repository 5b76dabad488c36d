-- A cache with a bound: the index of it is never cleared.
local queue, index, first = {}, {}, 1
return function(i)
    local key = "k" .. i --> grows
    queue[#queue + 1] = key --> grows
    index[key] = i --> grows
    if #queue - first > 500 then
        queue[first] = false
        first = first + 1
    end
    churn(150)
end
