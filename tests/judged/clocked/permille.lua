-- A thousandth of what is held is added in each cycle, beside a large heap.
local base, more = {}, {}
for i = 1, 20000 do
    base[i] = { i }
end
return function(i)
    churn(400)
    for k = 1, 2 do
        more[#more + 1] = { i, k } --> grows
    end
end
