#!/usr/bin/env bash
# diff.sh - lmp diff of two recordings: a program before and after an edit.
. "$(dirname "$0")/plain.sh"

mkdir old new
cat >old/app.lua <<'END'
local keep = {}
local function fill(n)
  for i = 1, n do
    keep[#keep + 1] = { i }
  end
end
local function words(n)
  local out = {}
  for i = 1, n do out[i] = "word " .. i end
  return out
end
fill(1000)
require("luamemprofiler").mark("filled")
if arg[1] then while not os.rename("../go", "../gone") do end end
local w = words(500)
END
# lines above, three times as much in one, and one that is new
{
    echo '-- a comment'
    echo 'local unused = {}'
    sed 's/fill(1000)/fill(3000)/' old/app.lua
    # shellcheck disable=SC2016 # for Lua
    echo 'local buffer = ("x"):rep(100000)'
} >new/app.lua

# record NAME [OPTIONS...]
record() {
    local name=$1
    shift
    (cd "$name" && LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-live --no-summary "$@" --record="../$name.lmprec" \
        app.lua $waits) \
        >out 2>err </dev/null
    is $? 0 "the run"
}
waits=

case ${1:?which case} in
edited) # a line is known again, what grew is named first, and what came is new
    record old
    record new
    ends 0 diff old.lmprec new.lmprec
    has out '^  peak .* \+[0-9.]+ KiB +\+[0-9]+ %$'
    has out '^ +\+[0-9.]+ KiB +[0-9.]+ KiB +[0-9.]+ KiB  moved app.lua:6 \(was 4\) +local .fill'
    has out '^ +\+97.[0-9] KiB +0 B +97.[0-9] KiB  new   app.lua:18 '
    has out '^  noise, changes below '
    lmp diff --json old.lmprec new.lmprec
    is "$(jq -r '.sites[] | select(.line == 6) | "\(.how) \(.old_line)"' out)" 'moved 4' "the line that moved"
    is "$(jq '[.sites[].new.live] | add' out)" "$(jq .totals.live_bytes.new out)" "sum of lines"
    is "$(jq '[.sites[].old.live] | add' out)" "$(jq .totals.live_bytes.old out)" "sum of lines before"
    is "$(jq '[.functions[].new.live] | add' out)" "$(jq .totals.live_bytes.new out)" "sum of functions"
    lmp diff old.lmprec old.lmprec
    is "$(grep -c 'nothing changed' out)" 2 "a run and itself"
    ;;
moments) # of one run: what came after its mark, which is on file once a frame is taken after it
    waits="wait"
    go_on_marked filled new.lmprec &
    record new
    wait
    ends 0 diff new.lmprec@filled new.lmprec
    has out 'app.lua:18 '
    hasnt out 'app.lua:6 '
    lmp diff --metric=allocs new.lmprec@filled new.lmprec
    has out 'line, by allocations$'
    ;;
limit) # exactly as much as it may passes
    record old
    record new
    ends 0 diff --fail-on-increase=100000 old.lmprec new.lmprec
    ends 3 diff --fail-on-increase=20 old.lmprec new.lmprec
    has out '^  peak .*  more than it may$'
    ends 0 diff --fail-on-increase=0 old.lmprec old.lmprec
    ends 0 diff --fail-on-increase=0 new.lmprec old.lmprec
    ends 3 diff --json --metric=peak --fail-on-increase=20 old.lmprec new.lmprec -o diff.json
    is "$(jq .failed diff.json)" true "it failed"
    is "$(jq .totals.live_bytes.broken diff.json)" false "only the metric that was named is judged"
    ;;
html) # one page, for its owner alone; of heap snapshots there is none
    record old --stacks
    record new --stacks
    ends 3 diff --html --fail-on-increase=20 old.lmprec new.lmprec -o diff.html
    is "$(stat -c %a diff.html)" 600 "mode"
    is "$(grep -c '<!DOCTYPE html>' diff.html)" 1 "a page"
    sed -n '/id="data">/,/<\/script>/p' diff.html | sed 's/.*id="data">//; s/<\/script>.*//' >data
    is "$(jq '(.tree.func | length > 5) and .totals[0].broken == 1' data)" true "its data"
    ends 0 diff --html old.lmprec old.lmprec
    has out '^<!DOCTYPE html>'
    refuses 2 '--html is of recordings' diff --html old/app.lua new/app.lua
    ;;
redacted) # without hashes of its lines: those of functions are known by where they stand
    record old
    record new
    lmp dump new.lmprec
    has out 'site text'
    lmp record cut --redact=contents old.lmprec -o a.lmprec
    lmp record cut --redact=contents new.lmprec -o b.lmprec
    lmp diff --json a.lmprec b.lmprec
    is "$(jq -r --arg fill "local 'fill'" '.sites[] | select(.line == 6 and .name == $fill) | "\(.how) \(.old_line)"' \
        out)" 'moved 4' \
        "a line of a function"
    is "$(jq '[.sites[] | select(.how == "moved" and .name == "main chunk")] | length' out)" 0 "lines of the main chunk"
    ;;
doubts)
    record old
    record new --sample=4KiB
    lmp diff old.lmprec new.lmprec
    has out '^  \(they were not sampled alike'
    ;;
refused)
    record old
    head -c 40 old.lmprec >cut.lmprec
    echo text >text
    ends 2 diff old.lmprec
    refuses 1 '^lmp: nowhere: No such file' diff old.lmprec nowhere
    refuses 1 '^lmp: text is not a recording' diff old.lmprec text
    ends 1 diff old.lmprec cut.lmprec
    refuses 1 'noon: neither a time' diff old.lmprec old.lmprec@noon
    ends 2 diff old.lmprec old.lmprec old.lmprec
    ends 2 diff --metric=size old.lmprec old.lmprec
    ends 2 diff --fail-on-increase=much old.lmprec old.lmprec
    ends 1 diff old.lmprec old.lmprec -o nowhere/out
    ;;
*) fail "no case $1" ;;
esac
