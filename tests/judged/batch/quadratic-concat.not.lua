-- Large strings by `..`, of which none is made of the one before it.
local head, kept = ("h"):rep(20000), 0
for i = 1, 6000 do
    local page = head .. i .. head
    page = page:sub(1, 30000) .. i
    kept = kept + #page
end
assert(kept > 0)
