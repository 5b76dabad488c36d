#!/bin/bash
# From nothing to the line to change: answers.sh PROGRAM runs tests/answers/PROGRAM.lua, as a user
# would write it, and reads the display as a user would. Within 15 seconds the note under the header
# must say what is wrong, and with at most three keys the screen must name each line that is marked
# `--> change`, and what to do about it. docs/answers.md has what that took; TELL=1 prints it.
cd "$(dirname "$0")" && . ./lib.sh
program=$1.lua
cp "../answers/$program" "$work" || exit 1

# Memory of a sanitizer is outside Lua's heap, and where nothing grows that is what the note says.
case $1 in
game | vectors | pool | keys) [ -z "$LMP_PRELOAD" ] || { echo "a sanitizer is preloaded"; exit 77; } ;;
esac

# The sentence of the note, the keys then pressed, the words of the advice.
case $1 in
server | gateway | listener | memo) says='(fills up or leaks|has never freed anything|has freed none|grows by)' keys='w' advice='take entries out of the tables? that' ;;
report | export) says='copies [0-9.]+ [KM]iB at each' keys='w' advice='collect the parts in a table and join them once with table\.concat' ;;
game) says='makes 9[0-9] % of all garbage' keys='w' advice='fill one table again and again, or pass its values' ;;
vectors) says='makes 9[0-9] % of all garbage' keys='w' advice='(fill one table again and again|keep those that are done with, and fill them again)' ;;
pool) says='makes [0-9.]+ k coroutines' keys='w' advice='keep them: one that yields for its next job in a loop serves many' ;;
keys) says='makes [0-9]+ % of all garbage: [0-9.]+ k strings' keys='w' advice='index tables by the parts' ;;
*) fail "there is no program $1" ;;
esac

# A sanitizer makes a program several times slower.
limit=15
[ -z "$LMP_PRELOAD" ] || limit=60

# The text of the screen in one line, without frames and without the column of the source.
words() { screen | sed 's/[│┃╭╮╰╯─]/ /g; s/  *[0-9]* *$//' | tr -s ' \n' '  '; }
reads() { words | grep -Eq -- "$1"; }

open 120 36
start=${EPOCHREALTIME/./}
type_line "\$P \$LMP run --no-hold --live $program"
wait_for "^ Note  +$program:[0-9]+ $says"
took=$(((${EPOCHREALTIME/./} - start) / 100000)) # tenths of a second
pressed=0
for k in $keys; do
    key "$k"
    pressed=$((pressed + 1))
done
wait_for "^.─ Site: .*$program:[0-9]+"
until_true "$patience" "the sentence on the page" reads "● $says"
until_true "$patience" "what to do: $advice" reads "→ [^●]*$advice"
for line in $(grep -n -e '--> change' "$work/$program" | cut -d: -f1); do
    until_true "$patience" "$program:$line" reads "$program:$line\\b"
done
[ $took -le $((limit * 10)) ] || fail "the sentence came after $took tenths of a second"
[ $pressed -le 3 ] || fail "$pressed keys"
[ -z "${TELL:-}" ] || printf '%s: %d.%d s, %d keys\n' "$1" $((took / 10)) $((took % 10)) $pressed
key Q
wait_for '^ready>|Finished|runs on' 
exit 0
