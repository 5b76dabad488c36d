-- A long start, then a slow leak on the same line.
local all = {}
return function(i)
    for k = 1, i <= 100 and 100 or 4 do
        all[#all + 1] = { i, k } --> grows
    end
    if i == 100 then
        begins()
    end
    churn(200)
end
