-- A queue: as much is taken out as is put in.
local queue, first = {}, 1
for i = 1, 60000 do
    queue[i] = { id = i, size = i * 2 }
    if i - first > 500 then
        queue[first] = nil
        first = first + 1
    end
    if i % 2000 == 0 then collectgarbage() end
end
