#!/bin/bash
# Heap snapshots in the display, of a program that leaks: heap.sh CASE
cd "$(dirname "$0")" && . ./lib.sh

# A cache that forgets nothing: what holds it must be found, and the reference to cut.
leaky() {
    cat >"$work/leaky.lua" <<'LUA'
local pid =
  io.open("/proc/self/stat"):read "a":match "^%d+"
cache = {}
local function request(n)
  local session = { id = n, body = ("x"):rep(500) .. n }
  cache["req-" .. n] = { callback = function() return session end }
end
for n = 1, 2000 do request(n) end
io.open("program.pid", "w"):write(pid):close() -- all is there
local keep, n = {}, 0
while true do n = n + 1; keep[n % 100] = { n } end
LUA
}

# In the panels of the snapshot: each has what it must have.
look_around() {
    wait_for '─ 1 Verdict'
    wait_for 'holds .*2,000 × \{callback\}'
    wait_for '_G\.cache'
    press 2 '─ 2 Objects'
    wait_for ' 2,000 .*\{callback\}'
    press 3 '─ 3 Dominators'
    wait_for '\.cache'
    wait_for 'req-[0-9]+'
    press 4 '─ 4 Treemap'
    wait_for '2,000 × \{callback\}'
    press 5 '─ 5 Lua'
    wait_for 'references  coroutines'
    press 2 '─ 2 Objects'
    key /
    type_line 'body, id' '1 of [0-9]+ match'
    press Enter '─ Single objects'
    wait_for 'body = "xxxx'
    press w '─ Why it is alive'
    wait_for 'held by [0-9]+ paths?, from the root down'
    wait_for 'cache'
    wait_for '✂ +.*cut here'
    wait_for 'upvalue session.*leaky.lua:6'
    press Escape '─ Single objects'
}

case_live() { # S, then enter: over the panels of the program, which runs on; esc leads back to them
    leaky
    behind leaky.lua
    type_line "\$P \$LMP top $program; echo top=\$?" 'RUNNING'
    if [ -z "$LMP_PRELOAD" ]; then # a sanitizer's own memory is what the note is about else
        wait_for 'Note .* of all garbage' # until then it leads elsewhere
        press w '─ Site: holds' # on no block and no page of a line: to the evidence, as without snapshots
        press Escape '─ 6 Sites'
    fi
    press S 'Collect first\?  y what is left is held  n all, with garbage'
    press y 'enter opens snapshot 1: '
    press Enter 'SNAPSHOT 1'
    wait_for 'after a full collection'
    look_around
    press Escape '─ 2 Objects'
    press_away Escape ' of [0-9]+ match' # the filter goes first
    press Escape 'RUNNING'
    press 6 '─ 6 Sites' # why what a line has made is still there
    press Enter '─ Site: holds'
    press w '─ Why it is alive'
    press Escape '─ Site: holds'
    press Escape '─ 6 Sites'
    wait_for 'RUNNING'
    press S 'enter opens snapshot 2: ' # another one is compared with the first
    press Enter 'SNAPSHOT 2'
    wait_for 'compared with snapshot 1'
    press 6 '─ 6 Compare'
    wait_for '[0-9,]+ new · [0-9,]+ gone · [0-9,]+ kept'
    press Q 'top=0'
    outlived "its display"
}

case_asks() { # w without a snapshot offers one, and goes on to the answer; what was answered is remembered
    leaky
    mkdir "$work/config"
    behind leaky.lua
    type_line "export XDG_CONFIG_HOME=$work/config; \$P \$LMP top $program; echo top=\$?" 'RUNNING'
    press 6 '─ 6 Sites'
    press Enter '─ Site: '
    press w 'No snapshot yet. Collect first'
    press_away Escape 'No snapshot yet'
    wait_for '─ Site: '
    press w 'No snapshot yet. Collect first'
    press n '─ Why it is alive'
    wait_for 'SNAPSHOT 1'
    wait_for 'with garbage that waits for the collector'
    wait_file config/lmp/config
    grep -qx 'collect = off' "$work/config/lmp/config" || fail "not remembered: $(cat "$work/config/lmp/config")"
    aged() { # from ten seconds on it is old, which is said when it is asked again
        press Escape '─ Site: '
        press w '─ Why it is alive'
        shows 'This is of [0-9]+ s ago; S asks a new snapshot the same'
    }
    until_true "$patience" 'the age of an old snapshot' aged
    press S 'SNAPSHOT 2'
    wait_for '─ Why it is alive'
    press Escape '─ Site: '
    press A 'Collect first'
    press y 'enter opens snapshot 3: '
    grep -qx 'collect = on' "$work/config/lmp/config" || fail "not remembered: $(cat "$work/config/lmp/config")"
    press Q 'top=0'
    type_line "clear; \$P \$LMP top $program; echo top=\$?" 'RUNNING'
    press S 'enter opens snapshot 4: ' # another display knows the answer
    press Enter 'after a full collection'
    press Q 'top=0'
    outlived "its display"
}

