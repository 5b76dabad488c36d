-- serve.lua - a program for tests/readers/serve: sessions come and go, a log grows; until there is a file `stop`.
local sessions, cache, log = {}, {}, {}
local function begin(n)
    local s = { id = n, name = "user" .. n % 977, data = {} }
    for i = 1, 20 do
        s.data[i] = ("x"):rep(i) .. n
    end
    return s
end
local function page(s)
    local t = {}
    for i, d in ipairs(s.data) do
        t[i] = "<li>" .. d .. "</li>"
    end
    return table.concat(t)
end
local n = 0
while not io.open "stop" do
    n = n + 1
    local s = begin(n)
    sessions[n % 3000] = s
    cache[s.name] = page(s)
    if n % 10 == 0 then
        log[#log + 1] = { n, "request " .. n }
    end
    local till = os.clock() + 0.0002
    repeat
    until os.clock() > till
end
