-- Metrics: their labels have the request's number in them, so each series is a new one; and samples
-- wait for an export that never comes. Latencies go around in a ring of 4096; buffers are pooled.
local series, pending, ring, buffers = {}, {}, {}, {}

for i = 1, 4096 do ring[i] = { latency = 0, at = 0 } end
for i = 1, 300 do buffers[i] = { text = ("."):rep(100) .. i, used = false } end

local function observe(name, labels, value)
    local key = name .. "{" .. labels .. "}"
    local one = series[key]
    if not one then
        one = { name = name, labels = labels, sum = 0, buckets = { 0, 0, 0, 0 } }
        series[key] = one --> change
    end
    one.sum = one.sum + value
end

local function queue(sample)
    pending[#pending + 1] = sample --> change
end

local n = 0
for _ in io.popen("while sleep 0.05 && echo; do :; done"):lines() do
    for _ = 1, 6 do
        n = n + 1
        local slot = ring[n % #ring + 1]
        slot.latency, slot.at = n % 97, n
        local buffer = buffers[n % #buffers + 1]
        buffer.used = not buffer.used
        observe("requests", ("id=%d,method=GET"):format(n), 1)
        queue { n, slot.latency, "sample of " .. n }
    end
end
