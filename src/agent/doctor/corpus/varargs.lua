-- Functions of variable arguments: their stacks grow before their first instruction is done.
local function count(...) return select("#", ...) end
local function pack(...)
    return {
        n = select("#", ...), ...
    }
end
local function twice(...)
    local t = { ... }
    local u = { ..., ... }
    return t, u
end
local function through(...) return twice(...) end
count()
count(1, 2, 3)
pack()
pack(1, nil, 3)
twice("a", "b")
through({}, {})
count(table.unpack({}, 1, 500))
pack(table.unpack({}, 1, 3000))
through(table.unpack({}, 1, 100))
local function deep(n, ...)
    if n == 0 then return { ... } end
    return deep(n - 1, n, ...)
end
deep(60)
local function not_tail(n, ...)
    if n == 0 then return { ... } end
    local t = not_tail(n - 1, n, ...)
    return t
end
not_tail(60)
coroutine.wrap(function(...)
    local t = { ... }
    coroutine.yield(t)
end)(table.unpack({}, 1, 300))
local f = load("local a = ... return { ... }, a")
f(1, 2, 3)
f(table.unpack({}, 1, 100))
