-- Coroutines that wait for ever are kept.
local waiting = {}
return function(i)
    local co = coroutine.create(function(a) --> grows
        local b = coroutine.yield(a) --> grows
        return b --> grows
    end) --> grows
    coroutine.resume(co, i) --> grows
    waiting[#waiting + 1] = co --> grows
    churn(200)
end
