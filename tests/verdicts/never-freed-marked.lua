-- A game whose enemies are marked as dead, and stay in the list; each frame makes garbage besides.
local entities = {}
for frame = 1, 4000 do
    for i = 1, 6 do
        entities[#entities + 1] = { kind = "drone", x = i, y = 0, hp = 3 } -- here
    end
    local shots = {}
    for i = math.max(1, #entities - 30), #entities do
        local e = entities[i]
        e.y = e.y + 1
        shots[#shots + 1] = { e.x, e.y }
        if e.y > 3 then e.hp = 0 end
    end
    if frame % 200 == 0 then collectgarbage() end
end
