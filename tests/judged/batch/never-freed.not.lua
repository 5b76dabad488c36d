-- The same cache, emptied now and then.
local cache = {}
for i = 1, 60000 do
    cache[i] = { id = i, size = i * 2 }
    local scratch = { i, i + 1, i + 2, i + 3 }
    cache.last = #scratch
    if i % 2000 == 0 then
        if i % 4000 == 0 then cache = {} end
        collectgarbage()
    end
end
