-- Errors for want of memory that the script itself catches and goes on after.
local co = coroutine
local good, bad = 0, 0
local function try(f, ...)
    local ok, e = pcall(f, ...)
    if ok then good = good + 1 else bad = bad + 1 print("caught", e) end
end
for i = 1, 3 do
    try(function() local t = {} for k = 1, 9 do t[k] = { k } t["k" .. k] = k end end)
    try(function() return string.rep("long", 300) .. i end)
    try(function() return (string.rep("abc", 500):gsub("b", "%0%0")) end)
    try(co.wrap(function() local t = { co.running() } co.yield(t) end))
    try(function() local c = co.create(function() local x = {} error(x) end) co.resume(c) co.close(c) end)
    try(function()
        local z <close> = setmetatable({}, { __close = function() local t = { 1 } end })
        local y <close> = setmetatable({}, { __close = function() local t = { 1 } error("closing", 0) end })
        return string.format("%s%s", string.rep("f", 1200), i)
    end)
    try(function() local function r(n) return n == 0 and 0 or 1 + r(n - 1) end return r(60) end)
    try(function() return assert(load("local a = " .. i .. " return function() return a, {1,2,3,4} end"))() end)
end
print(good > 0, good + bad)
