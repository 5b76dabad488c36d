-- A key for each request, and nothing but the key.
local hits = { n = 0 }
for i = 1, 100000 do
    local key = "user:" .. i % 5000 .. ":" .. i --> change: index tables by the parts
    if hits[key] then hits.n = hits.n + 1 end
end
