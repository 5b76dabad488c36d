-- Lists that are filled from nothing, again and again.
local sum = 0
for i = 1, 4000 do
    local list = {}
    for k = 1, 40 do list[k] = k end
    sum = sum + #list
end
