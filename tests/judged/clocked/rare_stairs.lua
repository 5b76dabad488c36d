-- Large blocks, one in a long while.
local kept = {}
return function(i)
    if i == 45 then
        begins()
    end
    churn(300)
    if i % 45 == 0 then
        kept[#kept + 1] = string.rep("x", 100000) .. i --> grows
    end
end
