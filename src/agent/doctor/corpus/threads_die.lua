-- Threads that are collected while suspended, closed, unstarted; their stacks shrink on the way.
for i = 1, 10 do
    local co = coroutine.create(function() local t = { i } coroutine.yield(t) end)
    if i % 2 == 0 then coroutine.resume(co) end
end
collectgarbage()
local co = coroutine.create(function()
    local function rec(n) if n == 0 then return coroutine.yield({}) end local x = rec(n - 1) return x end
    rec(200)
    local t = { 1 }
    coroutine.yield()
    collectgarbage()
    t = { 2 }
    rec(1)
end)
coroutine.resume(co)
collectgarbage()
coroutine.resume(co)
collectgarbage()
local t = { 3 }
coroutine.resume(co)
collectgarbage()
co = nil
collectgarbage()
