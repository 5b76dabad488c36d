#!/bin/bash
# Recordings and the display: record_live.sh CASE
cd "$(dirname "$0")" && . ./lib.sh && . ./programs.sh

look() { "$LMP_BUILD/record_look" "$@"; }
complete() { look "$1" 2>/dev/null | grep -qx complete=1; }
recorder_pid() {
    local p
    for p in /proc/[0-9]*; do
        [ "$(cat "$p/comm" 2>/dev/null)" = recorder ] && ours "${p#/proc/}" && echo "${p#/proc/}"
    done
}
recorded() { [ "$(stat -c %s "$work/$1" 2>/dev/null || echo 0)" -gt "${2:-0}" ]; }
talk() { # as in display.sh
    type_line "WAIT=1 \$P \$LMP run --live $2 talk.lua $1; echo \"status=\$?\"" 'RUNNING'
    wait_for "line $(($1 / 2 + 1))"
    wait_program
}

case_key() { # R begins and ends, the header says so; what is left goes on
    talk 201 --no-summary
    press R "Recording into lmp-$program.lmprec; R ends it"
    wait_for 'RUNNING  . REC 00:00:(0[1-9]|[1-9][0-9]) [0-9.]+ [KM]?i?B '
    is_one=$(recorder_pid | wc -l)
    [ "$is_one" = 1 ] || fail "recorders: $is_one"
    press R "Recording written to lmp-$program.lmprec \([0-9.]+ [KM]?i?B\); watch it: lmp replay"
    wait_gone ' REC '
    until_true "$patience" 'a complete recording' complete "$work/lmp-$program.lmprec"
    press R ' REC 00:00:0'
    key q
    wait_said "lmp: recording goes on until the program ends: lmp-$program.lmprec.2"
    : >"$work/go"
    wait_for 'status=0'
    until_true "$patience" 'a second one' complete "$work/lmp-$program.lmprec.2"
    # without what lmp said when the display was left
    look "$work/lmp-$program.lmprec.2" output | cmp - "$work/wanted" || fail 'output'
    check_terminal
}

case_finished() { # while it records the program ends
    talk 201 --no-summary
    press R ' REC 00:00:0'
    : >"$work/go"
    wait_for 'FINISHED'
    wait_for "Recording written to lmp-$program.lmprec "
    key q
    wait_said "lmp: recording written to lmp-$program.lmprec \([0-9.]+ [KM]?i?B\); watch it: lmp replay"
    wait_for 'status=0'
    look "$work/lmp-$program.lmprec" | grep -qx ended=1 || fail 'how it ended is not there'
    look "$work/lmp-$program.lmprec" output | cmp - "$work/wanted" || fail 'output'
    check_terminal
}

case_all_killed() { # relay, viewer, lmp run and the program: who records has it all
    talk 201 '--record=x.lmprec'
    wait_for ' REC 00:00:0'
    run=$(awk '{ print $4 }' "/proc/$program/stat")
    relay=$(relay_pid) viewer=$(viewer_pid)
    until_true "$patience" 'a recording' recorded x.lmprec 500
    kill -9 "$relay" "$viewer" "$run" "$program"
    until_true "$patience" 'a complete recording' complete "$work/x.lmprec"
    look "$work/x.lmprec" at end | grep -q '^live_bytes=[1-9]' || fail 'no last figures'
    look "$work/x.lmprec" output >"$work/said"
    grep -ao '^line [0-9]*' "$work/said" | cmp - <(seq -f 'line %.0f' 101) || fail 'output'
    until_true "$patience" 'the end of who records' test -z "$(recorder_pid)"
}

case_display_killed() { # the program goes on, and so does its recording
    talk 201 '--record=x.lmprec --no-summary'
    wait_for ' REC 00:00:0'
    kill -9 "$(relay_pid)" "$(viewer_pid)"
    wait_said 'line 101'
    : >"$work/go"
    wait_said 'status=0'
    wait_said 'lmp: recording written to x.lmprec '
    complete "$work/x.lmprec" || fail 'it is not complete'
    look "$work/x.lmprec" | grep -qx ended=1 || fail 'how it ended is not there'
    check_terminal
}

case_paused() { # a pause is kept whole, and so is what comes right before a kill in it
    local name
    type_line '$P $LMP run --live --record=x.lmprec --json=j --no-summary endless.lua; echo "status=$?"' ' REC 00:00:0'
    wait_program
    press Space 'PAUSED'
    key n n n
    sleep 0.5
    kill -9 "$program"
    wait_for 'SIGKILL'
    key q
    wait_said 'status=137'
    wait_said 'lmp: recording written to x.lmprec '
    look "$work/x.lmprec" at end >"$work/end"
    for name in mallocs malloc_bytes reallocs frees live_bytes live_blocks peak_bytes; do
        grep -o "\"$name\":[0-9]*" "$work/j" | head -1 | sed 's/.*://' >"$work/one"
        grep -qx "$name=$(cat "$work/one")" "$work/end" ||
            fail "$name: $(cat "$work/one"), recorded: $(grep "^$name=" "$work/end")"
    done
    grep -qx "tables=$(sed -n 's/^clock=//p' "$work/end")" "$work/end" || fail 'no tables at the end'
}

case_top() { # in the display of another terminal, while lmp record runs elsewhere
    type_line '$P $LMP run --no-live --no-summary endless.lua & sleep 0.1'
    wait_program
    type_line "\$P \$LMP record $program y.lmprec >said 2>&1 & clear; \$P \$LMP top $program" ' REC 00:00:0'
    press_away R ' REC '
    wait_for 'Recording written to y.lmprec '
    key q
    until_true "$patience" 'the line of lmp record' grep -q '^recording written to y.lmprec ' "$work/said"
    touch "$work/stop"
}

open 120 30
play_case "$@"
