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
    type_line "\$P $LMP run --live --record=run.lmprec run.lua" 'FINISHED'
    key q
    wait_said 'watch it: lmp replay run.lmprec'
    wait_for '^ready>'
}

replay() { # the end comes first
    type_line "clear; \$P $LMP replay run.lmprec" 'program has ended'
}

if [ "${1:?}" = files ]; then open 100 30; else open 120 36; fi
case $1 in
keys)
    record_run
    replay
    press 3 Home 'REPLAY  00:00:00 of'
    wait_gone 'program has ended'
    key ':' && type_text 'end' && press Enter 'program has ended'
    press_away '[' 'program has ended'
    wait_for 'since step 4'
    press '[' 'since step 3'
    key ':' && type_text 'step 2' && press Enter 'since step 2'
    press V 'range 00:0'
    key ':' && type_text 'step 4' && press Enter 'range 00:0[0-9:.]+(–|-)00:0([1-9]|0:0[1-9]|0:[1-9])'
    press V 'V range'
    press x 'since step 4'
    press m 'there is no program to ask'
    key ':' && type_text 'end' && press Enter 'program has ended'
    press_away Space 'program has ended' # from the end it begins again
    press P P P 'P 100'
    wait_for 'program has ended'
    wait_for 'space play' # it has played to the end: frames before the last one know that, too
    press 3 Home '00:00:00 of'
    press '.' '.' ',' 'Frame 2 of [0-9]+, at 00:00:0'
    tm resize-window -t t -x 60 -y 15
    wait_for 'REPLAY'
    tm resize-window -t t -x 200 -y 50
    wait_for 'space play'
    press q '^ready>'
    ;;
elsewhere) # the lines that ran are shown where their file is not
    record_run
    sed -i 's/local garbage/local edited/' "$work/run.lua"
    replay
    press 6 Enter 'if step ~= 3 then kept'
    wait_for 'local garbage = \{\}'
    rm "$work/run.lua"
    press Escape 'q quit' && press q '^ready>'
    replay
    press 6 Enter 'local garbage = \{\}'
    press Escape 'q quit' && press q '^ready>'
    ;;
files)
    record_run
    size=$(stat -c %s "$work/run.lmprec")
    head -c $((size * 2 / 3)) "$work/run.lmprec" >"$work/torn.lmprec"
    head -c 5000 /dev/urandom >"$work/rubbish.lmprec"
    type_line "\$P $LMP replay rubbish.lmprec; echo status \$?" 'is not a recording'
    wait_for 'status 1'
    type_line "clear; \$P $LMP replay nothing.lmprec; echo status \$?" 'No such file'
    type_line "clear; \$P $LMP replay run.lmprec >/dev/null; echo status \$?" 'status 1'
    type_line "clear; \$P $LMP replay torn.lmprec" 'REPLAY'
    key '.' && key '.'
    : >"$work/torn.lmprec" # the disk takes it away under the display
    key ':' && type_line '50%' 'cannot be shown: the recording is damaged there'
    press q '^ready>'
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
    for panel in 2 4 6; do # marks and cycles from everywhere
        at 0 00:00:00 # what is waited for next is not there yet
        at '2s' 00:00:02
        key $panel
        until_true "$patience" "a screen that stands" stands_still
        for step in 4 3 2; do # of which one step 2s is, the clock's seconds decide
            ! shows "since step $step" || break
        done
        key ']' && wait_for "since step $((step + 1))"
        key '[' && key '[' && wait_for "since step $((step - 1))"
        key '}' && key '{' && wait_for 'REPLAY'
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
    press q '^ready>'
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
    type_line "clear; \$P $LMP replay run.lmprec" 'REPLAY.*00:00:(0[2-9]|[1-9][0-9]) so far'
    for p in /proc/[0-9]*; do
        [ "$p/cwd" -ef "$work" ] && grep -qx recorder "$p/comm" && kill -9 "${p#/proc/}"
    done
    wait_for 'ended without its end'
    wait_gone 'of [0-9:]+ so far'
    tm resize-window -t t -x 3 -y 36 && wait_gone 'REPLAY|Timeline'
    tm resize-window -t t -x 120 -y 2 && wait_for '^ lmp  run.lua' && wait_gone 'Timeline'
    tm resize-window -t t -x 120 -y 36
    wait_for 'ended without its end'
    press C-z 'Stopped|ready>' # the shell has the terminal
    type_line fg 'REPLAY'
    press q '^ready>'
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
    type_line "\$P $LMP run run.lua" 'RUNNING +00:00:(0[3-9]|[1-9])'
    press 3 Left 'PAST .*00:00:0'
    wait_for 'space play'
    wait_for 'esc: now'
    press Home 'PAST +00:00:00'
    press 1 'cells of .* were recorded|No map was recorded'
    press C 'This is the past'
    press 4 'step 1$|step 1 |had printed nothing'
    before=$(screen | grep -Eo 'PAST .*−[0-9.]+ s' | grep -Eo '[0-9.]+ s$')
    until_true "$patience" "time goes on" shows_not "−$before"
    press V 'range 00:00:00'
    key ':' && type_text '1s' && press Enter 'range 00:00:00.*00:00:01'
    press_away x 'range 00'
    key P && key P && key P && key Space # it catches up: that is the present again
    wait_for 'RUNNING'
    wait_for 'S snapshot'
    press 3 Left 'PAST'
    press End 'RUNNING'
    press q '^ready>'
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
    type_line "\$P $LMP diff --show --json old.lmprec new.lmprec; echo status \$?" 'json has no meaning with --show'
    wait_for 'status 2'
    type_line "clear; \$P $LMP diff --show old.lmprec@nomark new.lmprec; echo status \$?" 'old.lmprec@nomark: nomark: '
    wait_for 'status 1'
    type_line "clear; \$P $LMP diff --show old.lmprec new.lmprec >/dev/null; echo status \$?" 'status 1'
    type_line "clear; \$P $LMP diff --show old.lmprec new.lmprec" 'COMPARED'
    wait_for 'Compared with old.lmprec +live \+[0-9.]+ KiB'
    wait_for '1 line new +1 line gone'
    wait_for ' 0 B .*-29[0-9.]+ KiB .*app.lua:7 gone'
    wait_for '\+19[0-9.]+ KiB .*app.lua:14 new'
    row() { screen | grep -nE "$1" | cut -d: -f1; }
    [ "$(row 'app.lua:7 gone')" -lt "$(row 'app.lua:14 new')" ] ||
        fail "it is not sorted by the size of the change: $(screen)"
    press V 'Tables compare with old.lmprec'
    press 8 F 'live in either run . T change'
    wait_for 'against the other run:  half gone'
    wait_for 'legacy'
    press % % % 'bytes at the peak|temporary bytes'
    key F && key 6
    key ':' && type_text 'filled' && key Enter # before the newer run had its last line
    wait_gone 'app.lua:14 new'
    wait_for 'app.lua:7 gone'
    press G 'Δ made'
    tm resize-window -t t -x 60 -y 15
    wait_for 'vs old.lmprec'
    tm resize-window -t t -x 200 -y 50
    wait_for 'Compared with old.lmprec'
    press q '^ready>'
    type_line "clear; \$P $LMP diff --show new.lmprec@filled new.lmprec" # two moments of one run
    wait_for 'Compared with new.lmprec@filled'
    wait_for '\+19[0-9.]+ KiB .*app.lua:14 new'
    press q '^ready>'
    ;;
*) fail "no case $1" ;;
esac
