-- Threads that C code resumes, with and without a Lua function below; with the thread in an
-- argument of the C function, and nowhere that one could see.
local function body(n)
    return function()
        for i = 1, 3 do
            local t = { i, n }
            coroutine.yield(t)
            t = {
                n,
            }
        end
        return {}
    end
end
local co = coroutine.create(body(1))
host.resume(co)
host.resume(co)
local t = { host.resume(co) }
host.run(body(2))
host.run(function()
    local t = {}
    host.run(body(3))
    local u = { t }
    coroutine.wrap(function()
        local v = { u }
        host.run(body(4))
        v = { v }
    end)()
    t = { {} }
end)
host.schedule(body(5), body(6), body(7))
host.schedule(function()
    local t = { 1 }
    host.schedule(body(8), body(9))
    coroutine.yield()
    t = { 2 }
end, body(10))
pcall(host.run, function() local t = {} error({ t }) end)
pcall(host.run, function() local t = {} error("x" .. #t) end)
coroutine.wrap(function()
    local t = { 1 }
    host.run(function() local u = { 2 } end)
    coroutine.yield(t)
    t = { t }
    host.run(function() local u = { {} } coroutine.yield() u = { u } end)
end)()
host.call(function() return { host.userdata(10) } end)
local y = coroutine.wrap(function()
    local t = { host.yield(1) }
    return { t }
end)
y()
y()
local c = coroutine.wrap(host.yield)
c()
c()
