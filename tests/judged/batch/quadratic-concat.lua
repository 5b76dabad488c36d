-- A report that is built by joining all of it with each new line.
local html = ""
for i = 1, 4000 do
    html = html .. string.format("<tr><td>%d</td><td>%s</td></tr>\n", i, ("x"):rep(30))
end
assert(#html > 100000)
