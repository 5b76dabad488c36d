-- Tables with garbage: binary trees, made and thrown away.
local function tree(depth)
    if depth == 0 then return {} end
    return { tree(depth - 1), tree(depth - 1) }
end

local function count(node)
    if not node[1] then return 1 end
    return 1 + count(node[1]) + count(node[2])
end

local sum, long = 0, tree(14)
for depth = 4, 14, 2 do
    for _ = 1, 1 << (19 - depth) do
        sum = sum + count(tree(depth))
    end
end
print(sum, count(long))
