-- Points with all their fields named where they are made.
local sum = 0
for i = 1, 40000 do
    local p = { x = i, y = i, z = i, w = i, v = i }
    sum = sum + p.x
end
