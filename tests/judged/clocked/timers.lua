-- Timers that have fired stay in the list.
local timers = {}
return function(i)
    timers[#timers + 1] = { at = i + 5, fire = function() return i end } --> grows
    for k = math.max(1, #timers - 10), #timers do
        if timers[k].at == i then
            timers[k].done = true --> grows
        end
    end
    churn(150)
end
