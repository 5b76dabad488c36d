-- Two frames, made anew in turn.
local frame = { {}, {} }
return function(i)
    local new = {}
    for k = 1, 300 do
        new[k] = { i, k }
    end
    frame[i % 2 + 1] = new
    churn(50)
end
