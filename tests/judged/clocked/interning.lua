-- Strings are interned in a table that nobody clears.
local interned = {}
local function intern(s)
    local t = interned[s]
    if not t then
        interned[s] = s --> grows
        t = s
    end
    return t
end
return function(i)
    churn(100)
    for k = 1, 3 do
        intern("symbol-" .. i .. "-" .. k) --> grows
    end
end
