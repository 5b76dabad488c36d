-- A list that is dropped when it holds ten thousand.
local list = {}
return function(i)
    for k = 1, 20 do
        list[#list + 1] = { i, k }
    end
    if #list >= 10000 then
        list = {}
    end
    churn(150)
end
