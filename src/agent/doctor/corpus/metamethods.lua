-- Every metamethod, as a Lua function that makes something.
local mt = {}
local function new(v) return setmetatable({ v = v }, mt) end
local function made(...) return { ... } end
mt.__index = function(t, k)
    return { k }
end
mt.__newindex = function(t, k, v)
    rawset(t, k, { v })
end
mt.__call = function(self, ...)
    return {
        ...,
    }
end
mt.__add = function(a, b) return new { a, b } end
mt.__sub = function(a, b) return new({ b }) end
mt.__mul = function() return new(1) end
mt.__div = function() return new {} end
mt.__mod = function() return made(1) end
mt.__pow = function() return made(1, 2) end
mt.__unm = function() return made(1, 2, 3) end
mt.__idiv = function() return made() end
mt.__band = function() return {} end
mt.__bor = function() return { 1 } end
mt.__bxor = function() return { 1, 2 } end
mt.__shl = function() return { 1, 2, 3 } end
mt.__shr = function() return { x = 1 } end
mt.__bnot = function() return { x = 1, y = 2 } end
mt.__concat = function(a, b)
    return "c" .. #made(a, b) .. rawlen({}) .. tostring(1.5)
end
mt.__len = function() return #{ {}, {} } end
mt.__eq = function() local t = { 1 } return true end
mt.__lt = function() local t = { 1, 2 } return true end
mt.__le = function() local t = { 1, 2, 3 } return false end
mt.__tostring = function() return "t" .. #{ {} } end
mt.__name = "made"
mt.__pairs = function(t)
    local u = { t }
    return next, u, nil
end
local a, b = new(1), new(2)
local x = a.missing
x = a[1]
a.new = 1
a[1] = { 1 }
x = a(1, 2, 3)
x = a(b)
x = a + b
x = a + 1
x = 1 - b
x = a * b
x = a / 2
x = a % b
x = a ^ b
x = -a
x = a // b
x = a & b
x = a | 1
x = a ~ b
x = a << b
x = a >> 1
x = ~a
x = a .. b
x = "s" .. a
x = "s" .. 1 .. a .. "t" .. b
x = #a
x = a == b
x = a ~= b
x = a < b
x = a > b
x = a <= b
x = a >= b
x = tostring(a)
for k, v in pairs(a) do local t = { k } end
local chain = setmetatable({}, { __index = setmetatable({}, { __index = function(_, k) return { k, {} } end }) })
x = chain.deep
for i = 1, 5 do x = chain[i] end
local ud = debug.setmetatable(host.userdata(8), mt)
x = ud.field
x = ud + a
x = ud(1)
debug.setmetatable(1, { __index = function(n, k) return { n, k } end })
x = (5).foo
debug.setmetatable(1, nil)
string.made = function(s) return { s } end
x = ("s"):made()
string.made = nil
