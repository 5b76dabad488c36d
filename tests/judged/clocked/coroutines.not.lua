-- Coroutines that end.
local running = {}
return function(i)
    running[i % 50 + 1] = coroutine.wrap(function()
        coroutine.yield({ i })
        coroutine.yield("at " .. i)
    end)
    running[i % 50 + 1]()
    churn(150)
end
