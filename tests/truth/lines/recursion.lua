-- Deep recursion: the stack and its CallInfos grow at the line of the call.
local function rec(n)
    if n == 0 then return 0 end
    local x = n
    return 1 + rec(n - 1)
end
rec(10)
rec(500)
rec(5000)
rec(100)
local function with(n)
    if n == 0 then return {} end
    local t = {
        with(n - 1)
    }
    return t
end
with(300)
local function even(n) if n == 0 then return {} end local r = odd(n - 1) return r end
function odd(n) if n == 0 then return {} end local r = even(n - 1) return r end
even(100)
odd(200)
odd = nil
coroutine.wrap(function()
    rec(20)
    rec(2000)
    local t = { 1 }
    with(30)
end)()
local function through_c(n) if n > 0 then pcall(through_c, n - 1) end return { n } end
through_c(50)
local function through_meta(n)
    if n == 0 then return {} end
    return setmetatable({}, { __index = function(_, k) return through_meta(n - 1) end })[n]
end
through_meta(30)
rec(20000)
collectgarbage()
rec(20000)
