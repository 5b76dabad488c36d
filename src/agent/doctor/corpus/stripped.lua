-- Code without line information: line -1 of "=?".
local function body(n)
    local t = { n }
    local function inner()
        return { t }
    end
    return inner(), { inner() }
end
local f = load(string.dump(body, true))
f(1)
f(2)
local g = load(string.dump(load("local a = { 1 }\nreturn function(...) return { ... } end"), true))
g()(1, 2)
local x = { f(3) }
coroutine.wrap(load(string.dump(function(...) local t = { ... } end, true)))(1, 2, 3)
pcall(load(string.dump(function() error({}) end, true)))
setmetatable({}, { __index = load(string.dump(function(t, k) return { k } end, true)) })[1] = nil
local h = load(string.dump(function(self, k) return { k } end, true))
x = setmetatable({}, { __index = h }).y
