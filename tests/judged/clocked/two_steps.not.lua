-- Two large things are loaded, far apart.
local loaded = {}
return function(i)
    if i == 50 or i == 700 then
        local t = {}
        for k = 1, 3000 do
            t[k] = { k }
        end
        loaded[#loaded + 1] = t
    end
    churn(250)
end
