-- Pieces that may fail for want of memory, each by itself.
local kept = {}
local function try(f, ...)
    local r = table.pack(pcall(f, ...))
    if not r[1] then kept[#kept + 1] = type(r[2]) end
    return r[2]
end
for i = 1, 40 do
    try(function()
        local t = {
            i,
            { i, x = i },
        }
        t[#t + 1] = ("x"):rep(i * 50)
        return t
    end)
    try(function(...)
        return {
            ...
        }, select("#",
            ...)
    end, table.unpack({}, 1, i))
    try(string.rep, "ab", i * 100, ",")
    try(string.format, "%s %d %q", ("y"):rep(i), i, "z")
    try(function() return (("abc"):rep(i):gsub("b", function(s) return s .. i end)) end)
    try(function() return table.concat({ i, i + 1,
        i + 2 }, ("-"):rep(i)) end)
    try(load, "local a <const> = " .. i .. " return function(x) return { a, x } end", "=chunk" .. i)
    try(function()
        local co = coroutine.wrap(function(a)
            local t = {
                a }
            coroutine.yield(t)
            return { t }
        end)
        co(i)
        return co()
    end)
    try(function()
        local c <close> = setmetatable({}, { __close = function() local t = {
            i } end })
        error({ i })
    end)
    try(function()
        local t = {}
        for k = 1, i do t[k] = k; t["k" .. k] = {
            k } end
        return t
    end)
    try(function() return setmetatable({}, { __gc = function() kept[1] = {
        i } end }) end)
    if i % 10 == 0 then collectgarbage() end
end
return #kept
