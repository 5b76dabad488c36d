-- Tables that grow: by #t + 1, insert, move, fields, unpack and concat.
local t = {}
for i = 1, 100 do
    t[#t + 1] = i
end
t = {}
for i = 1, 100 do table.insert(t, i) end
t = {}
for i = 1, 30 do table.insert(t, 1, i) end
t = table.move(t, 1, 30, 1, {})
t = table.move({ 1, 2, 3 }, 1, 3, 100)
t = { table.unpack(t, 1, 20) }
t = table.pack(table.unpack(t))
t = {}
for i = 1, 40 do
    t["field" .. i] = i
end
for i = 1, 40 do
    t["field" .. i] = nil
end
t.x = 1
t = {}
t.a = 1
t.b = 2
t.c = 3
t.d = 4
t.e = 5
t[1] = 1
t[2] = 2
t[1.5] = 1
t[true] = 1
t[-1] = 1
t = {}
for i = 20, 1, -1 do t[i] = i end
t = { 1, 2, 3 }
t[4] = 4
t[6] = 6
t[5] = 5
rawset(t, 7, 7)
rawset(t, "raw", {})
t = setmetatable({}, { __newindex = function(t, k, v) rawset(t, k, { v }) end })
for i = 1, 10 do t[i] = i end
table.remove(t)
table.remove(t, 1)
local sparse = {}
for i = 1, 10 do sparse[1 << i] = i end
local matrix = {}
for i = 1, 5 do
    matrix[i] = {}
    for k = 1, 5 do
        matrix[i][k] = i * k
    end
end
local function fill(t) for i = 1, 20 do t[i] = {} end end
fill({})
fill {}
_G.made_by_tables = {}
made_by_tables = nil
