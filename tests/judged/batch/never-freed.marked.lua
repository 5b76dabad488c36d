-- A game whose enemies are marked as dead, and stay in a linked list; each frame makes garbage besides.
local last
for frame = 1, 10000 do
    for i = 1, 6 do
        last = { kind = "drone", x = i, y = 0, hp = 3, before = last } --> change
    end
    local shots, e = {}, last
    while e and #shots < 30 do
        e.y = e.y + 1
        shots[#shots + 1] = { e.x, e.y }
        if e.y > 3 then e.hp = 0 end
        e = e.before
    end
    if frame % 200 == 0 then collectgarbage() end
end
