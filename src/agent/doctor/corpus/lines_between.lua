-- Long gaps, many instructions on a line, and instructions whose lines go back.
local t = { 1 } local u = { 2 } local v = { 3 } t, u, v = {}, {}, {}  --@ 9 6*T+3*A1
local w =



    {}
w = { x = 1,



    y = {},



    z = (function()

        return {}

    end)() }
local function f(
    a,
    b
)
    return {
        a, b
    }
end
f(
    {},
    f(
        {},
        { {} }
    )
)
local s = "a" ..
    #w ..
    "b" ..
    #t
local x = w.y
    and { 1 }
    or { 2 }
w = f
{
    1
}
w =
    -- a comment
    f { 1,
        2 }
if {} then local z = {} elseif { 1 } then local z = {} else local z = {} end
w = { [{}] = {}, [{
}] = {}, [
    {}
] = {} }
while not { 1 } do end
repeat local r = { 1 } until { 2 }
for i = #{ 1 }, #{ 1, 2 } do local z = {
} end
x = { f({}, {}) }, {
}
