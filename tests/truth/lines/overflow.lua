-- Too deep: of Lua's stack, of C's, in a handler.
pcall(load, ("("):rep(300) .. "1")
pcall(load, "return " .. ("{"):rep(190) .. ("}"):rep(190))
local function infinite(n)
    return infinite(n + 1) + 1
end
pcall(infinite, 1)
local t = { 1 }
local function gsub_deep(s) return (s:gsub(".", gsub_deep)) end
pcall(gsub_deep, "x")
t = { 2 }
xpcall(infinite, function(m) return { m } end, 1)
local function with_tables(n) local t = { n } return with_tables(n + 1), t end
pcall(with_tables, 1)
collectgarbage()
t = { 3 }
coroutine.wrap(function()
    pcall(infinite, 1)
    t = { 4 }
    pcall(string.rep, "x", 1 << 50)
end)()
local function wraps(n) return coroutine.wrap(function() local t = { n } return wraps(n + 1) end)() end
pcall(wraps, 1)
t = { 5 }
pcall(table.unpack, {}, 1, 1e7)
t = { 6 }
local mt = {}
mt.__index = function(t, k) return t[k .. "x"] end
pcall(function() return setmetatable({}, mt).x end)
t = { 7 }
