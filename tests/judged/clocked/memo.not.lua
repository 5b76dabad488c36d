-- A memo table over a hundred arguments.
local memo = {}
return function(i)
    local n = i * i % 100
    memo[n] = memo[n] or { n * n }
    churn(200)
end
