-- A long start, then a slow leak on another line.
local base, log = {}, {}
return function(i)
    if i <= 300 then
        for k = 1, 100 do
            base[#base + 1] = { i, k }
        end
    end
    if i == 300 then
        begins()
    end
    churn(200)
    log[#log + 1] = "line " .. i --> grows
end
