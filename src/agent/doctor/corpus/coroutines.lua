-- Coroutines by create and resume, in each other, with errors and closing.
local function body(a, b)
    local t = { a, b }
    local c = coroutine.yield(t)
    t = { c }
    coroutine.yield({ t })
    return { t, t }
end
local co = coroutine.create(body)
coroutine.resume(co, 1, 2)
coroutine.resume(co, {})
local keep = { coroutine.resume(co) }
coroutine.resume(co)
local function nest(depth)
    local t = { depth }
    if depth > 0 then
        local inner = coroutine.create(nest)
        assert(coroutine.resume(inner, depth - 1))
        t = { inner }
        assert(coroutine.resume(inner))
    end
    coroutine.yield(t)
    return { depth }
end
local outer = coroutine.create(nest)
assert(coroutine.resume(outer, 8))
local mid = { outer }
assert(coroutine.resume(outer))
local many = {}
for i = 1, 20 do
    many[i] = coroutine.create(function()
        for k = 1, 5 do
            local t = { i, k }
            coroutine.yield()
        end
    end)
end
for k = 1, 5 do
    for i = 1, 20 do
        coroutine.resume(many[i])
        local t = { k }
    end
end
local failing = coroutine.create(function()
    local t = { 1 }
    error({ "an error", t })
end)
local ok, e = coroutine.resume(failing)
coroutine.resume(failing)
local message = coroutine.create(function() error("with a place " .. #many) end)
ok, e = coroutine.resume(message)
local only_c = coroutine.create(string.rep)
coroutine.resume(only_c, "ab", 1000)
local c_pcall = coroutine.create(pcall)
coroutine.resume(c_pcall, function() local t = {} error { t } end)
local closing = coroutine.create(function()
    local z <close> = setmetatable({}, {
        __close = function()
            local t = { "closed" }
        end })
    local y <close> = setmetatable({}, { __close = function() error "from close" end })
    coroutine.yield()
end)
coroutine.resume(closing)
coroutine.close(closing)
local unborn = coroutine.create(body)
coroutine.close(unborn)
assert(coroutine.running() and not coroutine.isyieldable())
