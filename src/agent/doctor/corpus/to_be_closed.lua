-- __close in every way out of a block.
local function closer(n)
    return setmetatable({}, {
        __close = function(_, e)
            local t = { n, e }
        end })
end
do
    local a <close> = closer(1)
    local b <close> = closer(2)
    local t = {}
end
for i = 1, 3 do
    local c <close> = closer(i)
    if i == 2 then goto continue end
    local t = { i }
    ::continue::
end
local function returns()
    local d <close> = closer(4)
    return {}, { 1 }
end
returns()
local function breaks()
    while true do
        local e <close> = closer(5)
        break
    end
    return {}
end
breaks()
pcall(function()
    local f <close> = closer(6)
    error({})
end)
pcall(function()
    local f <close> = setmetatable({}, { __close = function() error({ 1 }) end })
    local g <close> = closer(7)
    error({ 2 })
end)
local function iterate()
    return function(s, i) if i < 3 then return i + 1, {} end end, nil, 0, closer(8)
end
for i, t in iterate() do
    local u = { t }
end
for i in iterate() do if i == 2 then break end end
local co = coroutine.create(function()
    local h <close> = closer(9)
    local i <close> = setmetatable({}, { __close = function()
        coroutine.yield({})
        local t = { {} }
    end })
    coroutine.yield()
    return {}
end)
coroutine.resume(co)
coroutine.resume(co)
coroutine.resume(co)
local co2 = coroutine.create(function()
    local h <close> = closer(10)
    coroutine.yield()
end)
coroutine.resume(co2)
coroutine.close(co2)
coroutine.wrap(function()
    local co3 = coroutine.create(function()
        local h <close> = closer(11)
        local k <close> = closer(12)
        coroutine.yield()
    end)
    coroutine.resume(co3)
    local t = { 1 }
    coroutine.close(co3)
    t = { t }
end)()
