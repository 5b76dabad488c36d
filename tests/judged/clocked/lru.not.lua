-- A least-recently-used cache of three hundred.
local value, order = {}, {}
return function()
    local k = math.floor(1000 * math.random() ^ 2)
    if value[k] then
        for at, other in ipairs(order) do
            if other == k then
                table.remove(order, at)
                break
            end
        end
    end
    order[#order + 1] = k
    value[k] = { k, "v" .. k }
    if #order > 300 then
        value[table.remove(order, 1)] = nil
    end
    churn(150)
end
