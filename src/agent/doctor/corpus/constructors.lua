-- Table constructors: the interpreter does not save its place for them.
local a = {}                        --@ 1 T
local b = { 1, 2, 3 }               --@ 2 T+A3
local c = { x = 1, y = 2 }          --@ 2 T+H2
local d =
{}
local e = {
    1,
    2,
    { 1 },
    {
        { x = 1 },
        {},
    },
    key = "value",
}
local f = { { {} } }                --@ 5 3*T+2*A1
local g = {
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
    27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50,
    51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74,
    75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98,
    99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110,
}
local h = { [1] = 1, [2] = 2,
    [3] = 3, x = { 1, 2 },
    y = { y = 1 } }
local function three() return 1, 2, 3 end
local i = { three() }
local j = {
    0,
    three()
}
local k = {
    x = {},
    three(), three(),
    three()
}
local function vararg(...)
    local t = { ... }
    local u = {
        1, 2,
        ...
    }
    return { ... },
        { u, t, ... }
end
vararg()
vararg(1)
vararg(table.unpack(g))
for n = 1, 10 do
    local t = { n, { n } }
    t = {
        n,
        { [n] = n },
    }
end
local nested = { a = { b = { c = { d = {} } } } }
local strings = { "a" .. #g, "b" .. #g,
    "c" .. #g }
local l = { function() return nested end,
    function() return { nested } end }
l[2]()
local m = {}; m[1] = {}; m[2] = { {} }
local empty = { {}, {}, {},
    {}, {}, {} }
local o = { n = a, [a] = {}, [b] = {}, [c] = { [d] = {} } }
local p = (function() return {} end)()
return p
