-- The same, on the line that holds the large heap.
local all = {}
local function add(n)
    for k = 1, n do
        all[#all + 1] = { k } --> grows
    end
end
add(20000)
return function()
    churn(400)
    add(3)
end
