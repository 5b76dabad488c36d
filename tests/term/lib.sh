# lib.sh - drives a shell in a tmux pane for the tests of whole runs. Everything polls: nothing here
# or in the tests sleeps for a fixed time and hopes, or looks once at what another process paints.
#
# Environment: LMP_BUILD (directory of lmp and the module), LUA (the interpreter), LMP_PRELOAD
# (sanitizer's library, may be empty). Each test has its own tmux server and directory.
set -u
command -v tmux >/dev/null || { echo "tmux is not installed"; exit 77; }
: "${LMP_BUILD:?}" "${LUA:=lua5.4}" "${LMP_PRELOAD:=}"
. ./environment.sh
unset LD_PRELOAD # what is typed has LMP_PRELOAD; tmux may have a malloc that refuses such pages
LMP=$LMP_BUILD/lmp
work=$(cd "$(mktemp -d)" && pwd -P) || exit 1
patience=${LMP_PATIENCE:-100} # seconds to wait for anything; only a failure takes them
pane=%0                       # where everything is typed: the first of its server

# The socket is in the test's own directory, unless its name is too long for one there.
sock=$work/tmux
[ ${#sock} -lt 100 ] || sock=$(mktemp -u /tmp/lmp-tmux-XXXXXX)
tm() { tmux -u -S "$sock" "$@"; }

# A process of this test, alive: they all work in its directory, and numbers are used again.
ours() { [ "/proc/$1/cwd" -ef "$work" ]; }

finish() {
    [ $BASHPID = $$ ] || exit # a child killed before its exec comes here, too
    cd / # a test may be in its directory
    local p
    exec 2>/dev/null
    tm kill-server
    for p in /proc/[0-9]*; do
        p=${p#/proc/}
        ours "$p" && kill -9 "$p"
    done
    rm -rf "$work" "$sock"
}
trap finish EXIT

fail() {
    echo "FAIL: $*"
    echo "---- screen"
    history_text 2>/dev/null | tail -n 60 | grep -v '^ *$'
    echo "---- processes"
    local p
    for p in /proc/[0-9]*; do
        ours "${p#/proc/}" || continue
        echo "$(tr '\0' ' ' <"$p/cmdline"): $(cut -c 1-50 "$p/stat"), system call $(<"$p/syscall")"
    done 2>/dev/null
    exit 1
}

# open WIDTH HEIGHT: a shell in $work, all of its output also in $work/raw.
open() {
    # what is set before the first window holds for it
    echo 'set -g history-limit 50000' >"$work/tmux.conf"
    SHELL=/bin/sh tm -f "$work/tmux.conf" new-session -d -x "${1:-100}" -y "${2:-30}" -s t -c "$work" \
        "env LANG=C.UTF-8 LC_ALL=C.UTF-8 PS1='ready> ' TERM=screen-256color HISTFILE= LMP=$LMP LUA=$LUA \
         LUA_CPATH=$LMP_BUILD/?.so \
         P='env LD_PRELOAD=$LMP_PRELOAD ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_abort=0' \
         bash --norc --noprofile" || fail "tmux does not start"
    wait_for '^ready>'
    tm pipe-pane -t "$pane" "cat > $work/raw"
    type_line 'stty -g > stty.new; mv stty.new stty.before'
    wait_file stty.before
    wait_for '^ready>$' # the shell listens again
}

screen() { tm capture-pane -p -t "$pane"; }
history_text() { tm capture-pane -p -J -t "$pane" -S -50000; }
key() { tm send-keys -t "$pane" "$@"; }
type_text() { tm send-keys -t "$pane" -l "$1"; }
# type_line TEXT [PATTERN]: and, if one is given, waits until that is shown.
type_line() {
    type_text "$1" && key Enter
    [ $# = 1 ] || wait_for "$2"
}
# press KEY... PATTERN: and waits until that is shown; press_away: until it is gone.
press() {
    key "${@:1:$#-1}"
    wait_for "${!#}"
}
press_away() {
    key "${@:1:$#-1}"
    wait_gone "${!#}"
}

# until_true SECONDS WHAT COMMAND...: polls.
until_true() {
    local end=$((SECONDS + $1)) what=$2
    shift 2
    until "$@"; do
        [ $SECONDS -lt $end ] || fail "waited in vain for: $what"
        sleep 0.05
    done
}
shows() { screen | grep -Eq -- "$1"; }
shows_not() { # a screen that cannot be had does not count
    local now
    now=$(screen) && ! grep -Eq -- "$1" <<<"$now"
}
said() { history_text | grep -Eq -- "$1"; }
wait_for() { until_true "$patience" "$1" shows "$1"; }
wait_gone() { until_true "$patience" "no $1" shows_not "$1"; }
wait_said() { until_true "$patience" "$1" said "$1"; }
wait_file() { until_true "$patience" "file $1" test -s "$work/$1"; }
gone() { ! ours "$1"; }
wait_dead() { until_true "$patience" "the end of process $1" gone "$1"; }
outlived() { ours "$program" || fail "the program has not outlived $1"; }

# The display paints in pieces: all of it is there, and stands still (`still` has it then).
stands_still() { # [SECONDS]
    still=$(screen) && sleep "${1:-0.3}" && [ "$still" = "$(screen)" ]
}
# The lowest line, painted last, is there.
whole() { screen | tail -n 1 | grep -Eq ' q (quit|back|leave)'; }

# The program under test writes its pid first thing: program.pid.
wait_program() {
    wait_file program.pid
    program=$(cat "$work/program.pid")
}

# behind SCRIPT: runs it without a display.
behind() {
    (cd "$work" && env LD_PRELOAD="$LMP_PRELOAD" ASAN_OPTIONS=detect_leaks=0 "$LMP" run --no-live \
        "$1" >run.out 2>run.err) &
    wait_program
}

# lmp_pids NAME COMMAND [ARGUMENT]: our processes of that name that run that command of lmp.
lmp_pids() {
    local p name words
    for p in /proc/[0-9]*; do
        { read -r name <"$p/comm"; } 2>/dev/null && [ "$name" = "$1" ] && ours "${p#/proc/}" || continue
        { mapfile -d '' words <"$p/cmdline"; } 2>/dev/null
        [ "${words[1]:-}" = "$2" ] && [ "${words[2]:-}" = "${3:-${words[2]:-}}" ] && echo "${p#/proc/}"
    done
}
# The two processes of the program's display.
relay_pid() { lmp_pids display-relay display; }
viewer_pid() { lmp_pids lmp display; }
# Of the two of `lmp top` or `lmp heap`, a supervisor and its child, the one that draws.
drawing() {
    local p all
    all=$(lmp_pids lmp "$1" "$2")
    for p in $all; do
        grep -qxF "$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$p/status")" <<<"$all" && echo "$p"
    done
}
top_viewer() { drawing top "$program"; }
# Number of the operation that the inspector shows.
operation() { screen | sed -n 's/.*\(allocation\|reallocation\|free\) #\([0-9,]*\).*/\2/p' | tr -d ,; }
# kill_one SIGNAL PID: of a process that must be there.
kill_one() {
    [ -n "$2" ] && [ "$2" = "${2%%[!0-9]*}" ] || fail "not a process: '$2'"
    kill "-$1" "$2" || fail "process $2 is not there"
}

# The terminal's settings are what they were, and nothing that was switched on was left on.
check_terminal() {
    type_line 'clear; rm -f stty.after; stty -g > stty.after; echo "sane"'
    wait_for '^sane$'
    cmp "$work/stty.before" "$work/stty.after" || fail "the terminal's settings have changed"
    until_true "$patience" "everything to be switched off" plain_terminal
}
plain_terminal() {
    [ "$(tm display-message -p -t "$pane" '#{alternate_on} #{cursor_flag} #{mouse_any_flag}')" = "0 1 0" ]
}
# While a program runs in it: is it as the shell gave it to the program?
cooked_terminal() {
    [ "$(stty -g -F "$(tm display-message -p -t "$pane" '#{pane_tty}')")" = "$(cat "$work/stty.before")" ]
}

# check_output FILE [IGNORE]: the pane receives the bytes of FILE in one piece (its line ends as a
# terminal makes them), lines that match the Lua pattern IGNORE left out.
check_output() {
    cat >"$work/check.lua" <<'LUA'
local function read(name) local f = assert(io.open(name, "rb")) return f:read "a" end
local raw, want = read(arg[1]), read(arg[2]):gsub("\n", "\r\n")
local ignore = arg[3] ~= "" and arg[3]
if ignore then -- the line may have had to begin a line of its own
  local joined = raw:gsub("\r\n" .. ignore .. "[^\n]*\n", "")
  if joined:find(want, 1, true) then os.exit(0) end
  raw = raw:gsub(ignore .. "[^\n]*\n", "")
end
if raw:find(want, 1, true) then os.exit(0) end
if not arg[4] then os.exit(1) end
local n, not_there = 0, #want
while n + 1 < not_there do
  local middle = (n + not_there) // 2
  if raw:find(want:sub(1, middle), 1, true) then n = middle else not_there = middle end
end
print(("found %d of %d bytes, then not: %q"):format(n, #want, want:sub(n + 1, n + 60)))
os.exit(1)
LUA
    received() { "$LUA" "$work/check.lua" "$work/raw" "$work/$1" "$2"; }
    local end=$((SECONDS + patience))
    until received "$1" "${2:-}"; do # what is piped comes after what is shown
        [ $SECONDS -lt $end ] || {
            "$LUA" "$work/check.lua" "$work/raw" "$work/$1" "${2:-}" tell
            fail "the output is not what the program wrote"
        }
        sleep 0.2
    done
}
