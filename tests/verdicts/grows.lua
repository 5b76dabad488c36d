-- A cache that loses a third of what it is given.
local cache, n = {}, 0
for i = 1, 60000 do
    n = n + 1
    cache[n] = { id = i, size = i * 2 }
    if i % 3 == 0 then
        cache[n] = nil
        n = n - 1
    end
    if i % 2000 == 0 then collectgarbage() end
end
