-- Strings that C functions build, small and large.
local s = string.format("%d %s %5.2f %q", 1, "x", 2.5, "quoted\n")
s = string.format("%s", ("long"):rep(500))
s = string.format("%-20s|%20s", "a", "b")
s = string.format("%s %s", setmetatable({}, { __tostring = function() return "o" .. #{ 1 } end }), 1)
s = string.rep("abc", 10)
s = string.rep("abc", 1000, ", ")
s = ("x"):rep(100000)
s = string.char(104, 105, 33)
s = string.upper(("up"):rep(600))
s = ("reverse"):reverse()
s = s:lower()
s = ("sub string that is longer than forty characters, yes"):sub(3, 48)
s = string.pack("i4i8s2", 1, 2, ("p"):rep(300))
local a, b, c = string.unpack("i4i8s2", s)
s = table.concat({ 1, 2, 3, "four" }, ", ")
local parts = {}
for i = 1, 300 do
    parts[i] = "part " .. i
end
s = table.concat(parts)
s = table.concat(parts, "; ", 10, 200)
s = tostring(1.25) .. tostring(77777) .. tostring(true)
s = tostring(nil)
s = 1 .. 2
s = 1.5 .. "|" .. 2 .. "|" .. "three" .. "|" .. 4.0
local chain = "a" .. s .. "b" .. s .. "c"
    .. s .. "d"
    .. #s
for i = 1, 50 do chain = chain .. i .. "," end
s = utf8.char(228, 8364, 128512)
for p, c in utf8.codes("aäo") do s = s .. c end
s = host.buffer(10)
s = host.buffer(5000)
s = #("x"):rep(40) .. ("x"):rep(41)
local n = tonumber("0x" .. "ff")
s = os.date("!%Y", 0)
s = os.getenv("HOME_THAT_IS_NOT_THERE")
s = string.dump(function() return { s } end)
pcall(string.rep, "x", -1)
pcall(string.rep, "x", 1 << 60)
pcall(string.format, "%d", "x")
pcall(string.format, "%y", 1)
s = math.type(1) .. math.tointeger(3.0)
local lines = ("one\ntwo\nthree\n"):gmatch("[^\n]+")
local l = { lines(), lines(), lines(), lines() }
