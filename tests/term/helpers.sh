#!/bin/bash
# The assertions for busted and luaunit in the frameworks of the distribution: helpers.sh CASE
. "$(dirname "$0")/plain.sh"
export LUA_CPATH="$LMP_BUILD/?.so;;" LUA_PATH="$LMP_SOURCE/tests/lua/?.lua;;"
plain() { # COMMAND...: files out and err, and $status
    LD_PRELOAD=$LMP_PRELOAD "$@" >out 2>err </dev/null
    status=$?
}
example() { # WORD: the example of docs/gate.md that has the word
    awk -v word="$1" '/^```lua/ { text = ""; on = 1; next }
        /^```/ { if (on && index(text, word)) printf "%s", text; on = 0 }
        on { text = text $0 "\n" }' \
        "$LMP_SOURCE/docs/gate.md"
}

case_busted() {
    [ -f /usr/bin/busted ] || { echo "busted is not installed"; exit 77; }
    cat >memory_spec.lua <<'LUA'
require "luamemprofiler.busted"
local kept, first = {}, nil
local function leaks(n) for _ = 1, n do kept[#kept + 1] = {} end return true end
local function one() return {} end
local function cache() -- more than half full after 511 calls
  local cache, n = {}, 0
  return function() n = n + 1 cache[n % 400] = { n } end
end
describe("memory", function()
  it("passes 1", function() assert.allocates_less_than(57, one) end)
  it("passes 2", function() assert.allocates_less_than("1 KiB", one) end)
  it("passes 3", function() assert.allocates_less_than({ allocs = 2, peak = 57, held = 1 }, one) end)
  it("passes 4", function() assert.holds_nothing(one) end)
  it("passes 5", function() assert.holds_nothing(function() first = first or {} end) end)
  it("passes 6", function() assert.is_not.holds_nothing(leaks, 1) end)
  it("passes 7", function() assert.is_not.allocates_less_than(56, one) end)
  it("passes 8", function() assert.has_error(function() assert.allocates_less_than("x", one) end,
    "bytes = x: a number was expected, or a size such as '64KiB'") end)
  it("passes 9", function() assert.has_error(function() assert.allocates_less_than({ byts = 1 }, one) end,
    "there is no limit 'byts'; there are: bytes, allocs, peak, held") end)
  it("passes 10", function()
    assert.has_error(function() assert.holds_nothing(12) end, "a function was expected, got number")
  end)
  it("passes 11", function() assert.has_error(function() assert.holds_nothing(error, "mine") end, "mine") end)
  it("fails 1", function() assert.allocates_less_than(56, one) end)
  it("fails 2", function() assert.holds_nothing(leaks, 10) end)
  it("fails 3", function() assert.allocates_less_than({ allocs = 1, bytes = "1KiB" }, one) end)
  it("fails 4", function() assert.is_not.holds_nothing(one) end)
  it("fails 5", function() assert.holds_nothing(cache()) end)
  it("fails 6", function() assert.is_not.holds_nothing(cache()) end)
  it("passes 12", function() -- a profile of its own in place of that of the assertions
    local lmp = require "luamemprofiler"
    lmp.start { summary = false }
    lmp.stop()
    assert.holds_nothing(one)
  end)
end)
LUA
    plain "$LUA" /usr/bin/busted -o TAP memory_spec.lua
    is $status 1 status
    is "$(grep -c '^ok .*passes' out)" 12 "that pass"
    is "$(grep -c '^not ok .*fails' out)" 6 "that fail"
    is "$(grep -c 'unclear: cannot tell yet after 511 calls: ' out)" 2 "that cannot be told"
    has out 'bytes: 56 B, where less than 56 B was expected'
    has out ' 56 B  .*memory_spec.lua:4 '
    has out 'a leak: 720.0 B and 10.00 blocks a call, over 511 calls'
    has out ' [0-9.]+ B  .*memory_spec.lua:3 '
    has out 'allocs: 1, where less than 1 was expected'
    has out 'Expected something to be held'
    example luamemprofiler.busted >example_spec.lua
    plain "$LUA" /usr/bin/busted -o TAP example_spec.lua
    is "$(grep -c '^ok' out)" 2 "examples of docs/gate.md that pass"
    ends 0 run --no-live -- "$LUA" /usr/bin/busted -o TAP example_spec.lua # under lmp as well
    is "$(grep -c '^ok' out)" 2 "that pass"
    summary
}

case_luaunit() {
    "$LUA" -e 'require "luaunit"' 2>/dev/null || { echo "luaunit is not installed"; exit 77; }
    cat >unit.lua <<'LUA'
local lu = require "luamemprofiler.luaunit"
local kept = {}
local function leaks(n) for _ = 1, n do kept[#kept + 1] = {} end end
local function one() return {} end
function TestPasses() end
TestMemory = {}
function TestMemory:testPasses1() lu.assertAllocatesLessThan(57, one) end
function TestMemory:testPasses2() lu.assertHoldsNothing(one) end
function TestMemory:testPasses3() lu.assert_allocates_less_than({ allocs = 2 }, one) end
function TestMemory:testPasses4() lu.assert_holds_nothing(one) end
function TestMemory:testPasses5()
  lu.assertErrorMsgContains("a size such as '64KiB'", lu.assertAllocatesLessThan, "x", one)
end
function TestMemory:testFails1() lu.assertAllocatesLessThan("56", one) end
function TestMemory:testFails2() lu.assertHoldsNothing(leaks, 10) end
os.exit(lu.LuaUnit.run("-o", "tap", "TestMemory"))
LUA
    plain "$LUA" unit.lua
    is $status 2 "failures"
    is "$(grep -c '^ok' out)" 5 "that pass"
    has out 'unit.lua:14: bytes: 56 B, where less than 56 B was expected'
    has out 'unit.lua:15: a leak: 720.0 B and 10.00 blocks a call'
    has out ' [0-9.]+ B  unit.lua:3 '
    example luamemprofiler.luaunit >example.lua
    plain "$LUA" example.lua
    is $status 0 "status of the example of docs/gate.md"
    has out 'Ran 2 tests'
}

# Each function of corpus.lua is told, in both modes of the collector, with and without a profile of `lmp run`.
case_corpus() {
    cat >each.lua <<'LUA'
return function(test) -- (name, a function that makes the function, does it leak?)
  for _, mode in ipairs { "incremental", "generational" } do
    for _, row in ipairs(require "corpus") do
      test(mode .. ": " .. row[1], function()
        collectgarbage(mode)
        return row[3]()
      end, row[2])
    end
  end
end
LUA
    cat >plain.lua <<'LUA'
local lmp, right = require "luamemprofiler", 0
require "each"(function(name, make, leaks)
  local g = lmp.measure_growth(make())
  right = right + (g.verdict == (leaks and "leak" or "none") and 1 or 0)
  if g.verdict ~= (leaks and "leak" or "none") then print(name, g.verdict, g.words) end
end)
print("right: " .. right)
LUA
    cat >corpus_spec.lua <<'LUA'
require "luamemprofiler.busted"
describe("corpus", function()
  require "each"(function(name, make, leaks)
    it("right: " .. name, function()
      (leaks and assert.is_not or assert).holds_nothing(make())
    end)
  end)
end)
LUA
    cat >corpus_unit.lua <<'LUA'
local lu = require "luamemprofiler.luaunit"
TestCorpus = {}
require "each"(function(name, make, leaks)
  TestCorpus["test right: " .. name] = function()
    if leaks then
      lu.assertErrorMsgContains("a leak: ", lu.assertHoldsNothing, make())
    else
      lu.assertHoldsNothing(make())
    end
  end
end)
os.exit(lu.LuaUnit.run("-o", "tap"))
LUA
    for way in plain "lmp run --no-live --"; do
        $way "$LUA" plain.lua
        has out '^right: 80$'
        if [ -f /usr/bin/busted ]; then
            $way "$LUA" /usr/bin/busted -o TAP corpus_spec.lua
            is "$(grep -c '^ok .*right: ' out)" 80 "functions that are told in busted ($way)"
        fi
        if "$LUA" -e 'require "luaunit"' 2>/dev/null; then
            $way "$LUA" corpus_unit.lua
            is "$(grep -c '^ok .*right: ' out)" 80 "functions that are told in luaunit ($way)"
        fi
    done
}

play_case "$@"
