-- Threads that are resumed when no Lua function runs in the main thread, in turns.
local function worker(n)
    return function()
        local made = {}
        for i = 1, 4 do
            made[#made + 1] = { i }
            coroutine.yield()
            local t = {
                n, i,
            }
        end
        coroutine.wrap(function() local t = { made } coroutine.yield() end)()
        host.run(function() local t = { n } coroutine.yield() t = { t } end)
        local co = coroutine.create(function() local t = { n, n } coroutine.yield({}) end)
        coroutine.yield()
        coroutine.resume(co)
        return { made }
    end
end
return { worker(1), worker(2), function() local t = {} end, worker(3), string.format and worker(4) }
