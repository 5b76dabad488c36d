-- Code whose instructions stay in the host's memory (mode B of Lua 5.5), and other code in the same place later.
local kept = {}
local function play(f)
    for i = 1, 3 do kept[i] = { f(i) } end
    coroutine.wrap(f)(4)
    pcall(f)
end
local function one(n)
    local t = { n, { n } }
    t.name = "n" .. n
    return t, function() return { t } end, "a text that is long enough to be one of those that the host lends, too"
end
play(host.lent(0, string.dump(one)))
local again = host.lent(1, string.dump(one))
play(again)
kept = {}
collectgarbage()
local function other(n)

    local t = { n, { n } }

    t.name = "n" .. n

    return t, function() return { t } end, "a text that is long enough to be one of those that the host lends, too"
end
play(host.lent(0, string.dump(other)))
play(again)
again, kept = nil, {}
collectgarbage()
for i = 1, 20 do
    play(host.lent(i, string.dump(i % 3 == 0 and other or one)))
    kept = {}
    collectgarbage()
end
