#!/bin/bash
# Whole replays in a terminal: a run is recorded, shown again, and asked for other moments.
cd "$(dirname "$0")" && . ./lib.sh

# A run with marks and output, recorded to its end.
record_run() {
    cat >"$work/run.lua" <<'LUA'
local lmp = require "luamemprofiler"
local kept = {}
for step = 1, 4 do
    lmp.mark("step " .. step)
    print("now comes step " .. step)
    local until_ = os.clock() + 0.4
    while os.clock() < until_ do
        if step ~= 3 then kept[#kept + 1] = ("x"):rep(1000) .. #kept end
        local garbage = {}
    end
end
LUA
    env LD_PRELOAD="$LMP_PRELOAD" ASAN_OPTIONS=detect_leaks=0 \
        "$LMP" run --no-live --record="$work/run.lmprec" "$work/run.lua" >"$work/out" 2>&1 </dev/null ||
        fail "lmp run --record: $(cat "$work/out")"
    [ -s "$work/run.lmprec" ] || fail "there is no recording: $(cat "$work/out")"
}

# The same in a terminal that lmp holds, so that its output is recorded, too; a second a step.
record_run_live() {
    cat >"$work/run.lua" <<'LUA'
local lmp = require "luamemprofiler"
local kept = {}
for step = 1, 5 do
    lmp.mark("step " .. step)
    print("now comes step " .. step)
    local now = os.time
    local until_ = now() + 1
    while now() < until_ do
        for i = 1, 200 do kept[#kept % 3000 + 1] = ("x"):rep(1000 * step) .. i end
        if step == 4 then kept = {} end
    end
end
LUA
    open 120 36
    type_line "\$P $LMP run --live --record=run.lmprec run.lua"
    wait_for 'FINISHED'
    key q
    wait_said 'watch it: lmp replay run.lmprec'
    wait_for '^ready>'
}

replay() { # the end comes first
    type_line "clear; \$P $LMP replay run.lmprec"
    wait_for 'program has ended'
}

case ${1:?} in
keys)
    record_run
    open 120 36
    replay
    key 3 && key Home
    wait_for 'REPLAY  00:00:00 of'
    wait_gone 'program has ended'
    key ':' && type_text 'end' && key Enter
    wait_for 'program has ended'
    key '['
    wait_gone 'program has ended'
    wait_for 'since step 4'
    key '['
    wait_for 'since step 3'
    key ':' && type_text 'step 2' && key Enter
    wait_for 'since step 2'
    key V
    wait_for 'range 00:00:'
    key ':' && type_text 'step 4' && key Enter
    wait_for 'range 00:00:[0-9.]+(–|-)00:00:(0[1-9]|[1-9][0-9])'
    key V
    wait_for 'V range'
    key x
    wait_for 'since step 4'
    key m
    wait_for 'there is no program to ask'
    key ':' && type_text 'end' && key Enter
    wait_for 'program has ended'
    key Space # from the end it begins again
    wait_gone 'program has ended'
    key P && key P && key P
    wait_for 'P 100'
    wait_for 'program has ended' # it plays to the end
    key 3 && key Home
    wait_for '00:00:00 of'
    key '.' && key '.' && key ','
    wait_for 'Frame 2 of [0-9]+, at 00:00:0'
    tm resize-window -t t -x 60 -y 15
    wait_for 'REPLAY'
    tm resize-window -t t -x 200 -y 50
    wait_for 'space play'
    key q
    wait_for '^ready>'
    ;;
elsewhere) # the lines that ran are shown where their file is not
    record_run
    sed -i 's/local garbage/local edited/' "$work/run.lua"
    open 120 36
    replay
    key 6 && key Enter
    wait_for 'if step ~= 3 then kept'
    wait_for 'local garbage = \{\}'
    rm "$work/run.lua"
    key Escape && wait_for 'q quit' && key q
    wait_for '^ready>'
    replay
    key 6 && key Enter
    wait_for 'local garbage = \{\}'
    key Escape && wait_for 'q quit' && key q
    wait_for '^ready>'
    ;;
files)
    record_run
    open 100 30
    size=$(stat -c %s "$work/run.lmprec")
    head -c $((size * 2 / 3)) "$work/run.lmprec" >"$work/torn.lmprec"
    head -c 5000 /dev/urandom >"$work/rubbish.lmprec"
    type_line "\$P $LMP replay rubbish.lmprec; echo status \$?"
    wait_for 'is not a recording'
    wait_for 'status 1'
    type_line "clear; \$P $LMP replay nothing.lmprec; echo status \$?"
    wait_for 'No such file'
    type_line "clear; \$P $LMP replay run.lmprec >/dev/null; echo status \$?"
    wait_for 'status 1'
    type_line "clear; \$P $LMP replay torn.lmprec"
    wait_for 'REPLAY'
    key '.' && key '.'
    : >"$work/torn.lmprec" # the disk takes it away under the display
    key ':' && type_line '50%'
    wait_for 'cannot be shown: the recording is damaged there'
    key q
    wait_for '^ready>'
    ;;
