-- Thousands of chunks that are loaded, run and collected: the addresses of their prototypes and
-- their code are used again for others with other lines, names, sizes, and with none.
local function text(n)
    local lines = ("\n"):rep(n % 61)
    local body = ("local t = { %d } "):rep(1 + n % 7):gsub("%%d", n % 10)
    return lines .. body .. "\nlocal u = {\n" .. n % 3 .. ", { x = 1 } }\nreturn function(...)\n"
        .. ("\n"):rep(n % 5) .. "return { ... }, {} end"
end
local kept, names = {}, {}
for i = 0, 39 do names[i] = (i % 2 == 0 and "=chunk" or "@file") .. i end
for n = 1, 3000 do
    local f = load(text(n), names[n % 40])
    local g = f()
    g(1, 2)
    if n % 3 == 0 then
        local s = load(string.dump(f, n % 2 == 0))
        s()(n)
        if n % 30 == 0 then kept[#kept + 1] = s end
    end
    if n % 17 == 0 then kept[n % 50 + 1] = g end
    f, g = nil
    if n % 4 == 0 then collectgarbage() end
end
for i = 1, 50 do if kept[i] then kept[i](1) end end
-- the same size and shape, so that it is the same address again and again
local same = {}
for n = 1, 500 do
    same[#same + 1] = load(("\n"):rep(n % 50) .. "return { 1 }", "=same")()
    collectgarbage()
    same[#same + 1] = load("return { 1 }", names[n % 40])()
    collectgarbage()
end
-- in coroutines that are suspended when the closure that they run is nowhere else
for n = 1, 200 do
    local co = coroutine.wrap(load(("\n"):rep(n % 23) .. "local t = { 1 }\ncoroutine.yield(t)\nt = {\nt, {} }", "=co"))
    co()
    collectgarbage()
    if n % 2 == 0 then co() end
end
