#!/bin/bash
# From nothing to the line to change, without a key: answers.sh DIRECTORY PROGRAM runs tests/answers/DIRECTORY/
# PROGRAM.lua, as a user would write it, and reads the display as a user would. Within 15 seconds the note under
# the header must name a line that is marked `--> change`, say what is wrong with it, and what to do, and for
# memory that grows also which variable holds it. From then on no other line may be said to grow (W). At
# 80x24, and then at 120x36. docs/answers.md has what that took; TELL=1 prints it.
cd "$(dirname "$0")" && . ./lib.sh

# A sanitizer makes a program several times slower, and docs/answers.md is of a machine where nothing else runs.
limit=45
[ -z "$LMP_PRELOAD" ] || limit=90
program=$2.lua
cp "../answers/$1/$program" "$work" || exit 1

# Memory of a sanitizer is outside Lua's heap, and where nothing grows that is what the note says.
case $2 in
game | vectors | pool | keys | logger) [ -z "$LMP_PRELOAD" ] || { echo "a sanitizer is preloaded"; exit 77; } ;;
esac

# The sentence of the note, and the first words of the advice.
grows='(fills up or leaks|keeps what it is given|has never freed anything|has freed none|grows by)'
case $2 in
report | export) says='copies [0-9.]+ [KM]iB at each' advice='collect the parts in a table' ;;
game | vectors) says='makes [0-9]+ % of all garbage' advice='(fill one table again and again|keep those that are done with)' ;;
pool) says='makes [0-9.]+ k coroutines' advice='keep them: one that yields for its next job' ;;
keys) says='makes [0-9]+ % of all garbage: [0-9.]+ k strings' advice='keep them, index tables by the parts' ;;
logger) says='copies 19\.6 KiB at each' advice='keep the parts apart' ;;
server | gateway) says=$grows advice='.*take entries out of the table that grows here' ;; # two keep the same things
*) says=$grows advice='.*take entries out of (main thread|_G|package\.loaded).*(local|upvalue|\.|\[)' ;;
esac

is_marked() { sed -n "$1p" "$work/$program" | grep -q -e '--> change'; }
note() { screen | grep -Eo "^ Note  +$program:[0-9]+ $says" | grep -Eo ':[0-9]+' | tr -d :; }
advised() { screen | grep -A 1 "^ Note  *$program:" | tail -n 1 | grep -Eq "(→|if it leaks:) $advice"; }
seconds() { took=$(((${EPOCHREALTIME/./} - start) / 100000)); }
# Lines that the sentences of the note say grow, one after another, in as many lines.
named() {
    for _ in 1 2 3 4 5 6; do
        screen | grep -Eo "^ Note  +$program:[0-9]+ $grows" | grep -Eo ':[0-9]+' | tr -d :
        key W
    done
}
wrong=0
judge() {
    local line
    for line in $(named); do
        is_marked "$line" || { wrong=$((wrong + 1)); echo "$line is named"; }
    done
}

open 80 24
start=${EPOCHREALTIME/./}
type_line "\$P \$LMP run --no-hold --live $program"
wait_for "^ Note  +$program:[0-9]+ $says"
seconds
said=$took line=$(note | head -n 1)
is_marked "${line:-0}" || fail "line $line is named first"
until_true "$patience" "what to do: $advice" advised
seconds
judge
tm resize-window -t "$pane" -x 120 -y 36
wait_for '^ Note  +[^ ]' # of those that there are, the one that W has come to
judge
[ -z "${TELL:-}" ] || printf '%s: %d.%d s, what to do %d.%d s, %d wrong\n' "$2" $((said / 10)) $((said % 10)) \
    $((took / 10)) $((took % 10)) $wrong
[ $took -le $((limit * 10)) ] || fail "what to do came after $took tenths of a second"
[ $wrong = 0 ] || fail "$wrong wrong names"
key Q
wait_for '^ready>|Finished|runs on'
exit 0
