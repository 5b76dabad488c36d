-- Large blocks, one in a long while.
local kept = {}
return function(i)
    churn(300)
    if i % 300 == 0 then
        kept[#kept + 1] = string.rep("x", 100000) .. i --> grows
    end
end