case_itself() { # of a leak the note says who holds it, by a snapshot that nobody asks for; unless that is switched off
    cp "../judged/live/memo.lua" "$work"
    mkdir "$work/config" "$work/config/lmp" "$work/tmp"
    type_line "export TMPDIR=$work/tmp XDG_CONFIG_HOME=$work/config; \$P \$LMP run --live memo.lua; echo run=\$?"
    wait_for '→ .*take entries out of main thread ▸ local memo \(memo.lua:34\): it held '
    wait_for 'A snapshot has shown who holds it; for it the program stood [0-9]+ ms'
    press w '─ Why it is alive'
    wait_for 'main thread ▸ local memo'
    press Q 'the display is left'
    press C-c 'run=[0-9]'
    said 'snapshot 1: [0-9,]+ objects, stood .*, taken by itself for the note' || fail "it is not told at the end"
    ls "$work/tmp"/* "$work"/*.heap 2>/dev/null && fail "files are left"
    echo 'proof = off' >"$work/config/lmp/config"
    type_line "clear; \$P \$LMP run --live memo.lua; echo run=\$?" '→ .*take entries out of the table that grows here'
    sleep 1
    shows '→ .*take entries out of the table that grows here' || fail "a snapshot was taken all the same"
    ls "$work/tmp"/* 2>/dev/null && fail "a directory was made"
    press Q 'the display is left'
    press C-c 'run=[0-9]'
}

rarely() { # a program that asks for memory once in a while
    cat >"$work/rarely.lua" <<'LUA'
kept = {}
for n = 1, 20000 do kept[n] = { n } end
io.open("program.pid", "w"):write(io.open("/proc/self/stat"):read("n")):close()
while not io.open("stop") do
  kept[#kept + 1] = { "x" }
  for i = 1, 5 do kept[#kept + 1] = tostring(i) .. #kept end
  os.execute("sleep 0.7")
end
LUA
    mkdir "$work/config" "$work/config/lmp"
    printf '%s\n' "$@" >"$work/config/lmp/config"
}

case_rarely() { # of such a program: its result is told all the same
    rarely 'proof = off' # none but ours
    type_line "export XDG_CONFIG_HOME=$work/config; \$P \$LMP run rarely.lua; echo run=\$?" 'RUNNING'
    for n in 1 2 3; do
        key S
        if [ $n = 1 ]; then
            wait_for 'Collect first'
            key y
        fi
        wait_for "enter opens snapshot $n: "
        press Enter "SNAPSHOT $n"
        [ $n -lt 3 ] || wait_for 'compared with snapshots 1 to 2'
        press Escape 'RUNNING'
    done
    touch "$work/stop"
    wait_for 'FINISHED'
    press q 'run=0'
}

case_two() { # what is asked for while another one is taken comes after it, also where lmp takes that by itself
    rarely 'proof = off' 'collect = on'
    behind rarely.lua
    type_line "export XDG_CONFIG_HOME=$work/config; \$P \$LMP top $program; echo top=\$?" 'RUNNING'
    key S
    key S
    wait_for 'enter opens snapshot 2: '
    key S
    wait_for 'A snapshot is taken at the program'
    said_by=$("$LMP" snapshot "$program" "$work/other.heap") || fail "not by another command: $said_by"
    wait_for 'enter opens snapshot 4: '
    touch "$work/stop"
    wait_for 'FINISHED'
    press q 'top=0'
    echo 'collect = on' >"$work/config/lmp/config"
    cp "../judged/live/server.lua" "$work"
    type_line "clear; \$P \$LMP run --live server.lua; echo run=\$?"
    wait_for '^ Note +server.lua:[0-9]+ (fills up or leaks|has never freed|has freed none|grows)'
    sleep 0.1 # while lmp takes its own
    press S 'enter opens snapshot [12]: '
    press Q 'the display is left'
    press C-c 'run=[0-9]'
}

case_ends() { # the program, before it was heard: that is said, however it ends
    local how asked
    echo 'io.open("program.pid", "w"):write(io.open("/proc/self/stat"):read("n")):close()
os.execute "while [ ! -e stop ]; do sleep 0.1; done"' >"$work/ends.lua"
    mkdir "$work/config" "$work/config/lmp"
    echo 'collect = on' >"$work/config/lmp/config"
    for how in 'KILL snapshot' 'KILL collection' 'end snapshot' 'end collection'; do
        asked=${how#* }
        rm -f "$work/stop" "$work/program.pid"
        behind ends.lua
        type_line "clear; XDG_CONFIG_HOME=$work/config \$P \$LMP top $program; echo top=\$?" 'RUNNING'
        if [ "$asked" = snapshot ]; then
            press S 'A snapshot is taken at the program'
        else
            press C 'A full collection runs at '
        fi
        if [ "${how% *}" = KILL ]; then kill -9 "$program"; else touch "$work/stop"; fi
        wait_for "No $asked: the program has ended"
        press q 'top=[01]'
    done
}

case_file() { # later, from its file; one that is none, or is cut off, is refused in a line
    leaky
    sed -i '/^while/d' "$work/leaky.lua"
    type_line '$P $LMP run --no-live --snapshot=leaky.heap leaky.lua >/dev/null 2>&1; echo run=$?' 'run=0'
    wait_file leaky.heap
    type_line '$P $LMP heap leaky.heap; echo heap=$?'
    look_around
    press Q 'heap=0'
    check_terminal
    head -c 20000 "$work/leaky.heap" >"$work/cut.heap"
    type_line 'clear; $P $LMP heap cut.heap; echo cut=$?' 'cut=1'
    wait_for 'cut.heap: it is cut off or damaged'
    type_line 'clear; $P $LMP heap leaky.lua; echo other=$?' 'other=1'
    wait_for 'leaky.lua: this is no heap snapshot'
    type_line 'clear; $P $LMP heap nowhere.heap; echo none=$?' 'none=1'
    wait_for 'nowhere.heap: No such file'
}

case_killed() { # the display that asked is killed: the program goes on, and another one is served
    leaky
    behind leaky.lua
    for n in 1 2 3; do
        type_line "clear; \$P \$LMP top $program; echo top$n=\$?" 'RUNNING'
        press S 'Collect first'
        key y
        [ $n = 1 ] || sleep "0.$n" # heard, or not yet
        kill_one KILL "$(drawing top "$program")"
        wait_for "top$n=1"
        outlived "its display"
    done
    type_line "clear; \$P \$LMP top $program; echo top=\$?" 'RUNNING'
    press S 'Collect first'
    press y 'enter opens snapshot [0-9]+: '
    press Enter 'SNAPSHOT'
    wait_for '_G\.cache'
    press Q 'top=0'
    for file in "$work"/*.heap; do
        LD_PRELOAD=$LMP_PRELOAD "$LMP" report csv "$file" >/dev/null || fail "$file is not whole"
    done
    outlived "its display"
}

case_large() { # how far the reading of large files is, and three ways to stop it; keys typed meanwhile wait
    echo 'T = {} for i = 1, 1000000 do T[i] = {} end' >"$work/large.lua"
    type_line '$P $LMP run --no-live --no-summary --snapshot=large.heap large.lua 2>/dev/null; echo run=$?' 'run=0'
    eight='large.heap large.heap large.heap large.heap large.heap large.heap large.heap large.heap'
    for stop in Escape q C-c; do
        type_line "clear; \$P \$LMP heap $eight; echo stopped=\$?" 'Reading large.heap.* [0-9]+ %  esc stops it'
        press $stop 'stopped=1'
        wait_for 'large.heap: reading it was stopped'
        check_terminal
    done
    type_line "clear; \$P \$LMP heap large.heap large.heap; echo heap=\$?" 'Reading large.heap.* [0-9]+ %  esc stops it'
    press 2 '─ 2 Objects'
    press Q 'heap=0'
    check_terminal
    type_line "clear; \$P \$LMP heap $eight; echo told=\$?" 'Reading large.heap.* [0-9]+ %  esc stops it'
    kill_one TERM "$(lmp_pids lmp heap large.heap | sort -n | head -n 1)"
    wait_for 'told='
}

case_fails() { # a display that ends with an error of its own: that is said, and no signal is named
    [ -z "$LMP_PRELOAD" ] || { echo "another library is preloaded"; exit 77; }
    leaky
    sed -i '/^while/d' "$work/leaky.lua"
    (cd "$work" && "$LMP" run --no-live --no-summary --snapshot=leaky.heap leaky.lua >run.out 2>run.err)
    type_line 'LD_PRELOAD=$(dirname $LMP)/libexit_on_signal.so $LMP heap leaky.heap; echo heap=$?' 'SNAPSHOT 1'
    kill_one RTMIN+5 "$(drawing heap leaky.heap)"
    wait_for 'heap=1'
    said 'lmp: the display ended with an error' || fail 'nothing is said'
    if said 'crashed'; then fail 'a crash is told'; fi
}

case ${1:-} in
asks | large | fails) open 100 30 ;;
*) open 120 36 ;;
esac
play_case "$@"
check_terminal
