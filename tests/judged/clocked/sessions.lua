-- Nine sessions in ten are closed.
local sessions, id = {}, 0
return function(i)
    for k = 1, 10 do
        id = id + 1
        sessions[id] = { user = "u" .. id, data = { i, k } } --> grows
    end
    for k = id - 109, id - 100 do
        if k > 0 and k % 10 ~= 0 then
            sessions[k] = nil
        end
    end
    churn(100)
end
