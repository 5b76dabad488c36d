-- Listeners are added and never taken off.
local listeners = {}
local function on(f)
    listeners[#listeners + 1] = f --> grows
end
return function(i)
    churn(150)
    on(function() --> grows
        return i
    end) --> grows
end
