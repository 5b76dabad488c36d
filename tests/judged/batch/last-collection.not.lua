-- All that was made is kept: the collection that ends the run finds nothing.
collectgarbage("incremental")
local t = {}
for i = 1, 30000 do t[i] = { i } end
collectgarbage()
collectgarbage()
for i = 1, 20 do t[i] = { i } end
