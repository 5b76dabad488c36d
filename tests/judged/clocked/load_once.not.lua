-- One thing after the other is loaded, and then all is there.
local loaded = {}
return function(i)
    if i % 90 == 0 and i <= 900 then
        loaded[#loaded + 1] = string.rep("m", 20000) .. i
    end
    churn(250)
end
