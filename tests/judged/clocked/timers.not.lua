-- Timers that leave the list when they have fired.
local timers = {}
return function(i)
    for k = 1, 5 do
        timers[#timers + 1] = { at = i + math.random(1, 100), fire = function() return k end }
    end
    for k = #timers, 1, -1 do
        if timers[k].at <= i then
            table.remove(timers, k)
        end
    end
    churn(100)
end
