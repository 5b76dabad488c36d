-- A bounded cache: its table is made anew again and again, but does not grow, and no constructor
-- could name its keys.
local byKey, ring, cap = {}, {}, keys or 2000
for i = 1, 60000 do
    local at = i % cap + 1
    if ring[at] then byKey[ring[at]] = nil end
    ring[at] = "key" .. i
    byKey[ring[at]] = i
end
