-- The same settings, a cache that fills up and stops, one that forgets what is oldest, and many tables
-- that grow and are dropped.
local settings, cache, recent, begun = {}, {}, {}, os.clock()
for i = 1, 20000 do settings["key" .. i] = { value = i } end
local n = 0
while os.clock() - begun < 2 do
    for _ = 1, 100 do
        n = n + 1
        cache[n % 5000] = cache[n % 5000] or { id = n, text = "entry " .. n }
        recent[n], recent[n - 500] = { id = n }, nil
        local rows = {}
        for k = 1, 100 do rows[k] = { k } end
    end
    if n % 1000 == 0 then collectgarbage() end
end
