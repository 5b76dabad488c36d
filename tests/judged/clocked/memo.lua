-- A memo table of a function whose arguments never repeat.
local memo = {}
local function square(n)
    local r = memo[n]
    if not r then
        r = { n * n } --> grows
        memo[n] = r --> grows
    end
    return r
end
return function(i)
    for k = 1, 4 do
        square(i * 4 + k)
    end
    churn(150)
end
