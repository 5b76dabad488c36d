-- Nothing but the leak: each full cycle comes when the heap has doubled.
local all = {}
return function(i)
    for k = 1, 70 do
        all[#all + 1] = { i, k } --> grows
    end
end
