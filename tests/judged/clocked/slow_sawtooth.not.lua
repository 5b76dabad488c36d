-- A list that is dropped every fifth of the run.
local list = {}
return function(i)
    for k = 1, 4 do
        list[#list + 1] = { i, k }
    end
    if i % 700 == 0 then
        list = {}
    end
    churn(200)
end
