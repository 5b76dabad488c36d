-- Short and long strings, interning, concatenation, buffers that outgrow their box.
local s = "a"
local keep = {}
for i = 1, 120 do
    s = s .. i
    keep[i] = s:sub(1, i)
    if i % 20 == 0 then check("concat " .. i) end
end
for n = 0, 60 do keep[#keep + 1] = string.rep("x", n) end -- around the limit of short strings
check("rep")
local parts = {}
for i = 1, 400 do parts[i] = tostring(i) .. "," end
local joined = table.concat(parts)
check("table.concat")
local big = string.rep(joined, 40, "-")
check("big")
local changed = big:gsub("%d+", function(d)
    if d == "400" then check("inside gsub") end
    return "<" .. d .. ">"
end, 900)
check("gsub")
print(#changed, #big, select(2, big:gsub("1", "one")))
print(string.format("%5d|%-20s|%q|%g|%a", 42, "left", "a\nb\0c", 1 / 3, 0.5))
print(string.format("%s", setmetatable({}, { __tostring = function() check("tostring") return "me" end })))
print(#string.pack("i4s8z", 1, string.rep("p", 5000), "z"), string.unpack("z", "abc\0"))
big, joined, parts, changed = nil
collectgarbage()
check("collected")
for w in ("the quick brown fox"):gmatch("%a+") do keep[#keep + 1] = w:upper():reverse() end
print(#keep, utf8.char(72, 228, 8364, 128512))
check("end of strings")
