-- Small tables that are dropped at once, while the collector is stopped: nothing holds them at the peak.
local n = 0
collectgarbage()
collectgarbage("stop")
for i = 1, 60000 do n = n + #{ { i } } end
collectgarbage("restart")
collectgarbage()
local until_then = os.clock() + 0.5
while os.clock() < until_then do
    for i = 1, 1000 do n = n + #{ i } end
end
collectgarbage()
