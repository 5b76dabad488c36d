#!/bin/bash
# Whole runs with the display in a terminal: display.sh CASE
cd "$(dirname "$0")" && . ./lib.sh && . ./programs.sh

run_live() { type_line "\$P \$LMP run --no-hold --live $* ; echo \"status=\$?\""; }
# talk LINES [OPTIONS]: half of its lines are printed, and the display is there; `go_on` for the rest.
talk() {
    type_line "WAIT=1 \$P \$LMP run --live ${2---no-hold} talk.lua $1; echo \"status=\$?\"" 'RUNNING'
    wait_for "line $(($1 / 2 + 1))"
    wait_program
}
go_on() { : >"$work/go"; }
# well_ended [IGNORE]: with all its output, see check_output.
well_ended() {
    wait_for 'status=0'
    check_output wanted "${1:-}"
}

case_end() { # everything in order: display, output, summary, status
    talk 201 ''
    go_on
    wait_for 'FINISHED'
    wait_for 'line 201 ' # the last one, too
    press q 'status=0'
    wait_said 'Maximum memory used'
    check_output wanted
}

case_few_descriptors() { # a display that lmp run knows of, or none: either way the summary comes once
    local limit runs=0
    for limit in 26 30 40 64; do
        rm -f "$work/go"
        type_line "(ulimit -n $limit; WAIT=1 \$P \$LMP run --live talk.lua 21; echo \"status=\$?\" of $limit)"
        wait_for 'RUNNING|runs without a display'
        shows RUNNING && runs=$((runs + 1))
        wait_program
        go_on
        if shows RUNNING; then
            wait_for 'FINISHED'
            key q
        fi
        wait_said "status=0 of $limit"
        [ "$(history_text | grep -c '^Memory of')" = 1 ] || fail "summaries with $limit descriptors"
        wait_said 'line 21 '
        check_terminal
        tm clear-history -t "$pane"
        type_line clear
    done
    [ $runs -ge 2 ] || fail 'no display with as few as 64 descriptors'
}

case_late_output() { # what comes after the end has been seen is shown as well
    talk 201 ''
    find_both
    kill_one STOP "$relay"
    go_on
    wait_for 'FINISHED'
    kill_one CONT "$relay"
    wait_for 'line 201 '
    press q 'status=0'
    check_output wanted
}

case_failed() { # a script that failed is not finished: its status and its error say so
    echo 'print "so far" local t t.x = 1' >"$work/bad.lua"
    type_line '$P $LMP run --live --json=j bad.lua; echo "status=$?"' 'EXITED 1'
    wait_for "lua[0-9.]*: bad.lua:1: attempt to index a nil value \(local 't'\)"
    shows_not 'FINISHED' || fail "it says FINISHED"
    press q 'status=1'
    wait_said '^Exited with status 1 after'
    wait_said "^  [^ ]*lua[0-9.]*: bad.lua:1: attempt to index a nil value \(local 't'\)"
    grep -q '"ending":"exited with status 1","error":"[^ ]*: bad.lua:1: attempt' "$work/j" ||
        fail "JSON: $(head -c 300 "$work/j")"
    type_line 'clear; $P $LMP run --live -- $LUA endless.lua; echo "status=$?"'
    wait_program
    wait_for 'RUNNING'
    kill_one INT "$program" # the interpreter makes it an error
    wait_for 'EXITED 1'
    wait_for 'interrupted!'
    press q 'status=1'
    # What it says comes after its end, and something else after that.
    echo 'os.execute [[(until [ -e said ]; do sleep 0.01; done; printf "lua: late.lua:3: too late\n"
        printf "stack traceback:\n\t[C]: in ?\n") &]]
        os.exit(1)' >"$work/late.lua"
    type_line 'clear; $P $LMP run --live late.lua; echo "status=$?"' 'EXITED 1'
    : >"$work/said"
    wait_for '^ *lua: late.lua:3: too late *$' # in a line of the header
    press q 'status=1'
}

