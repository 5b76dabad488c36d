-- One string that gets longer and longer.
local log = ""
return function(i)
    log = log .. "entry " .. i .. ": what happened, where, when and to whom, at some length\n" --> grows
    churn(200)
end
