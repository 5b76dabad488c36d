-- Listeners that are taken off again.
local listeners = {}
return function(i)
    listeners[i] = function()
        return i
    end
    listeners[i - 100] = nil
    churn(150)
end
