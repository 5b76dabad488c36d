-- A bounded cache: as many keys go as come, and for each few new ones Lua makes its table anew,
-- which does not grow.
local byKey, ring, cap = {}, {}, 2000
for i = 1, 60000 do
    local at = i % cap + 1
    if ring[at] then byKey[ring[at]] = nil end
    ring[at] = "key" .. i
    byKey[ring[at]] = i --> change
end
