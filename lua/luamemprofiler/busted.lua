--- Assertions on memory for busted, and for luassert without it: `require "luamemprofiler.busted"`, then
-- `assert.allocates_less_than("64KiB", f, ...)` and `assert.holds_nothing(f, ...)`.
if _VERSION ~= "Lua 5.4" and _VERSION ~= "Lua 5.5" then -- before anything that another version cannot read
  error(("luamemprofiler is for Lua 5.4 and 5.5, and this is %s: busted --lua=lua5.4"):format(_VERSION), 0)
end
local assert = require("luassert")
local say = require("say")
local expect = require("luamemprofiler.expect")

local function register(name, positive, negative)
  say:set("assertion." .. name .. ".positive", positive)
  say:set("assertion." .. name .. ".negative", negative)
  assert:register("assertion", name, function(state, arguments)
    local ok, words, unclear = expect[name](table.unpack(arguments, 1, arguments.n))
    state.failure_message = words
    if unclear then
      return not state.mod -- is_not, too, fails
    end
    return ok
  end, "assertion." .. name .. ".positive", "assertion." .. name .. ".negative")
end

register("allocates_less_than", "Expected it to allocate less.", "Expected it to allocate as much or more.")
register("holds_nothing", "Expected nothing to be held.", "Expected something to be held.")

return assert
