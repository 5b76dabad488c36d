-- A queue that drains late: long in the day, empty at night.
local queue, first = {}, 1
return function(i)
    local day = i % 400 < 200
    for k = 1, day and 20 or 0 do
        queue[#queue + 1] = { i, k }
    end
    for _ = 1, day and 2 or 18 do
        if queue[first] then
            queue[first] = false
            first = first + 1
        end
    end
    if first > #queue then
        queue, first = {}, 1
    end
    churn(150)
end
