-- Hooks that the program sets: functions that run between any two instructions.
local log = {}
local function work()
    local t = { 1 }
    t = {
        2,
        { 3 },
    }
    return t
end
debug.sethook(function(event, line)
    local t = { event, line }
end, "l")
work()
local x = { {} }
debug.sethook()
work()
debug.sethook(function(event) log[#log + 1] = { event } end, "cr")
work()
string.rep("x", 100)
debug.sethook()
debug.sethook(function() local t = {} end, "", 3)
work()
for i = 1, 10 do x = { i } end
debug.sethook()
local co = coroutine.create(function()
    local t = { 1 }
    coroutine.yield()
    t = { 2 }
    work()
end)
debug.sethook(co, function() local t = { {} } end, "l")
coroutine.resume(co)
work()
coroutine.resume(co)
debug.sethook(function(e) debug.sethook() coroutine.wrap(function() local t = { e } end)() end, "l")
x = {}
work()
host.hook(1)
work()
host.hook(4)
work()
x = { 1 }
host.hook(8, 7)
work()
host.hook()
work()
pcall(function()
    debug.sethook(function()
        debug.sethook()
        error({ "from a hook" })
    end, "l")
    work()
end)
debug.sethook()
x = { 1 }