case_run_killed() { # its shell takes the terminal: the display leaves it, the rest is done from behind
    type_line '$P $LMP run --live endless.lua' 'RUNNING'
    wait_program
    find_both
    kill_one KILL "$(lmp_pids lmp run)"
    wait_gone 'RUNNING'
    until_true "$patience" "the first screen" plain_terminal
    outlived "lmp run"
    : >"$work/stop"
    wait_dead "$program"
    wait_dead "$viewer"
    wait_dead "$relay"
    wait_said 'the endless program is done'
    wait_said 'Maximum memory used'
}

# begun PID: has `lmp run` noted, on the page that it shares with the relay, that it writes?
begun() {
    local f
    for f in /proc/"$1"/fd/*; do
        case $(readlink "$f") in *lmp-output*) ;; *) continue ;; esac
        [ $(($(od -An -tu4 -j8 -N4 "$f") & 128)) != 0 ] && return
    done
    return 1
}

case_run_killed_writing() { # whoever writes the summary in its place says so
    local run
    echo 'local t = {} while not io.open "stop" do for i = 1, 1000 do t[i] = {} end end' \
        >"$work/silent.lua"
    type_line '$P $LMP run --live silent.lua' 'RUNNING'
    find_both
    run=$(lmp_pids lmp run)
    press_away q 'RUNNING'
    until_true "$patience" "the first screen" plain_terminal
    key C-s # the terminal takes nothing more
    : >"$work/stop"
    until_true "$patience" "the summary begun" begun "$run"
    kill_one KILL "$run"
    wait_dead "$run"
    key C-q
    wait_said 'Maximum memory used'
    wait_said 'lmp run was killed while it wrote the summary'
    wait_dead "$relay"
    [ "$(history_text | grep -c 'Maximum memory used')" = 1 ] || fail "two summaries"
}

case_closed_streams() { # each of them, with a display; the program finds them closed
    cat >"$work/closed.lua" <<'LUA'
local f = assert(io.open("open.txt", "w"))
for fd = 0, 2 do
  local d = io.open("/proc/self/fd/" .. fd)
  f:write(fd, d and " open " or " closed ")
end
f:close()
for i = 1, 1000 do local t = { i } end
os.exit(3)
LUA
    local closed
    for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- >&- 2>&-'; do
        type_line "clear; \$P \$LMP run --live --no-hold --summary=sum closed.lua $closed; echo \"status=\$?\""
        wait_for 'status=3'
        wait_file sum
        rm "$work/sum"
    done
}

case_hold_enter() { # lmp.start(true) waits for q at the end, and prints the summary itself
    sed -i 's/hold = false/hold = true/' "$work/self.lua"
    type_line '$P $LUA self.lua 40; echo "status=$?"' 'ENDED'
    press Enter x 'address' # none of these keys leaves
    press_away Escape 'address'
    press Space 'these are its last figures'
    press q 'status=0'
    wait_said 'Maximum memory used'
    check_output wanted
}

case_quit() { # q leaves the display while the script goes on
    talk 302
    press '?' 'q back'
    press_away q 'q back' # out of the page
    wait_for 'RUNNING'
    press q 'q once more to quit' # one too many, perhaps
    press_away q 'RUNNING'
    wait_said "lmp: the display is left; lmp top $program brings it back"
    go_on
    wait_said 'line 302 ' # above the summary
    well_ended 'lmp: the display is left'
}

case_viewer_killed() {
    talk 201
    kill_one KILL "$(viewer_pid)"
    wait_said 'lmp: the display crashed \(signal 9\)'
    go_on
    well_ended 'lmp: the display crashed'
}

case_viewer_crashed() { # as by a fault of its own: the program and the terminal do not notice
    talk 201
    kill_one SEGV "$(viewer_pid)"
    wait_said 'lmp: the display crashed \(signal 11\)'
    outlived 'its display'
    go_on
    well_ended 'lmp: the display crashed'
}
case_program_crashed() { case_program_killed SEGV 139 '11 \(SIGSEGV\)'; }

case_viewer_fails() { # it ends with an error of its own: that is said, and no signal is named
    [ -z "$LMP_PRELOAD" ] || { echo "another library is preloaded"; exit 77; }
    type_line 'P="env LD_PRELOAD=$(dirname $LMP)/libexit_on_signal.so"'
    talk 201
    kill_one RTMIN+5 "$(viewer_pid)"
    wait_said 'lmp: the display ended with an error; the program goes on'
    go_on
    well_ended 'lmp: the display ended'
    if said 'crashed'; then fail 'a crash is told'; fi
}

case_top_fails() { # the same in lmp top
    [ -z "$LMP_PRELOAD" ] || { echo "another library is preloaded"; exit 77; }
    (cd "$work" && "$LMP" run --no-live endless.lua >run.out 2>run.err) &
    wait_program
    type_line "LD_PRELOAD=\$(dirname \$LMP)/libexit_on_signal.so \$LMP top $program; echo top=\$?" 'RUNNING'
    kill_one RTMIN+5 "$(top_viewer)"
    wait_for 'top=1'
    said 'lmp: the display ended with an error; the program goes on' || fail 'nothing is said'
    if said 'crashed'; then fail 'a crash is told'; fi
    outlived 'the display'
}

case_viewer_killed_paused() { # a paused program goes on when its viewer dies
    talk 302
    press Space 'PAUSED'
    go_on
    kill_one KILL "$(viewer_pid)"
    well_ended 'lmp: the display crashed'
}

case_viewer_told() { # SIGTERM to the viewer or the relay: the display ends, the program goes on
    talk 201
    kill_one TERM "$("${1:-viewer}_pid")"
    wait_gone 'RUNNING'
    go_on
    well_ended
}

case_relay_told() { case_viewer_told relay; }

case_relay_killed() { # the viewer takes over its work
    talk 201
    kill_one KILL "$(relay_pid)"
    wait_said "lmp: the display's relay was killed"
    go_on
    well_ended "lmp: the display's relay"
}

find_both() {
    relay=$(relay_pid) viewer=$(viewer_pid)
    [ -n "$relay" ] && [ -n "$viewer" ] || fail "the display's processes are not found"
}
kill_both() {
    find_both
    kill_one STOP "$viewer" # that it does not take over
    kill_one KILL "$relay"
    kill_one KILL "$viewer"
}

case_both_killed() { # nothing is left of the display: the module takes its streams back
    type_line 'rm -f stop; $P $LMP run --no-hold --live endless.lua; echo "status=$?"' 'the endless program speaks'
    kill_both
    touch "$work/stop"
    wait_said 'status=0'
    wait_said 'the endless program is done'
}

case_both_killed_talking() { # while it prints: the module's own end of the terminal keeps it going
    type_line 'rm -f stop; TALK=1 $P $LMP run --no-hold --live endless.lua; echo "status=$?"' 'at [0-9]+'
    kill_both
    wait_said '^at [0-9]+'
    touch "$work/stop"
    wait_said 'status=0'
    wait_said 'the endless program is done'
}

case_all_lmp_killed() { # `pkill -9 lmp`: the relay has another name, and the output is kept
    talk 201
    run=$(awk '{ print $4 }' "/proc/$program/stat")
    kill_one KILL "$(viewer_pid)"
    kill_one KILL "$run"
    wait_said 'lmp: the display crashed'
    go_on
    wait_dead "$program"
    wait_said 'line 201 '
    type_line ''
}

# The terminal of the endless program goes away, and all of it with that.
hang_up() {
    wait_for 'the endless program speaks'
    wait_program
    find_both
    tm kill-pane -t "$pane"
    wait_dead "$program"
    wait_dead "$viewer"
    wait_dead "$relay"
}

case_hangup() { # the terminal goes away: so do the program and everything of ours
    run_live endless.lua
    hang_up
}

case_hangup_first() { # so too where there is no shell between the terminal and lmp run
    type_line 'exec $P $LMP run --live endless.lua'
    hang_up
}

case_hangup_ignored() { # a program that outlives its terminal is not held up by it
    type_line 'trap "" HUP; rm -f stop; TALK=1 $P $LMP run --live --summary=sum endless.lua' 'at [0-9]+'
    wait_program
    find_both
    tm kill-pane -t "$pane"
    outlived "its terminal"
    touch "$work/stop"
    wait_dead "$program"
    wait_dead "$viewer" # it stays for as long as its relay might need it
    wait_dead "$relay"
    wait_file sum
}

case_program_killed() { # SIGKILL: output in full, summary, terminal, and the same status
    type_line '$P $LMP run --live endless.lua; echo "status=$?"' 'the endless program speaks'
    wait_program
    kill_one "${1:-KILL}" "$program"
    wait_for "status=${2:-137}"
    wait_said "illed by signal ${3:-9 \(SIGKILL\)}"
    wait_said 'the endless program speaks'
    wait_said 'Maximum memory used'
}

case_program_aborted() { case_program_killed ABRT 134 '6 \(SIGABRT\)'; }
case_program_terminated() { case_program_killed TERM 143 '15 \(SIGTERM\)'; }

case_self_killed() { # the same without lmp run
    echo 'require("luamemprofiler").start(true)' | cat - "$work/endless.lua" >"$work/self_endless.lua"
    type_line '$P $LUA self_endless.lua; echo "status=$?"' 'RUNNING'
    wait_for 'the endless program speaks'
    wait_program
    kill_one KILL "$program"
    wait_said 'was killed or crashed'
    wait_said 'Maximum memory used'
    # The shell may have prompted on the display's screen, before that was left.
    wait_said 'the endless program speaks'
}

case_paused_killed() {
    type_line '$P $LMP run --live endless.lua; echo "status=$?"' 'the endless program speaks'
    press Space 'PAUSED'
    wait_program
    kill_one KILL "$program"
    wait_for 'status=137'
}

case_interrupt() { # ctrl-C is for the script
    run_live endless.lua
    wait_for 'the endless program speaks'
    press C-c 'status=1'
    wait_said 'interrupted!'
    wait_said 'Maximum memory used'
}

case_interrupt_plain() { # the same without display: once, by the terminal
    type_line '$P $LMP run --no-live endless.lua ; echo "status=$?"' 'the endless program speaks'
    press C-c 'status=1'
    wait_said 'interrupted!'
    wait_said 'Maximum memory used'
}

case_interrupt_held() { # at the end, ctrl-C only leaves the display
    type_line '$P $LMP run --live talk.lua 20 ; echo "status=$?"' 'FINISHED'
    press C-c 'status=0'
    check_output wanted
}

case_interrupt_paused() {
    run_live endless.lua
    wait_for 'the endless program speaks'
    press Space 'PAUSED'
    press C-c 'status=1'
    wait_said 'interrupted!'
}

stopped() { grep -q '^State:.T' "/proc/$program/status"; }
case_suspend() { # ctrl-Z and fg, while the display is up and after it was left
    type_line 'rm -f stop; $P $LMP run --no-hold --live endless.lua; echo "status=$?"' 'the endless program speaks'
    wait_program
    press C-z 'Stopped'
    until_true "$patience" "the program to be stopped" stopped
    type_line 'clear; fg' 'RUNNING'
    press_away q 'RUNNING'
    until_true "$patience" "the terminal's own settings" cooked_terminal
    wait_gone 'Stopped'
    press C-z 'Stopped'
    until_true "$patience" "the program to be stopped again" stopped
    type_line 'fg'
    touch "$work/stop"
    wait_said 'the endless program is done'
}

case_input() { # what is typed in the output panel reaches the script; after q, the terminal does
    cat >"$work/ask.lua" <<'LUA'
io.write "name? "
print("hello " .. io.read())
io.write "number? "
print("square " .. io.read "n" ^ 2)
io.read()
print("rest " .. tostring(io.read "a"))
LUA
    run_live ask.lua
    wait_for 'name\?'
    key i
    type_line 'Roberto' 'hello Roberto'
    wait_for 'number\?'
    key Escape
    wait_gone 'input>' # together with q, in one read, it would be alt-q
    press_away q 'RUNNING'
    until_true "$patience" "the terminal's own settings" cooked_terminal
    type_line '12' 'square 144'
    type_line 'last words'
    key C-d
    wait_said 'rest last words' # above a long summary
    wait_for 'status=0'
}

case_waits() { # a program that waits says for what, as long as it does, and why no pause comes
    cat >"$work/waits.lua" <<'LUA'
local function work(name) -- until the file is there
  repeat local t = {} local f = io.open(name) until f and f:close()
end
work "go1"
local line = io.read()
work "go2"
os.execute "while ! test -e go3; do sleep 0.1; done"
work "go4"
LUA
    type_line '$P $LMP run waits.lua; echo status=$?' 'RUNNING  '
    : >"$work/go1"
    wait_for 'RUNNING, waits for input, i to type'
    wait_for '^ .*space pause .* i input'
    press Space 'PAUSING, waits for input'
    wait_for 'Pausing: the program waits for input and asks for no memory until then'
    press Space 'RUNNING, waits for input'
    wait_gone 'Pausing:'
    press i 'input>'
    type_line 'a line' 'RUNNING  ' # gone when it goes on
    key Escape
    : >"$work/go2"
    wait_for 'RUNNING, waits for a child process'
    press Space 'Pausing: the program waits for a child process'
    : >"$work/go3"
    wait_for 'PAUSED'
    wait_gone 'Pausing:'
    press Space 'RUNNING  '
    : >"$work/go4"
    wait_for 'FINISHED'
    key q
    wait_said 'status=0'
}

# The MiB that the header says are outside Lua; 0: none are said.
outside() {
    local mib
    mib=$(screen | sed -n 's/.*outside Lua \([0-9]*\)\(\.[0-9]*\)\{0,1\} MiB.*/\1/p' | head -n 1)
    echo "${mib:-0}"
}

