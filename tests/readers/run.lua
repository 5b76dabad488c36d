-- run.lua - a program of two seconds whose recording is read by others: it keeps, drops and grows, calls itself,
-- resumes coroutines, has tags, marks and a function with a name that wants out of a page.
local ok, lmp = pcall(require, "luamemprofiler")
local kept, cache = {}, {}

local function leaf(n)
    local t = {}
    for i = 1, n do
        t[i] = ("%d:%d"):format(n, i)
    end
    return t
end

local function recurse(n)
    if n == 0 then
        return leaf(20)
    end
    return { recurse(n - 1) }
end

local odd = assert(load("return function() return { '</script>' } end", "=</script><b>"))()

local function worker()
    for i = 1, math.huge do
        coroutine.yield(leaf(i % 30))
    end
end

local co, begin, round = coroutine.wrap(worker), os.clock(), 0
while os.clock() - begin < 2 do
    round = round + 1
    cache[round % 50 + 1] = recurse(round % 12)
    kept[#kept + 1] = { co(), odd() }
    if #kept > 3000 then
        kept = {}
    end
    if ok and lmp.mark and round == 2000 then
        lmp.mark("</script>")
    end
end
