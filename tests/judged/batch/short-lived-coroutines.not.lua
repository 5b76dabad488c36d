-- One coroutine for all requests.
local done = 0
local co = coroutine.wrap(function(n)
    while true do
        done = done + n
        n = coroutine.yield({ n })
    end
end)
for i = 1, 60000 do co(i) end
