-- Pages that are kept, short lines that are not, and files that are read in blocks.
local body, pages, read = ("b"):rep(2000), {}, 0
for i = 1, 2000 do pages[i] = body .. i end
for i = 1, 20000 do read = read + #("line " .. i .. " of the day" .. i) end
local file = assert(io.open(arg[0]))
for i = 1, 500 do
    file:seek("set", 0)
    read = read + #(file:read(300) .. ("x"):rep(300))
    read = read + #("x"):rep(20000 + i)
end
