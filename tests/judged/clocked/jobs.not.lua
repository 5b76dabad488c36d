-- Jobs of random length, each of which frees what it made.
local job, left
return function(i)
    if not job then
        job, left = {}, math.random(10, 300)
    end
    for k = 1, 10 do
        job[#job + 1] = { i, k }
    end
    left = left - 1
    if left == 0 then
        job = nil
    end
    churn(150)
end
