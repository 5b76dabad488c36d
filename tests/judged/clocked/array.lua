-- One array of numbers that grows for ever: one block, of old birth.
local all = {}
return function(i)
    churn(150)
    for k = 1, 20 do
        all[#all + 1] = i + k --> grows
    end
end
