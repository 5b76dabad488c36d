-- coroutine.wrap: generators in generators, errors that pass through them.
local function gen(depth)
    return coroutine.wrap(function(...)
        for i = 1, 4 do
            local t = { i }
            if depth > 0 then
                local g = gen(depth - 1)
                for k = 1, 3 do
                    g(k)
                    local q = { k }
                end
            end
            coroutine.yield(t)
        end
    end)
end
local g = gen(3)
for _ = 1, 4 do g() end
local function inorder(t)
    if t then
        inorder(t.left)
        coroutine.yield({ t.key })
        inorder(t.right)
    end
end
local function insert(t, k)
    if not t then return { key = k } end
    if k < t.key then t.left = insert(t.left, k) else t.right = insert(t.right, k) end
    return t
end
local tree
for _, k in ipairs { 5, 2, 8, 1, 9, 3, 7 } do tree = insert(tree, k) end
for t in coroutine.wrap(function() inorder(tree) end) do
    local copy = { t[1] }
end
local thrower = coroutine.wrap(function()
    coroutine.yield({ 1 })
    local inner = coroutine.wrap(function()
        local t = {}
        error({ t })
    end)
    inner()
end)
thrower()
local ok, e = pcall(thrower)
ok, e = pcall(coroutine.wrap(function() error("text " .. #e) end))
ok, e = pcall(coroutine.wrap(function() local x = nil; return x.y end))
for i = 1, 5 do
    local w = coroutine.wrap(function()
        pcall(function()
            coroutine.wrap(function()
                local t = {}
                error "in"
            end)()
        end)
        local t = { i }
        coroutine.yield()
        local u = { t }
    end)
    w() w()
end
local w = coroutine.wrap(function() return pcall(pcall, error, coroutine.yield({})) end)
w()
w({ "again" })
local dead = coroutine.wrap(function() end)
dead()
ok, e = pcall(dead)
local across = coroutine.wrap(function()
    local t = { pcall(function() coroutine.yield({}) return {} end) }
    return t
end)
across()
across()
local closing = coroutine.wrap(function()
    local z <close> = setmetatable({}, { __close = function() local t = { {} } end })
    error { "e" }
end)
ok, e = pcall(closing)
