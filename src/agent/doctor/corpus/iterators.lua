-- Loops: the iterator is called by the for's own instruction.
local function range(n)
    local i = 0
    return function()
        i = i + 1
        if i <= n then return { i } end
    end
end
for t in range(5) do
    local u = { t }
end
for i, t in
    ipairs { {}, {}, {} }
do
    local u = { i }
end
for k, v in pairs({ a = 1 }) do
    local t = { k, v }
end
for k, v in next, { 1, 2, 3 } do local t = { k } end
local function stateless(s, i) if i < s.n then return i + 1, { i } end end
for i, t in stateless, { n = 4 }, 0 do local u = { t } end
for i = 1, 3 do local t = { i } end
for x = 1.0, 2.0, 0.25 do local t = { x } end
for x = 3, 1, -1 do local t = { x, x } end
for i = 1, 0 do local t = {} end
for w in string.gmatch("one two", "%a+") do local t = { w } end
for t in coroutine.wrap(function() for i = 1, 3 do coroutine.yield({ i }) end end) do local u = { t } end
for t in setmetatable({}, { __call = function(_, _, c) if not c then return { 1 } end end }) do local u = { t } end
local i = 0
while i < 5 do
    i = i + 1
    if i == 3 then goto next end
    local t = { i }
    ::next::
end
repeat
    local t = { i }
    i = i - 1
until #{ i } == 1 and i == 0
do
    local n = 0
    ::top::
    n = n + 1
    local t = {
        n }
    if n < 5 then goto top end
end
