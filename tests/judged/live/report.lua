-- A report of orders as a page of HTML, a row for each.
local random = math.random

local function orders(n)
    local list = {}
    for i = 1, n do
        local total, items = random(1, 100000) / 100, random(1, 9)
        list[i] = { id = i, customer = "customer " .. random(2000), total = total, items = items }
    end
    return list
end

local function escape(text)
    return (text:gsub("[<>&]", { ["<"] = "&lt;", [">"] = "&gt;", ["&"] = "&amp;" }))
end

local function row(order)
    local format = "<tr><td>%d</td><td>%s</td><td>%.2f</td><td>%d</td></tr>\n"
    return format:format(order.id, escape(order.customer), order.total, order.items)
end

local function report(list)
    local html = "<html><body><table>\n"
    for _, order in ipairs(list) do
        local line = row(order)
        html = html .. line --> change
    end
    return html .. "</table></body></html>\n"
end

local page = report(orders(tonumber(arg[1]) or 100000))
print(#page .. " bytes")
