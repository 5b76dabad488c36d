-- __gc: full collections run Lua functions in the middle of others.
local made = {}
local function new(n)
    return setmetatable({}, {
        __gc = function(o)
            local t = { n }
            made[#made + 1] = { t }
        end,
    })
end
for i = 1, 20 do new(i) end
collectgarbage()
local x = { 1 }
for i = 1, 5 do
    new({})
    collectgarbage()
end
local function deep(n) if n == 0 then return {} end local t = deep(n - 1) return t end
setmetatable({}, { __gc = function() deep(50) end })
collectgarbage()
setmetatable({}, { __gc = function() error({ "ignored" }) end })
collectgarbage()
setmetatable({}, { __gc = function() coroutine.wrap(function() local t = { 1 } end)() end })
collectgarbage()
setmetatable({}, { __gc = function() new(1) local t = { {} } end })
collectgarbage()
collectgarbage()
coroutine.wrap(function()
    new(2)
    collectgarbage()
    local t = { 3 }
    coroutine.yield()
end)()
local again
again = setmetatable({}, { __gc = function(o) again = { o } end })
again = nil
collectgarbage()
local t = { again }
made = {}
collectgarbage()
