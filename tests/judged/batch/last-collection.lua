-- Much is made in incremental mode, and a collection ends the run; a little is made after it.
collectgarbage("incremental")
local t = {}
for i = 1, 30000 do t[i] = { i } end
t = nil
collectgarbage()
for i = 1, 20 do t = { i } end
