-- A table that grows to its size and is then used.
local all = {}
return function(i)
    if i <= 900 then
        for k = 1, 10 do
            all[#all + 1] = i + k
        end
    end
    churn(250)
end
