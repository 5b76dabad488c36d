-- A list that nobody empties, linked by its fields, so that no table keeps it; beside work that leaves
-- nothing behind.
local last
for i = 1, 240000 do
    last = { id = i, size = i * 2, before = last } --> change
    local scratch = { i, i + 1, i + 2, i + 3 }
    last.size = #scratch
    if i % 4000 == 0 then collectgarbage() end
end
