-- An index that grows as the last part of much work: the heap does not multiply from one full
-- collection to the next, so this is no start.
local index = {}
for i = 1, 60000 do
    index[i] = { name = i, at = i }
    local scratch = { i, i + 1, i + 2, i + 3 }
    index.last = #scratch
    if i % 2000 == 0 then collectgarbage() end
end