moments) # all that ":" takes, the keys that jump, and the output as it was then
    record_run_live
    at() { type_text ":$1" && key Enter && wait_for "REPLAY[^0-9]*  $2 of"; }
    replay
    key 4
    at 'now comes step 3' '00:00:0[1-4]'
    wait_for '│ now comes step 3'
    wait_gone 'now comes step 4'
    wait_for 'since step 3'
    at 'start' 00:00:00
    wait_gone '│ now comes step 3'
    at 'step 2' '00:00:0[0-3]'
    at '0:03' 00:00:03
    at '-2s' 00:00:01
    at '+3s' '00:00:0[34]'
    at '-5m' 00:00:00
    at '50%' '00:00:0[1-4]'
    at 'end' '00:00:0[4-9]'
    wait_for 'program has ended'
    at 'peak' '00:00:0[0-9]'
    type_text ':no such words' && key Enter
    wait_for 'Neither a moment, a mark nor a text of the output: no such words'
    at '2s' 00:00:02
    for panel in 2 4 6; do # marks and cycles from everywhere
        key $panel
        until_true "$patience" "a screen that stands" stands_still
        for step in 3 2; do # of which one step 2s is, the clock's seconds decide
            ! shows "since step $step" || break
        done
        key ']' && wait_for "since step $((step + 1))"
        key '[' && key '[' && wait_for "since step $((step - 1))"
        key '}' && key '{' && wait_for 'REPLAY'
        at '2s' 00:00:02
    done
    key 3
    at 0 00:00:00
    # Five seconds each; of a run that is shorter a twentieth.
    for step in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do key Right; done
    wait_for 'REPLAY[^0-9]*  00:00:0[4-9]'
    key Home && wait_for 'REPLAY  00:00:00'
    key S-Right && key S-Right && key S-Right && key S-Right && wait_gone 'REPLAY  00:00:00 '
    key S-Left && key S-Left && key S-Left && key S-Left && wait_for 'REPLAY  00:00:00'
    key End && wait_for 'program has ended'
    key q
    wait_for '^ready>'
    ;;
grows) # while it is written, and when who wrote it is killed
    cat >"$work/run.lua" <<'LUA'
local kept = {}
while true do
    local until_ = os.clock() + 0.01
    while os.clock() < until_ do kept[#kept % 5000 + 1] = ("x"):rep(100) .. #kept end
    os.execute("sleep 0.1")
end
LUA
    (cd "$work" && exec env LD_PRELOAD="$LMP_PRELOAD" ASAN_OPTIONS=detect_leaks=0 \
        "$LMP" run --no-live --record=run.lmprec run.lua >out 2>&1 </dev/null) &
    until_true "$patience" "a recording" test -s "$work/run.lmprec"
    open 120 36
    type_line "clear; \$P $LMP replay run.lmprec"
    wait_for 'REPLAY.*00:00:0[2-9] so far'
    for p in /proc/[0-9]*; do
        [ "$p/cwd" -ef "$work" ] && grep -qx recorder "$p/comm" && kill -9 "${p#/proc/}"
    done
    wait_for 'ended without its end'
    wait_gone 'of [0-9:]+ so far'
    tm resize-window -t t -x 3 -y 36 && wait_gone 'REPLAY|Timeline'
    tm resize-window -t t -x 120 -y 2 && wait_for '^ lmp  run.lua' && wait_gone 'Timeline'
    tm resize-window -t t -x 120 -y 36
    wait_for 'ended without its end'
    key C-z # the shell has the terminal
    wait_for 'Stopped|ready>'
    type_line fg
    wait_for 'REPLAY'
    key q
    wait_for '^ready>'
    ;;
live) # a program that runs: back and on again, and it does not notice
    cat >"$work/run.lua" <<'LUA'
