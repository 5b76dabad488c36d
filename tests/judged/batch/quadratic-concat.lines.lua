-- The same in several lines and through a field: each line makes what the next one copies.
local page = { body = "" }
for i = 1, 2000 do
    page.body = page.body .. "<tr>"
    page.body = page.body .. string.format("<td>%d</td>", i)
    page.body = page.body .. string.rep("y", 40)
    page.body = page.body .. "</tr>"
end
assert(#page.body > 100000)
