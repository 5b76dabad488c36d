-- A list, linked by its fields so that no table keeps it, that loses a third of what it is given.
local last
for i = 1, 240000 do
    local entry = { id = i, size = i * 2, before = last }
    if i % 3 ~= 0 then last = entry end
    if i % 4000 == 0 then collectgarbage() end
end
