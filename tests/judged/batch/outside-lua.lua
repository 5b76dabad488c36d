-- A library with a large buffer of its own.
assert(require("outside").take(96 << 20))
local t = {}
for i = 1, 1000 do t[i] = { i } end
