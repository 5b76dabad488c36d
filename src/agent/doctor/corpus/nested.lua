-- Coroutines in coroutines, over 64 deep; C functions and constructors at each depth.
local function nest(n, make)
    local t = {
        n }
    if n > 0 then
        local co = make(function()
            local u = {
                { n }
            }
            nest(n - 1, make)
            u = { u,
                "n" .. n }
        end)
        co()
        t = {
            t,
            co }
    end
    return t
end
nest(100, coroutine.wrap)
nest(90, function(f)
    local co = coroutine.create(f)
    return function()
        local ok, e = coroutine.resume(co)
        return { ok,
            e }
    end
end)
nest(60, function(f)
    return function() return pcall(f) end
end)
local function yields(n)
    return coroutine.wrap(function()
        local inner = n > 0 and yields(n - 1) or function() return {} end
        for i = 1, 2 do
            local t = {
                inner(),
                n
            }
            coroutine.yield(t)
            t = { t }
        end
    end)
end
local outer = yields(70)
outer()
outer()
local function deep(n)
    if n == 0 then
        return {
            "bottom" }
    end
    local t = { deep(n - 1),
        n }
    return t
end
deep(150)
local function through_c(n)
    local t = {
        n }
    if n == 0 then return end
    if n % 3 == 0 then
        table.sort({ 2, 1 }, function(a, b)
            through_c(n - 1)
            n = 1
            return a < b
        end)
    elseif n % 3 == 1 then
        local s = ("x"):gsub("x", function()
            through_c(n - 1)
            return "y" .. n
        end)
    else
        pcall(through_c, n - 1)
    end
    return { t,
        {} }
end
through_c(30)
