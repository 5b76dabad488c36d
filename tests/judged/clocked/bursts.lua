-- Nothing for a long while, then many, and none of them goes.
local kept = {}
return function(i)
    churn(200)
    if i == 210 then
        begins()
    end
    if i % 100 < 10 then
        for k = 1, 20 do
            kept[#kept + 1] = { i, k } --> grows
        end
    end
end
