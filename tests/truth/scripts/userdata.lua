-- Userdata: files, iterators, user values, and payloads of every size that a block map must know.
local name = os.tmpname()
local f <close> = assert(io.open(name, "w"))
for i = 1, 300 do f:write("line ", i, " ", string.rep("d", i % 50), "\n") end
f:close()
check("written")
local n, lines = 0, {}
for l in io.lines(name) do
    n = n + 1
    lines[n] = l
    if n % 100 == 0 then check("line " .. n) end
end
print(n, #lines[300])
for a, b in io.lines(name, 1, "l") do n = n + #a + #b end
print(n)
local g = assert(io.open(name))
check("opened")
print(#g:read("a"))
check("read whole")
g:seek("set") print(#g:read(3000))
g:close()
print(io.open("/nonexistent/file"))
print(io.type(g), pcall(io.lines, "/nonexistent/file"))
local t = {}
for i = 0, 80 do t[i] = bigdata(i) end
check("small sizes")
local sizes = { 2 ^ 12, 2 ^ 16 + 1, 2 ^ 20 - 40, 2 ^ 26, 2 ^ 28 - 48, 2 ^ 28, 2 ^ 28 + 1, 2 ^ 32, 2 ^ 33 + 12345 }
for i, size in ipairs(sizes) do
    t[#t + 1] = bigdata(math.tointeger(size))
    debug.setuservalue(t[#t], { i }, 1)
    check("size " .. size)
end
collectgarbage()
check("big ones kept")
t = nil
collectgarbage()
check("big ones freed")
os.remove(name)
