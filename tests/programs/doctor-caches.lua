-- doctor-caches.lua - so many lines that the caches of the profiler grow; code that was met before
-- then dies, and other code takes its place. Played by `doctor caches`.
local function chunks(n, k)
    local all = {}
    for i = 1, n do
        all[i] = load(("\n"):rep(i % 50) .. "local a = ... local t = {a, x = a} \n local u = {} \n u.x = a u[1] = {a} "
            .. "return function() return {t} end", "=small")
    end
    for i = 1, n do all[i](k)() end
    return all
end
local small = chunks(300, 1)
local parts = { "return function()\n" }
for i = 1, 9000 do
    parts[#parts + 1] = "local _ = {}\n"
    if i % 100 == 0 then parts[#parts + 1] = "end, function()\n" end
end
parts[#parts + 1] = "end"
local big = table.pack(load(table.concat(parts), "=big")())
for _ = 1, 3 do
    for i = 1, big.n do big[i]() end
end
for round = 1, 6 do
    small = nil
    collectgarbage()
    collectgarbage()
    small = chunks(300 + round, round)
    for i = 1, big.n do big[i]() end
end
