-- What is made and freed in between full collections, in weak tables too; kept and let go.
local keep = {}
for i = 1, 50 do keep[i] = { i } end
for i = 1, 50 do local t = { i, {} } end
collectgarbage()
for i = 1, 50, 2 do keep[i] = nil end
collectgarbage()
local weak = setmetatable({}, { __mode = "v" })
for i = 1, 20 do weak[i] = { i } end
collectgarbage()
local ephemeron = setmetatable({}, { __mode = "k" })
for i = 1, 20 do local k = {} ephemeron[k] = { k } if i % 2 == 0 then keep[i] = k end end
collectgarbage()
local s = ""
for i = 1, 100 do s = s .. "long enough to be no short string " .. i end
collectgarbage()
keep = nil
collectgarbage()
collectgarbage("generational")
for i = 1, 50 do local t = { i } end
local old = { {} }
collectgarbage()
old[1] = { {} }
collectgarbage("step")
collectgarbage()
collectgarbage("incremental")
for i = 1, 50 do local t = { i } end
collectgarbage()
local co = coroutine.create(function() local t = { 1 } coroutine.yield() end)
coroutine.resume(co)
co = nil
collectgarbage()
old = nil
