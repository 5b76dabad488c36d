-- Chunks: from text, from functions, from binary; with names of their own, and with errors.
local f = load("return { ... }")
f(1, 2)
f = load("local t = {}\n\nt[1] = {\n1, 2 }\nreturn function()\nreturn {}\nend", "=named")
local g = f()
g()
g()
f = load("return {\n}", "@file_that_is_not.lua")
f()
f = load("local a <const> = 'string ' .. ...; return { a }", "a chunk\nof two lines")
f("x")
local pieces = { "return {", "1,", "2,\n", "{} }" }
local n = 0
f = load(function()
    n = n + 1
    local t = { n }
    return pieces[n]
end)
f()
f = load(function() n = n - 1 if n > 0 then return pieces[1]:sub(1, 0) .. " " end end, "=reader", "t", {})
f()
local bad, e = load("x = = 1")
bad, e = load("for", "=bad")
bad, e = load(function() error({ "from the reader" }) end)
local inner = load("local function f(n)\n if n == 0 then return {} end\n local t = { n }\n return f(n - 1)\nend "
    .. "return f", "=rec")()
inner(10)
local dumped = string.dump(inner)
local h = load(dumped, "=dumped", "b")
pcall(h, 3)
dumped = string.dump(load("local t = {}\nt = {\n1, {} }\nreturn function() return { t }\nend", "=whole"))
h = load(dumped, "ignored", "b")
h()()
h = load(function() local d = dumped dumped = nil return d end, "ignored too", "b")
h()()
local env = setmetatable({}, { __index = function(_, k) return { k } end })
f = load("return a, b,\nc", "=env", "t", env)
f()
for i = 1, 20 do
    local f = load("local t = { " .. i .. " }\nreturn t", "=(load)")
    f()
end
local many = {}
for i = 1, 100 do many[i] = "local v" .. i .. " = { " .. i .. " }" end
f = load(table.concat(many, "\n"), "=many")
f()
pcall(load, dumped)
pcall(load("error({})", "=thrower"))
