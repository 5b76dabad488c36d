-- far_lines.lua - prints a script for lines.c whose lines are far apart, so that its line information has
-- absolute entries: between two lines that make something are up to 203 empty ones.
print("-- Lines that are far apart, so that the line information has absolute entries.\nlocal t, s = {}, ''")
for i = 0, 59 do
    print(("t[#t + 1] = { %d, { %d } }"):format(i, i))
    io.write(("\n"):rep(4 + 37 * i % 200))
    if i % 7 == 0 then print(("do local f = function()\n\n\n return { %d,\n { x = 1 } } end f() end"):format(i)) end
    if i % 11 == 0 then print(("s = s .. #t\n"):rep(5)) end
end