local kept, step = {}, 0
while true do
    local until_ = os.clock() + 0.2
    step = step + 1
    print("step " .. step)
    while os.clock() < until_ do kept[#kept % 5000 + 1] = ("x"):rep(100) .. #kept end
end
LUA
    open 120 36
    type_line "\$P $LMP run run.lua"
    wait_for 'RUNNING +00:00:0[3-9]'
    key 3 && key Left
    wait_for 'PAST .*00:00:0'
    wait_for 'space play'
    wait_for 'esc: now'
    key Home
    wait_for 'PAST +00:00:00'
    key 1
    wait_for 'cells of .* were recorded|No map was recorded'
    key C
    wait_for 'This is the past'
    key 4
    wait_for 'step 1$|step 1 |had printed nothing'
    before=$(screen | grep -Eo 'PAST .*−[0-9.]+ s' | grep -Eo '[0-9.]+ s$')
    until_true "$patience" "time goes on" shows_not "−$before"
    key V
    wait_for 'range 00:00:00'
    key ':' && type_text '1s' && key Enter
    wait_for 'range 00:00:00.*00:00:01'
    key x
    wait_gone 'range 00'
    key P && key P && key P && key Space # it catches up: that is the present again
    wait_for 'RUNNING'
    wait_for 'S snapshot'
    key 3 && key Left
    wait_for 'PAST'
    key End
    wait_for 'RUNNING'
    key q
    wait_for '^ready>'
    ;;
compare) # two runs side by side: what came, went and grew; at any moment of the newer one
    mkdir "$work/old" "$work/new"
    cat >"$work/old/app.lua" <<'LUA'
local lmp = require "luamemprofiler"
local kept = {}
local function items(n)
    for i = 1, n do kept[#kept + 1] = { i } end
end
local function legacy()
    kept.legacy = ("l"):rep(300000)
end
items(1000)
lmp.mark("filled")
local until_ = os.clock() + 0.5
while os.clock() < until_ do local garbage = {} end
legacy()
LUA
    {
        echo '-- a comment'
        sed -e 's/items(1000)/items(5000)/' -e 's/^legacy()/local fresh = ("f"):rep(200000)/' "$work/old/app.lua"
    } >"$work/new/app.lua"
    for run in old new; do
        (cd "$work/$run" && env LD_PRELOAD="$LMP_PRELOAD" ASAN_OPTIONS=detect_leaks=0 "$LMP" run --no-live --stacks \
            --record="$work/$run.lmprec" app.lua) >"$work/out" 2>&1 </dev/null ||
            fail "lmp run --record: $(cat "$work/out")"
    done
    open 120 36
    type_line "\$P $LMP diff --show --json old.lmprec new.lmprec; echo status \$?"
    wait_for 'json has no meaning with --show'
    wait_for 'status 2'
    type_line "clear; \$P $LMP diff --show old.lmprec@nomark new.lmprec; echo status \$?"
    wait_for 'old.lmprec@nomark: nomark: '
    wait_for 'status 1'
    type_line "clear; \$P $LMP diff --show old.lmprec new.lmprec >/dev/null; echo status \$?"
    wait_for 'status 1'
    type_line "clear; \$P $LMP diff --show old.lmprec new.lmprec"
    wait_for 'COMPARED'
    wait_for 'Compared with old.lmprec +live \+[0-9.]+ KiB'
    wait_for '1 line new +1 line gone'
    wait_for ' 0 B .*-29[0-9.]+ KiB .*app.lua:7 gone'
    wait_for '\+19[0-9.]+ KiB .*app.lua:14 new'
    row() { screen | grep -nE "$1" | cut -d: -f1; }
    [ "$(row 'app.lua:7 gone')" -lt "$(row 'app.lua:14 new')" ] ||
        fail "it is not sorted by the size of the change: $(screen)"
    key V
    wait_for 'Tables compare with old.lmprec'
    key 8 && key F
    wait_for 'live in either run . T change'
    wait_for 'against the other run:  half gone'
    wait_for 'legacy'
    key % && key % && key %
    wait_for 'bytes at the peak|temporary bytes'
    key F && key 6
    key ':' && type_text 'filled' && key Enter # before the newer run had its last line
    wait_gone 'app.lua:14 new'
    wait_for 'app.lua:7 gone'
    key G
    wait_for 'Δ made'
    tm resize-window -t t -x 60 -y 15
    wait_for 'vs old.lmprec'
    tm resize-window -t t -x 200 -y 50
    wait_for 'Compared with old.lmprec'
    key q
    wait_for '^ready>'
    type_line "clear; \$P $LMP diff --show new.lmprec@filled new.lmprec" # two moments of one run
    wait_for 'Compared with new.lmprec@filled'
    wait_for '\+19[0-9.]+ KiB .*app.lua:14 new'
    key q
    wait_for '^ready>'
    ;;
*) fail "no case $1" ;;
esac
