-- A vector for each step of a game.
local x, y = 0, 0
local function add(a, b) return { x = a.x + b.x, y = a.y + b.y } end
for i = 1, 100000 do
    local v = add({ x = x, y = y }, { x = 1, y = 2 })
    x, y = v.x, v.y
end
