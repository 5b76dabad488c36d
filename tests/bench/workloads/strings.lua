-- strings.lua [SCALE] - strings: format and concatenation.
local size = 2400000 * tonumber(arg[1] or 1) // 1
local length = 0
for i = 1, size do
    local s = string.format("%d:%s", i, "value") .. "/" .. i
    length = length + #s
end
print(length)
