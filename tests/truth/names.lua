-- names.lua: the names of functions are those of Lua's own traceback, but: a function in a field or a
-- global is a "function", with its whole path where it can be reached from globals or loaded modules.
local lmp = require "luamemprofiler"
local said = {} -- words of the traceback, by linedefined

-- Notes what a traceback calls our caller, and makes something there.
local function here()
    local info = debug.getinfo(2, "S")
    local words = debug.traceback("", 2):match("\n\t[^\n]*: in ([^\n]*)")
    said[info.linedefined] = said[info.linedefined] or words
    local made = { words }
    return made
end

-- options = 1: by globals and loaded modules
options = {}
function options.price() return { here() } end
function a_global() return { here() } end
package.loaded["names.module"] = {
    made = function() return { here() } end,
    deep = { er = function() return { here() } end },
}
local function work()
    local function mk() return { here() } end
    local t = { field = function() return { here() } end }
    local stack = {}
    function stack:push() return { here() } end
    local mt = {
        __index = function() return { here() } end,
        __add = function() return { here() } end,
        __close = function() return { here() } end,
        __eq = function() return { here() } end,
        __concat = function() return { here() } end,
        __lt = function() return { here() } end,
        __call = function() return { here() } end,
        __newindex = function() return { here() } end,
        __len = function() return { here() } end,
        __unm = function() return { here() } end,
    }
    local o, o2 = setmetatable({}, mt), setmetatable({}, mt)
    local x = mk()
    x = t.field()
    x = stack:push()
    x = o.x
    x = o + 1
    x = o == o2
    x = o .. ""
    x = o < o2
    x = #o
    x = -o
    o.y = 1
    x = o()
    do local c <close> = o end
    for _ in function(_, c) if not c then return { here() } end end do end
    local function up() return { here() } end
    local function calls_up() x = up() local h = { here() } return x end
    x = calls_up()
    x = options.price()
    x = a_global()
    x = package.loaded["names.module"].made()
    x = package.loaded["names.module"].deep.er()
    x = (function() return { here() } end)()
    pcall(function() return { here() } end)
    coroutine.wrap(function() local h = { here() } return 1 end)()
    table.sort({ 2, 1 }, function(a, b) local h = { here() } return a < b end)
    local list = { function() local h = { here() } end }
    list[1]()
    setmetatable({}, { __gc = function() local h = { here() } end })
    collectgarbage()
    local function tail() return { here() } end
    local function to_tail() return tail() end
    x = to_tail()
    debug.sethook(function() debug.sethook() local h = { here() } end, "c")
    x = mk()
    load("local here = ... here()\nlocal t = {}", "=a_chunk")(here)
    return x
end

assert(lmp.start { live = false, summary = false })
local keep = work()
local s = lmp.stop { functions = true, sites = true }

local me = debug.getinfo(1, "S").source
local words, errors, n = {}, 0, 0
for _, f in ipairs(s.functions) do
    if f.source == me then words[f.linedefined] = f.func end
end
local path = { ["function 'price'"] = "function 'options.price'",
    ["function 'er'"] = "function 'names.module.deep.er'",
    ["function 'made'"] = "function 'names.module.made'" }
local function expect(line, got, want)
    n = n + 1
    if got == want then return end
    io.stderr:write(("line %d: %s is called %s\n"):format(line, want, got))
    errors = errors + 1
end
for line, name in pairs(said) do
    name = name:gsub("^field", "function"):gsub("^global", "function"):gsub("^for iterator .*", "for iterator")
    expect(line, words[line], path[name] or name)
end
-- C functions are details of the lines that called them.
local calls = {}
for _, site in ipairs(s.sites) do
    for _, c in ipairs(site.source == me and site.calls or {}) do calls[c.name] = site.line end
end
for _, name in ipairs { "traceback", "getinfo", "wrap", "load", "sethook" } do
    expect(0, calls[name .. " [C]"] and name, name)
end
print(n .. " names")
os.exit(errors == 0)
