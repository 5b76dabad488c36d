-- What Lua 5.5 has and 5.4 has not: tables of variable arguments with a name, declared globals, strings that
-- take over a buffer.
local source = [[
local function sum(...t)
    local n = 0
    for i = 1, t.n do n = n + t[i] end
    return n
end
local function keep(a, ...t) return t end
local function pass(...t) return select("#", ...), t end
local function deep(n, ...t)
    if n == 0 then return t end
    return deep(n - 1, table.unpack(t))
end
local s = sum(1, 2, 3)
s = sum()
local kept = {}
for i = 1, 20 do
    kept[i] = keep(i, i, {})
    kept[-i] = keep()
end
local n, t = pass(nil, nil, {})
t = deep(5, 1, 2,
         {})
t = coroutine.wrap(function(...t)
    coroutine.yield(t)
    return { t }
end)
t(1) t()
global print
global made = function() return { made } end
local m = made()
global function twice(...v) return v, v end
m = { twice(1,
            m) }
for i = 1, 3 do local f = function(...x) return { x[i] } end f(i, i) end
]]
local chunk = load(source, "=newer") -- nil in 5.4
if chunk then chunk() end

local parts = {}
for i = 1, 300 do
    parts[i] = "some part of it"
end
local long = table.concat(parts)
long = ("x"):rep(3000)
local texts = {}
for i = 1, 20 do
    texts[i] = ("y"):rep(1000 + 100 * i) .. i
    texts[-i] = long:gsub("x", "zz"):upper()
end
texts = nil
collectgarbage()