# KiB that the header says after a word: "Heap", "RSS"; 0: none.
kib_of() {
    sed -nE "s/.*$1 +([0-9]+)(\\.[0-9])? (B|[KMG]iB).*/\\1 \\3/p" <<<"$header" | head -n 1 |
        awk '{ print $1 * ($2 == "KiB" ? 1 : $2 == "MiB" ? 1024 : $2 == "GiB" ? 1048576 : 0) } END { if (!NR) print 0 }'
}

# The header, once it differs from the last one.
header_moves() {
    local now
    now=$(screen | head -n 4 | tr '\n' ' ')
    [ -n "${now// /}" ] && [ "$now" != "$header" ] && header=$now
}

# Heap and RSS are of one moment: a heap of which each page is written does not exceed it; but for a
# few looks, when the machine has stopped the display between the two.
case_moment() {
    cat >"$work/swings.lua" <<'LUA'
repeat
  local t = {}
  for i = 1, 400 do t[i] = ("x"):rep(200000 + i) end
  t = nil
  collectgarbage()
  local f = io.open("leave")
until f and f:close()
LUA
    type_line "\$P \$LMP run swings.lua; echo status=\$?" 'RSS +[0-9.]+ MiB'
    local heap rss looks header='' most=0 above=0
    for looks in $(seq 40); do
        until_true "$patience" 'another header' header_moves
        heap=$(kib_of Heap) rss=$(kib_of RSS)
        [ "$rss" -eq 0 ] || [ "$heap" -le $((rss + 1024)) ] || above=$((above + 1))
        [ "$above" -lt 3 ] || fail "the heap was above RSS $above times, now $heap KiB above $rss KiB"
        [ "$heap" -lt "$most" ] || most=$heap
    done
    [ "$most" -ge 20480 ] || fail "the heap was $most KiB at most after $looks looks"
    : >"$work/leave"
    wait_for 'FINISHED'
    key q
    wait_said 'status=0'
}

