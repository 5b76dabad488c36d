-- tables.lua [SCALE] - tables with garbage: binary trees, made and thrown away.
local function tree(depth)
    if depth == 0 then return {} end
    return { tree(depth - 1), tree(depth - 1) }
end

local function count(node)
    if not node[1] then return 1 end
    return 1 + count(node[1]) + count(node[2])
end

local size = (1 << 19) * tonumber(arg[1] or 1) // 1
local sum, long = 0, tree(14)
for depth = 4, 14, 2 do
    for _ = 1, size >> depth do
        sum = sum + count(tree(depth))
    end
end
print(sum, count(long))
