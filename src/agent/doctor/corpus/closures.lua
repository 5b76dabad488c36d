-- Closures and upvalues: open, closed by the end of a block, shared.
local a, b, c = 1, 2, 3
local f = function() return a end   --@ 2 80
f = function() return b, c end      --@ 3 128
f = function() return a, b, c end   --@ 1 56
f = function() return f end         --@ 2 80
f = function() return print end     --@ 1 40
local fs = {}
for k = 1, 10 do local i = k
    fs[k] = function()
        i = i + 1
        return i
    end
end
for i = 1, 10 do fs[i]() end
local function counter()
    local n = 0
    return function() n = n + 1 return n end,
        function() return n end
end
local up, get = counter()
up() get()
do
    local x, y = {}, {}
    fs[1] = function() x, y = y, x return function() return x end end
    fs[2] = fs[1]()
end
local function curry(f, n)
    if n == 0 then return f() end
    return function(x) return curry(function() return x end, n - 1) end
end
curry(print and function() return 1 end, 3)(1)(2)(3)
local i = 1
while i < 5 do
    local j = i
    fs[i] = function() return j end
    i = j + 1
end
do
    local k = 0
    ::again::
    local m = k
    fs[k] = function() return m end
    k = k + 1
    if k < 4 then goto again end
end
debug.upvaluejoin(fs[1], 1, fs[2], 1)
debug.setupvalue(fs[1], 1, {})
fs = host.closure(3)
fs = host.closure(0)
coroutine.wrap(function() local v = 1 fs = function() return v end coroutine.yield() end)()
collectgarbage()