case_outside() { # 64 MiB that a C module takes are outside Lua, and nothing else changes that
    [ -z "$LMP_PRELOAD" ] || exit 77 # a sanitizer has memory of its own for each byte
    cat >"$work/takes.lua" <<'LUA'
package.cpath = arg[1]
local outside = require "outside"
local t
local function work(name) -- until the file is there; the collector has something to do
  repeat t = {{}, {}, ("x"):rep(1000)} local f = io.open(name) until f and f:close()
end
work "take"
assert(outside.take(64 << 20))
work "leave"
LUA
    type_line "\$P \$LMP run takes.lua '$LMP_BUILD/tests/judged/?.so'; echo status=\$?" 'outside Lua [0-9.]+ MiB'
    wait_for 'RUNNING  00:00:(0[3-9]|[1-9])'
    local base after tries
    base=$(outside)
    [ "$base" -ge 1 ] && [ "$base" -le 30 ] || fail "$base MiB are outside Lua before"
    : >"$work/take"
    for tries in $(seq "$((patience * 5))"); do # the least of ten seconds is said
        after=$(outside)
        [ "$after" -lt $((base + 50)) ] || break
        sleep 0.2
    done
    sleep 1 # the last figure from before is gone by then
    after=$(outside)
    echo "outside Lua: $base MiB, then $after, after $tries looks"
    [ "$after" -ge $((base + 62)) ] && [ "$after" -le $((base + 66)) ] ||
        fail "64 MiB more are not $after after $base"
    : >"$work/leave"
    wait_for 'FINISHED'
    key q
    wait_said 'status=0'
}

