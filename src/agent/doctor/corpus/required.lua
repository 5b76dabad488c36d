-- Modules: the searchers, the loader, the chunk.
package.path = "lines/?.mod"
package.preload.made = function(name, extra)
    local t = { name, extra }
    return t
end
local m = require("made")
m = require("made")
m = require("made")
local ok, e = pcall(require, "not.there")
table.insert(package.searchers, 2, function(name)
    if name:find("^virtual") then
        return function(n, x) return { n, x } end, { name }
    end
    return "\n\tnot virtual " .. name
end)
m = require("virtual.one")
m = require("virtual.two")
package.searchers = { package.searchers[1] }
ok, e = pcall(require, "x.y")
m = package.searchpath("a.b", "./?.nothing;./?/nothing")
