# plain.sh - runs lmp without a terminal for the tests of such runs, each in a directory of its own.
cd "$(dirname "$0")" || exit 1
set -u
: "${LMP_BUILD:?}" "${LUA:=lua5.4}" "${LMP_PRELOAD:=}" "${LMP_SOURCE:=$(cd ../.. && pwd)}"
. ./environment.sh
LMP=$LMP_BUILD/lmp
work=$(cd "$(mktemp -d)" && pwd -P) || exit 1
finish() {
    [ $BASHPID = $$ ] || exit # a child killed before its exec comes here, too
    local p
    exec 2>/dev/null
    for p in /proc/[0-9]*; do # a program of a test that has failed may be on its way still
        [ "$p/cwd" -ef "$work" ] && [ "${p#/proc/}" != $$ ] && kill -9 "${p#/proc/}"
    done
    rm -rf "$work"
}
trap finish EXIT
cd "$work" || exit 1
# The program's signals are its own, not the sanitizer's.
export ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_abort=0

fail() {
    echo "FAIL: $*"
    for f in out err; do [ -f $f ] && echo "---- $f" && head -40 $f; done
    exit 1
}
# lmp ARGS...: files out and err, and $status.
lmp() {
    LD_PRELOAD=$LMP_PRELOAD "$LMP" "$@" >out 2>err </dev/null
    status=$?
}
# ends STATUS ARGS...: lmp, which ends with this status.
ends() {
    lmp "${@:2}"
    is $status "$1" "status of lmp ${*:2}"
}
# until_true WHAT COMMAND...: polls.
until_true() {
    local end=$((SECONDS + ${LMP_PATIENCE:-100})) what=$1
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || fail "waited in vain for $what"
        sleep 0.05
    done
}
# go_on_marked NAME FILE [FRAMES]: makes the file `go` once the recording that is being written has
# tables of after that mark, and so many frames.
marked_in() {
    LD_PRELOAD=$LMP_PRELOAD "$LMP" report json "$2@$1" 2>/dev/null </dev/null | grep -q '"late":[0-9]' &&
        [ "$(LD_PRELOAD=$LMP_PRELOAD "$LMP" dump "$2" 2>/dev/null </dev/null | grep -c ' frame: ')" -ge "$3" ]
}
go_on_marked() {
    (until_true "mark $1 in $2" marked_in "$1" "$2" "${3:-1}")
    touch go
}
# Waits until the file is there and not empty.
wait_file() { until_true "the file $1" test -s "$1"; }
is() { [ "$1" = "$2" ] || fail "$3: got '$1', expected '$2'"; }
has() { grep -Eq -- "$2" "$1" || fail "$1 lacks: $2"; }
hasnt() { ! grep -Eq -- "$2" "$1" || fail "$1 has: $2"; }
# refuses STATUS PATTERN ARGS...: what lmp refuses it says in one line.
refuses() {
    ends "$1" "${@:3}"
    lines err 1
    has err "$2"
}
lines() { is "$(wc -l <"$1")" "$2" "lines in $1"; }
summary() { has err 'Maximum memory used'; }
