-- Patterns: callbacks, replacement tables, results of many captures.
local s = ("word and number 12345 "):rep(5)
local r = s:gsub("%d", function(d)
    local t = { d }
    return d
end)
r = s:gsub("%w+", string.upper)
r = s:gsub("%w+", { word = "WORD", ["and"] = "AND" })
r = s:gsub("%w+", setmetatable({}, { __index = function(_, k)
    return k .. "!"
end }))
r = s:gsub("(%w)(%w)", "%2%1")
r = s:gsub("x*", "-")
for w in s:gmatch("%a+") do
    local t = { w }
end
for k, v in ("a=1, b=2, c=3"):gmatch("(%w+)=(%w+)") do local t = { [k] = v } end
local a, b, c = s:match("(%a+) (%a+) (%a+)")
local first, last, cap = s:find("(%d+)")
pcall(string.gsub, s, "%d", function() error({}) end)
pcall(string.gsub, s, "%", "x")
pcall(string.gsub, s, ".", function() return {} end)
r = ("nested"):gsub(".", function(x)
    return (x:gsub(".", function(y)
        local t = { x, y }
        return y:rep(3)
    end))
end)
r = ("x"):rep(2000):gsub("x", "yy")
