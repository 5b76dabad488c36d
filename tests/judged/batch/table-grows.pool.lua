-- Coroutines that never end. Each has a short list of its own, and all of these are of one age; what
-- grows is the pool.
local settings, pool, begun = {}, {}, os.clock()
for i = 1, 5000 do settings["key" .. i] = { value = i } end
local function work(job)
    local rows = {}
    for i = 1, 20 do
        rows[i] = { job, i } --> not here
    end
    while true do rows[1] = coroutine.yield(#rows) end
end
for round = 1, 150 do
    for i = 1, 20 do
        local worker = coroutine.create(work)
        coroutine.resume(worker, i)
        pool[#pool + 1] = worker --> change
    end
    collectgarbage()
    while os.clock() - begun < round * 0.02 do end
end
