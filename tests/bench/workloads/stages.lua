-- Each operation many times, between two calls of `stage`: where callgrind writes what it has counted.
-- Garbage goes at the end of each, not when cycles happen to begin.
local stage = assert(package.loadlib(assert(os.getenv "LMP_BENCH_STAGE"), "bench_stage"))
local N = 20000
local operations = {
    function() for i = 1, N do local t = { i } end end,
    function() for i = 1, N do local s = "x" .. i end end,
    function() for i = 1, N do local f = function() return i end end end,
    function() for i = 1, N / 4 do local t = {} for k = 1, 9 do t[k] = k end end end,
    function() for i = 1, N / 4 do coroutine.wrap(print) end end,
}
collectgarbage("stop")
for _, operation in ipairs(operations) do
    collectgarbage()
    stage()
    operation()
    collectgarbage()
    stage()
end
