-- Array and hash growth, constructors, sizes that look like other things (a CallInfo has 64 bytes,
-- and so has an array of 4), removal and shrinking by rehash.
local four = {}
for i = 1, 50 do four[i] = { i, i, i, i } end -- 64-byte arrays
check("constructors of four")
local function pairs_of(n) local t = {} for i = 1, n do t["k" .. i] = i end return t end
for _, n in ipairs { 0, 1, 2, 3, 4, 5, 8, 9, 31, 33, 64, 100 } do four[#four + 1] = pairs_of(n) end
check("hashes")
local grow = {}
for i = 1, 1030 do grow[i] = i if i % 128 == 1 then check("array " .. i) end end
for i = 1, 1030 do grow[i] = nil end
check("emptied")
for i = 1, 40 do grow["again" .. i] = i end -- the rehash gives the array back
check("rehashed")
local mixed = { 1, 2, 3, x = 1, y = 2, [1e10] = 3, [true] = 4, [1.5] = 5, nil, 6 }
local long = {}
for i = 1, 300 do long[#long + 1] = "return {" .. i .. "}" end
local c60 = load("return {" .. string.rep("7,", 160) .. "}") -- several OP_SETLIST
check("compiled")
local made = c60()
check("setlist")
print(#made, #mixed, #four, select("#", table.unpack(made)))
table.sort(made, function(a, b) return a < b end)
table.insert(made, 1, "x") table.remove(made) table.move(made, 1, 20, 200, {})
local packed = table.pack(table.unpack(made, 1, 100))
check("packed")
local function varargs(...) local t = { ... } return { n = select("#", ...), t, ... } end
print(varargs(1, 2, 3).n, #varargs(table.unpack(made)), packed.n)
local nested = {}
do local at = nested for i = 1, 100 do at.next = { prev = at, i } at = at.next end end
check("nested")
local weak = setmetatable({}, { __mode = "k" })
for i = 1, 60 do weak[{}] = { i } end
check("weak")
collectgarbage()
check("weak, collected")
print(next(weak))
local values = setmetatable({}, { __mode = "v" })
for i = 1, 60 do values[i] = { i } end
collectgarbage()
print(#values, next(values))
for i = 1, 20 do grow = { [i] = grow } end
four = nil
collectgarbage("step", 200)
check("end of tables")
