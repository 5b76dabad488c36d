-- A scheduler: plans are made as it starts, results go around in a window of 256. Workers that wait
-- for ever stay in the pool, and what was done stays in the list of the done.
local plans, window, workers, done = {}, {}, {}, {}

for i = 1, 2000 do plans[i] = { every = i % 60, title = "plan " .. i } end

local function work(job)
    local rows = {}
    for i = 1, 12 do rows[i] = job.id * i end
    while true do
        local more = coroutine.yield(#rows)
        if more then rows[#rows + 1] = more end
    end
end

local function start(job)
    local worker = coroutine.create(work)
    workers[#workers + 1] = worker --> change
    coroutine.resume(worker, job)
end

local function finish(job)
    window[job.id % 256 + 1] = { job = job.id, took = job.id % 13 }
    done[job.id] = { title = job.plan.title, report = ("job %d is done"):format(job.id) } --> change
end

local id = 0
for _ in io.popen("while sleep 0.05 && echo; do :; done"):lines() do
    for _ = 1, 4 do
        id = id + 1
        local job = { id = id, plan = plans[id % #plans + 1] }
        start(job)
        finish(job)
    end
end
