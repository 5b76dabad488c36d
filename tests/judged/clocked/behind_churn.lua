-- One in a hundred of what a busy line makes is kept.
local kept = {}
return function(i)
    for k = 1, 200 do
        local t = { i, k } --> grows
        if k % 100 == 0 then
            kept[#kept + 1] = t --> grows
        end
    end
end
