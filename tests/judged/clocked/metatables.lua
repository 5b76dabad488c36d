-- A weak table whose values hold their keys through an upvalue.
local weak, alive = setmetatable({}, { __mode = "v" }), {}
return function(i)
    local object = { i } --> grows
    weak[i] = object --> grows
    alive[object] = function() --> grows
        return object
    end --> grows
    churn(150)
end
