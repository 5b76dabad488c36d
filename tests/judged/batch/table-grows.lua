-- A cache that nobody empties, of what is made elsewhere, beside settings that were read before. It grows
-- evenly: full collections of a larger heap take longer.
local settings, cache, begun = {}, {}, os.clock()
for i = 1, 20000 do settings["key" .. i] = { value = i } end
local function make(i)
    return { id = i, text = "entry " .. i }
end
local n = 0
for round = 1, 200 do
    for _ = 1, 200 do
        n = n + 1
        cache["request" .. n] = make(n) --> change
    end
    collectgarbage()
    while os.clock() - begun < round * 0.02 do end
end