# Tenths of a MiB that the panel of the process says of a row; 0: it has none.
process_row() {
    screen | sed -nE "s/.* ([0-9]+)(\\.([0-9]))? MiB +[0-9.]+ .* $1( .*|\$)/\\1\\3/p" | head -n 1 | grep . || echo 0
}
is_within() { # LEAST WHAT MOST
    [ "$2" -ge "$1" ] && [ "$2" -le "$3" ]
}
malloc_is() { is_within "$1" "$(process_row 'C code \(malloc\)')" "$2"; }
mapped_is() { is_within "$1" "$(process_row 'C code \(mapped\)')" "$2"; }
untold_is() { is_within "$1" "$(process_row 'not told apart')" "$2"; }

case_process() { # what a C module has from malloc, in large and small pieces, and what it has mapped
    [ -z "$LMP_PRELOAD" ] || exit 77 # a sanitizer has a malloc of its own
    ldd "$(command -v "$LUA")" | grep -q 'libc\.so\.6' || { echo "not glibc's malloc"; exit 77; }
    cat >"$work/takes.lua" <<'LUA'
package.cpath = arg[1]
local outside = require "outside"
local function work(name)
  local t
  repeat t = {{}, {}, ("x"):rep(1000)} local f = io.open(name) until f and f:close()
end
assert(outside.take(64 << 20))
for _ = 1, 20000 do assert(outside.take(700)) end -- 704 bytes each with what is around them
assert(outside.map(32 << 20))
work "more"
assert(outside.map(16 << 20))
work "leave"
LUA
    type_line "\$P \$LMP run --live takes.lua '$LMP_BUILD/tests/judged/?.so'; echo status=\$?" \
        'RUNNING  00:00:(0[1-9]|[1-9])'
    press 0 Tab "Lua's blocks are [0-9.]+ [KM]iB of [0-9.]+ MiB"
    if shows 'does not let lmp read'; then # by its size alone the large piece is as good as mapped
        until_true "$patience" '96 MiB mapped' mapped_is 955 975
        until_true "$patience" '13.4 MiB not told apart' untold_is 130 160
        : >"$work/more"
        until_true "$patience" '112 MiB mapped' mapped_is 1115 1135
    else
        until_true "$patience" '77.4 MiB of malloc' malloc_is 770 800
        until_true "$patience" '32 MiB mapped' mapped_is 315 335
        : >"$work/more"
        until_true "$patience" '48 MiB mapped' mapped_is 475 495
        malloc_is 770 800 || fail "what malloc has is not what it was"
    fi
    : >"$work/leave"
    wait_for 'FINISHED'
    key q
    wait_said 'status=0'
}

