-- Closures that hold large upvalues are kept.
local undo = {}
return function(i)
    local text = string.rep("abc", 20) .. i --> grows
    undo[#undo + 1] = function() --> grows
        return text
    end --> grows
    churn(150)
end
