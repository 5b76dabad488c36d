-- Errors of every kind, caught in every way.
local function thrower(what) error(what) end
for i = 1, 3 do
    pcall(thrower, { i })
end
pcall(thrower, "text")
pcall(error)
pcall(error, "level 2", 2)
local ok, e = pcall(function() local x; x.y = 1 end)
ok, e = pcall(function() return 1 + {} end)
ok, e = pcall(function() return #5 end)
ok, e = pcall(function() return {} < {} end)
ok, e = pcall(function() return "a" < 1 end)
ok, e = pcall(function() for i = 1, 10, 0 do end end)
ok, e = pcall(function() return 1 // 0 end)
ok, e = pcall(function() return ("x").y.z end)
ok, e = pcall(next, {}, "none")
ok, e = pcall(setmetatable, 1, {})
xpcall(thrower, function(m)
    local t = { m }
    return t
end, "handled")
xpcall(function() local t = {} error(t) end, function(m) return { m, debug.traceback("tb") } end)
xpcall(thrower, debug.traceback, "with a traceback")
xpcall(thrower, function(m) error({ m }) end, "error in the handler")
xpcall(function() local a = nil + 1 end, function(m) return m .. " and more" .. #{ m } end)
local function deep(n) if n == 0 then error({ "deep" }) end local t = { n } deep(n - 1) return t end
pcall(deep, 50)
local after = { 1 }
pcall(pcall, error, {})
pcall(function()
    local ok, e = pcall(error, { 1 })
    local t = { e }
    error(t)
end)
local t = { pcall(function() return {}, {} end) }
t = { select(2, xpcall(function(...) return { ... } end, print, 1, 2, 3)) }
assert({ 1 })
pcall(assert, false, { "message" })
pcall(assert, nil)
pcall(coroutine.wrap(function() error({}) end))
pcall(string.rep)
pcall(("x").rep, {}, {})
warn("@off")
warn("a ", "warning")
after = { 2 }