case_children() { # os.execute's output in its place; a background child's after the end
    cat >"$work/children.lua" <<'LUA'
local wanted = io.open("wanted", "wb")
for i = 1, 20 do
  print("parent " .. i) wanted:write("parent " .. i .. "\n")
  os.execute("echo child " .. i) wanted:write("child " .. i .. "\n")
end
wanted:close()
os.execute "(while ! test -e late; do sleep 0.1; done; echo late child; sleep 0.2; echo later) &"
LUA
    run_live children.lua
    well_ended
    touch "$work/late"
    wait_for '^later'
}

case_redirected() { # streams that are not the terminal are left alone
    (cd "$work" && "$LUA" talk.lua 30 0 >plain.out 2>plain.err)
    run_live "talk.lua 30 >live.out"
    wait_for 'RUNNING|status=0'
    wait_for 'status=0'
    cmp "$work/plain.out" "$work/live.out" || fail "standard output has changed"
    wait_said 'err 28'
}

case_kept() { # output kept in a file: the display is there by itself; piped into a program: it is not
    type_line "WAIT=1 \$P \$LMP run --no-hold talk.lua 8 >kept; echo \"status=\$?\"" 'RUNNING'
    wait_program
    go_on
    wait_said 'status=0'
    wait_said 'Maximum memory used'
    [ "$(grep -c '^line ' "$work/kept")" = 8 ] || fail 'the file has not all lines'
    rm -f "$work/go"
    type_line "WAIT=1 \$P \$LMP run --no-hold talk.lua 8 | cat; echo \"status=\$?\"" 'line 5'
    if shows 'RUNNING'; then fail 'a display over a pipe'; fi
    go_on
    wait_for 'status=0'
}

