-- A pool of objects that grows to the greatest need and stays.
local pool, used = {}, 0
return function()
    local need = math.random(1, 300)
    while #pool < need do
        pool[#pool + 1] = { #pool, {} }
    end
    used = need
    churn(200)
end
