-- A list that grows a little at each step.
local all = {}
return function(i)
    churn(200)
    all[#all + 1] = { i } --> grows
end