case_config() { # what the person has chosen for good; what cannot be read is said, and the rest holds
    mkdir -p "$work/xdg/lmp"
    printf '%s\n' '# mine' 'thme = light' 'types = tag' 'panel = Leaks' 'mouse = off' >"$work/xdg/lmp/config"
    type_line "XDG_CONFIG_HOME=\$PWD/xdg WAIT=1 \$P \$LMP run --no-hold --live talk.lua 21; echo \"status=\$?\""
    wait_for 'config, line 2: there is no "thme"; did you mean "theme"\?'
    wait_for 'by tag'
    wait_for '9 Leaks'
    mouse_is() { [ "$(tm display-message -p -t "$pane" '#{mouse_any_flag}')" = "$1" ]; }
    until_true "$patience" "no mouse" mouse_is 0
    key M
    until_true "$patience" "the mouse" mouse_is 1
    wait_program
    go_on
    wait_for 'status=0'
}

# Lines of the display among those of the shell, once it has been left.
case_widened() { # while the display is up: nothing of it is on the shell's screen afterwards
    talk 100
    tm resize-window -t "$pane" -x 120 -y 36
    until_true "$patience" "the wider display" whole
    press_away q 'RUNNING'
    go_on
    wait_for 'status=0'
    if history_text | grep -q '[▀╭╰]'; then fail "lines of the display are left"; fi
}

case_stopped() { # lmp.stop() gives the terminal back in the middle of the script, twice
    cat >"$work/stops.lua" <<'LUA'
local lmp = require "luamemprofiler"
for i = 1, 2 do
  lmp.start { live = true, hold = false, summary = false }
  print("inside " .. i)
  local stop = os.clock() + 0.3
  repeat local t = {} until os.clock() > stop
  lmp.stop()
  print("outside " .. i)
end
LUA
    type_line '$P $LUA stops.lua; echo "status=$?"' 'status=0'
    check_terminal
    for part in 'inside 1' 'outside 1' 'inside 2' 'outside 2'; do
        echo "$part" >"$work/part"
        check_output part
    done
}

case_bulk() { # more output than a pseudo terminal or the output panel holds
    cat >"$work/bulk.lua" <<'LUA'
local wanted = io.open("wanted", "w")
for i = 1, 40000 do
  local line = ("x"):rep(60) .. i
  print(line) wanted:write(line, "\n")
end
wanted:close()
LUA
    run_live bulk.lua
    well_ended
}

case_no_display() { # none to be had: one line, and the script runs on as ever
    type_line 'LMP_COMMAND=/bin/false $P $LUA self.lua 10; echo "status=$?"' 'status=0'
    wait_said 'lmp: .*without a display'
    wait_said 'Maximum memory used'
    check_output wanted
    type_line 'clear; LMP_COMMAND=/no/such $P $LUA self.lua 10; echo "then=$?"' 'then=0'
    wait_said 'lmp: .*without a display.*not found'
}

