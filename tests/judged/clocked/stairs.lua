-- A batch of a thousand at every sixtieth step is never given back.
local batches = {}
return function(i)
    churn(300)
    if i == 180 then
        begins()
    end
    if i % 60 == 0 then
        local batch = {} --> grows
        for k = 1, 1000 do
            batch[k] = { k } --> grows
        end
        batches[#batches + 1] = batch --> grows
    end
end
