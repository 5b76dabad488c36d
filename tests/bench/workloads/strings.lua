-- Strings: format and concatenation.
local length = 0
for i = 1, 2400000 do
    local s = string.format("%d:%s", i, "value") .. "/" .. i
    length = length + #s
end
print(length)
