-- Recursion as deep as Lua has room for: in the main thread, in a coroutine, with what it made.
-- Second argument: less deep.
local less = select(2, ...)
local function rec(n) if n == 0 then return {} end local t = { n } return { rec(n - 1), t } end
local function infinite(n) if less and n > 30000 then error() end return infinite(n + 1) + 1 end
local kept = rec(20000)
pcall(infinite, 1)
coroutine.wrap(function() pcall(infinite, 1) kept = { kept, rec(100) } end)()
check("deep")
kept = nil
collectgarbage()
check("let go")
