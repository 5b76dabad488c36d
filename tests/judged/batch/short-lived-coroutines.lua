-- A coroutine for each request.
local done = 0
for i = 1, 20000 do
    local co = coroutine.wrap(function(n) coroutine.yield(n) done = done + n end)
    co(i)
    co()
end
