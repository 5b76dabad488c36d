-- A position for each thing and frame, which lives until the next frame.
local things = {}
for i = 1, 400 do things[i] = { x = i, y = i } end
for frame = 1, 400 do
    for i, thing in ipairs(things) do
        things[i] = { x = thing.x + 1, y = thing.y + 2 } --> change
    end
end