case_odd_terminal() { # an unknown TERM, and none
    for term in nonsense dumb ''; do
        type_line "clear; TERM=$term \$P \$LMP run --live --no-hold talk.lua 50; echo \"on $term=\$?\"" "on $term=0"
        check_output wanted
    done
}

case_resize() {
    run_live endless.lua
    wait_for 'the endless program speaks'
    tm resize-window -t "$pane" -x 60 -y 15
    wait_for 'RUNNING'
    until_true "$patience" "the whole width in use" shows '^.{50,60}$'
    press_away q RUNNING
    touch "$work/stop"
    wait_said 'status=0'
}

# to_program PID: the cursor of the list of programs goes there, past those of others.
to_program() {
    local at
    while at=$(cursor_program) && [ "$at" != "$1" ]; do
        if [ "${at:-0}" -lt "$1" ]; then key Down; else key Up; fi
        until_true "$patience" 'the cursor at another program' cursor_left "$at"
    done
}
cursor_program() { screen | sed -nE 's/.*▸[ ●] *([0-9]+).*/\1/p'; }
cursor_left() { [ "$(cursor_program)" != "$1" ]; }
case_others() { # another program is chosen, and the first again; the end of the first is the display's
    cat >"$work/fork.lua" <<'LUA'
local forks = require "forks"
local child = forks.fork()
local name = child == 0 and "child" or "program"
local f = io.open(name .. ".tmp", "w") f:write(forks.pid(), "\n") f:close()
os.rename(name .. ".tmp", name .. ".pid")
while not io.open("stop." .. name) do x = {} end
if child > 0 then forks.wait() end
LUA
    type_line "\$P \$LMP run --live --follow-forks fork.lua; echo \"status=\$?\"" 'RUNNING'
    wait_program
    wait_file child.pid
    child=$(cat "$work/child.pid")
    wait_for "fork.lua .*$program"
    press J "● $program "
    wait_for "$child +$program +running"
    to_program "$child"
    press Enter "fork.lua .*$child"
    press Space 'PAUSED' # it is that one which stands
    wait_for "\($program|pid $child|$child"
    press J "● $child "
    wait_for "$program .* running"
    to_program "$program"
    press Enter "fork.lua .*$program"
    wait_for 'RUNNING'
    press J "$child +$program +running" # whoever leaves a program lets it go on
    to_program "$child"
    press Enter "fork.lua .*$child"
    touch "$work/stop.child"
    wait_for 'ENDED|FINISHED'
    touch "$work/stop.program"
    wait_dead "$program"
    press q 'status=0'
    wait_said "Forked from pid $program"
}

case_top_twice() { # attach, quit, attach again from another terminal; totals from before
    behind endless.lua
    for _ in 1 2; do
        type_line "\$P \$LMP top $program; echo top=\$?" 'RUNNING'
        wait_for 'endless.lua'
        press q 'top=0'
        type_line 'clear'
        wait_gone 'top=0'
    done
    type_line "\$P \$LMP top --list" "^$program .*RUNNING.*endless.lua"
    type_line 'clear'
    wait_gone 'RUNNING' # that of the list
    type_line "\$P \$LMP top $program; echo top=\$?" 'RUNNING'
    press C-c 'top=0'
    outlived "ctrl-C in lmp top"
    type_line 'clear'
    wait_gone 'top=0'
    type_line "\$P \$LMP top $program; echo top=\$?" 'RUNNING'
    kill_one KILL "$program"
    wait_for 'SIGKILL|KILLED|was killed'
    press q 'top=0'
    wait_said 'Maximum memory used'
}

case ${1:-} in
hold_enter) open 80 24 ;;
waits | moment | outside | process | config | resize) open 120 36 ;;
others) open 110 30 ;;
*) open 100 30 ;;
esac
play_case "$@"
case $1 in
hangup*) ;; # it has no terminal any more
*) check_terminal ;;
esac
