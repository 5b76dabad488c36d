-- Each job is a little larger than the one before, up to a bound.
local job, size = {}, 10
return function(i)
    for k = 1, 10 do
        job[#job + 1] = { i, k }
    end
    if #job >= size then
        job = {}
        size = math.min(5000, size + 250)
    end
    churn(150)
end
