-- Closures, shared and open upvalues, compiled and dumped chunks, parser buffers.
local keep = {}
for i = 1, 100 do
    local a, b = i, {}
    keep[i] = function() a = a + 1 return a, b end
    keep[-i] = function() return a end
end
check("closures")
print(keep[3](), keep[-3]())
local function deep(n)
    if n == 0 then return function() return n end end
    local f = deep(n - 1)
    return function() return f(), n end
end
keep.deep = deep(60)
check("nested closures")
for i = 1, 30 do
    keep[#keep + 1] = load("local a, b = ... ; local function k(...) return #{...}, 's" .. i ..
        "' .. a end return k(a, b, " .. i .. ")", "=chunk" .. i)
end
check("loaded")
print(keep[101]("x", 2))
local src = {}
for i = 1, 60 do src[i] = ("local v%d = { %d, 'string %d', function() return v%d end }"):format(i, i, i, i) end
local text = table.concat(src, "\n")
local pieces, at = 0, 1
local f = load(function() -- a reader is called while the parser holds its buffers
    pieces = pieces + 1
    if pieces % 16 == 0 then check("parsing " .. pieces) end
    local p = text:sub(at, at + 40)
    at = at + 41
    return p
end)
check("loaded by pieces")
f()
local dumped = string.dump(f)
local stripped = string.dump(f, true)
check("dumped")
local undumped, n = load(function()
    n = (n or 0) + 1
    if n % 20 == 0 then check("undumping " .. n) end
    local p = dumped:sub((n - 1) * 50 + 1, n * 50)
    return p ~= "" and p or nil
end, "dump", "b")
check("undumped")
print(type(undumped), type(load(stripped, "s", "b")), #stripped < #dumped)
for i, bad in ipairs { "x =", "for", "goto nowhere", "local a <const> = 1 a = 2", "'unfinished",
    ("("):rep(300), "return " .. ("{"):rep(250), "\27Lua broken", "break", "::a:: ::a::" } do
    local ok, err = load(bad, "=bad" .. i)
    print(ok, (err:gsub("0x%x+", "ADDR")))
end
check("syntax errors")
print(load(("local x = 1\n"):rep(150) .. "return x", "=many")())
print(select("#", load(dumped:sub(1, 200), "cut", "b")))
print(pcall(load, function() error("reader") end))
print(load(function() return {} end))
keep = nil
collectgarbage()
check("collected")
goto done
::done::
debug.sethook(function() end, "l")
for _ = 1, 5 do keep = _ end
debug.sethook()
print(debug.traceback("trace", 1):match("^trace"))
local mt = getmetatable("") mt.__index = string
check("end of functions")
