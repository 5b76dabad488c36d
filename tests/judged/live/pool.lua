-- Jobs run in coroutines. There is a pool of them, but a coroutine whose job is done is at its end
-- and of no use any more, so that each job gets a new one, and the pool keeps the dead.
local Pool = { idle = {}, started = 0 }

function Pool:take(work)
    for _, worker in ipairs(self.idle) do
        if coroutine.status(worker) == "suspended" then return worker end
    end
    self.started = self.started + 1
    return coroutine.create(work) --> change
end

function Pool:give(worker)
    self.idle[#self.idle + 1] = worker
    if #self.idle > 64 then table.remove(self.idle, 1) end
end

local function work(job)
    local sum = 0
    for i = 1, job.size do
        sum = sum + i
        if i % 10 == 0 then coroutine.yield(sum) end
    end
    job.result = sum
    return sum
end

local number = 0
for _ in io.popen("while sleep 0.01 && echo; do :; done"):lines() do
    for _ = 1, 20 do
        number = number + 1
        local job = { id = number, size = 20 + number % 30 }
        local worker = Pool:take(work)
        repeat coroutine.resume(worker, job) until coroutine.status(worker) == "dead"
        Pool:give(worker)
    end
end
