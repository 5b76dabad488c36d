-- Points that grow by field: each has three parts, one after the other.
local sum = 0
for i = 1, 40000 do
    local p = {}
    p.x = i
    p.y = i
    p.z = i
    p.w = i
    p.v = i
    sum = sum + p.x
end
