# lib.sh - drives a shell in a tmux pane for the tests of whole runs. Everything polls: nothing here
# or in the tests sleeps for a fixed time and hopes.
#
# Environment: LMP_BUILD (directory of lmp and the module), LUA (the interpreter), LMP_PRELOAD
# (sanitizer's library, may be empty). Each test has its own tmux server and directory.
set -u
command -v tmux >/dev/null || { echo "tmux is not installed"; exit 77; }
: "${LMP_BUILD:?}" "${LUA:=lua5.4}" "${LMP_PRELOAD:=}"
LMP=$LMP_BUILD/lmp
work=$(mktemp -d)
sock=lmp-test-$$
patience=${LMP_PATIENCE:-30} # seconds to wait for anything

tm() { tmux -L "$sock" "$@"; }

finish() {
    local pid
    tm kill-server 2>/dev/null
    [ -f "$work/program.pid" ] && kill -9 "$(cat "$work/program.pid")" 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT

fail() {
    echo "FAIL: $*"
    echo "---- screen"
    tm capture-pane -p -t t -S -60 2>/dev/null | grep -v '^ *$'
    exit 1
}

# open WIDTH HEIGHT: a shell in $work, all of its output also in $work/raw.
open() {
    unset TMUX
    tm -f /dev/null new-session -d -x "${1:-100}" -y "${2:-30}" -s t -c "$work" \
        "env LANG=C.UTF-8 LC_ALL=C.UTF-8 PS1='ready> ' TERM=screen-256color LMP=$LMP LUA=$LUA \
         LUA_CPATH=$LMP_BUILD/?.so P='env LD_PRELOAD=$LMP_PRELOAD ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_abort=0' \
         bash --norc --noprofile" || fail "tmux does not start"
    tm set-option -t t history-limit 50000 >/dev/null
    wait_for '^ready>'
    tm pipe-pane -t t "cat > $work/raw"
    type_line 'stty -g > stty.before'
    wait_file stty.before
}

screen() { tm capture-pane -p -t t; }
history_text() { tm capture-pane -p -J -t t -S -50000; }
key() { tm send-keys -t t "$@"; }
type_line() { tm send-keys -t t -l "$1"; tm send-keys -t t Enter; }

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
shows_not() { ! shows "$1"; }
said() { history_text | grep -Eq -- "$1"; }
wait_for() { until_true "$patience" "$1" shows "$1"; }
wait_gone() { until_true "$patience" "no $1" shows_not "$1"; }
wait_said() { until_true "$patience" "$1" said "$1"; }
wait_file() { until_true "$patience" "file $1" test -s "$work/$1"; }
gone() { ! kill -0 "$1" 2>/dev/null; }
wait_dead() { until_true "$patience" "the end of process $1" gone "$1"; }

# The program under test writes its pid first thing: program.pid. Its display's two processes:
keeper_pid() { display_pid display-keeper; }
viewer_pid() { display_pid lmp; }
# The process of that name that has the program's shared state mapped or open and is not lmp run.
display_pid() {
    local p
    for p in /proc/[0-9]*; do
        [ "$(cat "$p/comm" 2>/dev/null)" = "$1" ] || continue
        tr '\0' ' ' <"$p/cmdline" 2>/dev/null | grep -q 'lmp display ' || continue
        [ "$(readlink "$p/cwd")" = "$work" ] && basename "$p" && return 0
    done
    return 1
}
wait_program() { until_true "$patience" program.pid test -s "$work/program.pid"; program=$(cat "$work/program.pid"); }

# The terminal's settings are what they were, and nothing that was switched on was left on.
check_terminal() {
    type_line 'clear; rm -f stty.after; stty -g > stty.after; echo "sane"'
    wait_for '^sane$'
    cmp "$work/stty.before" "$work/stty.after" || fail "the terminal's settings have changed"
    [ "$(tm display-message -p -t t '#{alternate_on} #{cursor_flag} #{mouse_any_flag}')" = "0 1 0" ] ||
        fail "left on: $(tm display-message -p -t t 'alternate #{alternate_on} cursor #{cursor_flag} mouse #{mouse_any_flag}')"
}

# check_output FILE [IGNORE]: the pane has received the bytes of FILE in one piece (its line ends as
# a terminal makes them), lines that match the Lua pattern IGNORE left out.
check_output() {
    cat >"$work/check.lua" <<'LUA'
local function read(name) local f = assert(io.open(name, "rb")) return f:read "a" end
local raw, want = read(arg[1]), read(arg[2]):gsub("\n", "\r\n")
if arg[3] then -- the line may have had to begin a line of its own
  local joined = raw:gsub("\r\n" .. arg[3] .. "[^\n]*\n", "")
  if joined:find(want, 1, true) then os.exit(0) end
  raw = raw:gsub(arg[3] .. "[^\n]*\n", "")
end
if raw:find(want, 1, true) then os.exit(0) end
local n = 0
while n < #want and raw:find(want:sub(1, n + 1), 1, true) do n = n + 1 end
print(("found %d of %d bytes, then not: %q"):format(n, #want, want:sub(n + 1, n + 60)))
os.exit(1)
LUA
    "$LUA" "$work/check.lua" "$work/raw" "$work/$1" ${2:+"$2"} || fail "the output is not what the program wrote"
}
