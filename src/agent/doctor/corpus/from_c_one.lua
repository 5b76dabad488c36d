-- One thread with no Lua function below it.
return function(...)
    local t = { ... }
    coroutine.yield(t)
    local function rec(n) if n == 0 then return {} end local x = rec(n - 1) return x end
    rec(100)
    pcall(error, { "e" })
    coroutine.yield()
    return string.rep("x", 1000)
end
