--- Assertions on memory for luaunit: `local lu = require "luamemprofiler.luaunit"`, which is luaunit with
-- `lu.assertAllocatesLessThan("64KiB", f, ...)` and `lu.assertHoldsNothing(f, ...)`.
if _VERSION ~= "Lua 5.4" and _VERSION ~= "Lua 5.5" then -- before anything that another version cannot read
  error(("luamemprofiler is for Lua 5.4 and 5.5, and this is %s: lua5.4 TEST.lua"):format(_VERSION), 0)
end
local lu = require("luaunit")
local expect = require("luamemprofiler.expect")

local function fail(words)
  if lu.FAILURE_PREFIX then -- at the line of the test
    error(lu.FAILURE_PREFIX .. words, 3 + (lu.STRIP_EXTRA_ENTRIES_IN_STACK_TRACE or 0))
  end
  lu.fail(words)
end

function lu.assertAllocatesLessThan(limit, f, ...)
  local ok, words = expect.allocates_less_than(limit, f, ...)
  if not ok then
    fail(words)
  end
end

function lu.assertHoldsNothing(f, ...)
  local ok, words = expect.holds_nothing(f, ...)
  if not ok then
    fail(words)
  end
end

lu.assert_allocates_less_than, lu.assert_holds_nothing = lu.assertAllocatesLessThan, lu.assertHoldsNothing

return lu
