-- Constructors of every shape, after calls and other constructors on other lines.
local function id(...) return ... end
local function many(n)
    local t = {}
    for i = 1, n do
        t[i] = i
    end
    return table.unpack(t)
end
local function shapes(a, ...)
    local t = {}
    id(t)
    t = {

        a,
        id(a),

        [id(a)] = id(a),
    }
    local u = id({
        t,
        { t },
    }, {
        x = t,
        y = {
            id(t) },
    })
    t = { ... }
    id()
    t = {
        ...,
        ...
    }
    t = { id(...),
        id(...), id(
            ...)
    }
    t = {
        a, a,
        id(a, a, a)
    }
    t = { n = 1,
        many(3) }
    t = {
        many(60)
    }
    t = { 1,
        many(200)
    }
    t = { [1] = {},
        [2] = {
            {}
        },
        [id(3)] = { id(4) },
        nil, nil,
        { nil } }
    return {
        t,
        u
    }, { ...
    }
end
for i = 1, 3 do
    shapes(i)
    shapes(i, i)
    shapes(i, many(70))
end
local long = {
    { 1 }, { 2 }, { 3 }, { 4 }, { 5 }, { 6 }, { 7 }, { 8 }, { 9 }, { 10 }, { 11 }, { 12 }, { 13 },
    { 14 }, { 15 }, { 16 }, { 17 }, { 18 }, { 19 }, { 20 }, { 21 }, { 22 }, { 23 }, { 24 }, { 25 },
    id { 26 }, id { 27 }, { 28 }, { 29 }, { 30 }, { 31 }, { 32 }, { 33 }, { 34 }, { 35 }, { 36 },
    { 37 }, { 38 }, { 39 }, { 40 }, { 41 }, { 42 }, { 43 }, { 44 }, { 45 }, { 46 }, { 47 }, { 48 },
    { 49 }, { 50 }, { 51 }, { 52 }, x = { 53 }, { 54 }, { 55 }, { 56 }, { 57 }, { 58 }, { 59 },
    many(120)
}
local object = setmetatable({}, {
    __index = function(t, k)
        id(t)
        return {
            k
        }
    end,
    __add = function(a, b)
        return {
            a,
            { b } }
    end,
    __call = function(self, ...)
        id(self)
        local t = {
            ...
        }
        return t,
            {}
    end,
    __concat = function() return {} end,
    __len = function()
        return #{ 1,
            2 }
    end,
    __eq = function() return {} end,
    __lt = function()
        return {
            {} }
    end,
})
for i = 1, 4 do
    local t = { object.x, object +
        i, object(i,
        {}, {
            i }) }
    t = { object .. "x", #object, object < t,
        x = object,
        object .. {} }
end
-- Constructors one after the other, each in another place than the last: none is taken for it.
for i = 1, 30 do
    local t
    if i % 3 == 0 then
        t = {
            i }
        goto continue
    elseif i % 3 == 1 then
        id(i)
        t = { i, i,
            x = i }
    else
        t = {}
        t.x = {
            y = id(i),
            {
            }
        }
    end
    id({ t })
    ::continue::
    t = { t,
        {}
    }
end
do
    local n = 0
    ::again::
    n = n + 1
    local t = {
        n
    }
    if n < 10 then goto again end
    while n < 20 do
        n = n + #{
            n }
        if n == 15 then break end
    end
    repeat
        local u = { n,
            { n } }
        n = n - 1
    until n == 10 or { u }
        == n
end
assert(#long > 0)
