-- A list that is read for longer than any start should take, but not for a minute, however slow
-- the machine is. In generational mode only growth brings full collections about, so nothing tells
-- this from a leak as yet.
collectgarbage("generational")
local last, n, begun, minute = nil, 0, os.clock(), os.time()
while os.clock() - begun < 12 and os.time() - minute < 45 do
    for _ = 1, 20 do
        n = n + 1
        last = { name = "entry " .. n, before = last }
    end
    local busy = 0
    for i = 1, 20000 do busy = busy + i end
end
