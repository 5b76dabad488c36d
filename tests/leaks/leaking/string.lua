-- One string that gets longer and longer.
local log = ""
return function(i)
    log = log .. "entry " .. i .. "\n" --> grows
    churn(200)
end
