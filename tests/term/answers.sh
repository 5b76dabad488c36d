#!/bin/bash
# From nothing to the line to change: answers.sh PROGRAM runs tests/answers/PROGRAM.lua, as a user
# would write it, and reads the display as a user would. Within 15 seconds the note under the header
# must say what is wrong, and with at most three keys the screen must name each line that is marked
# `--> change`, and what to do about it. docs/answers.md has what that took; TELL=1 prints it.
#
# answers.sh two PROGRAM is of tests/answers/two: programs that leak in two ways beside much that does not.
# Within 15 seconds the note, at 80x24, names one of the marked lines, and from then on, at 120x36 as well,
# what is said of growth, on whatever line (W), names no other.
cd "$(dirname "$0")" && . ./lib.sh

# A sanitizer makes a program several times slower.
limit=15
[ -z "$LMP_PRELOAD" ] || limit=60
[ "$1" != two ] || limit=45 # docs/answers.md has how long they take where nothing else runs

grows='(fills up or leaks|keeps what it is given|has never freed anything|has freed none|grows by)'
type_program() {
    start=${EPOCHREALTIME/./}
    type_line "\$P \$LMP run --no-hold --live $program"
}
seconds() { took=$(((${EPOCHREALTIME/./} - start) / 100000)); }
# Lines that the sentences of the note say grow, one after another, in as many lines.
named() {
    for _ in 1 2 3 4 5 6; do
        screen | grep -Eo "^ Note  +$program:[0-9]+ $grows" | grep -Eo ":[0-9]+" | tr -d :
        key W
    done
}
play_leaks() { # DIRECTORY PROGRAM SIZE [LATER SIZE]
    program=$2.lua
    cp "../answers/$1/$program" "$work" || exit 1
    open "${3%x*}" "${3#*x}"
    type_program
    wait_for "^ Note  +$program:[0-9]+ $grows"
    seconds
    wrong=0
    judge() {
        for line in $(named); do
            sed -n "${line}p" "$work/$program" | grep -q -e '--> change' || { wrong=$((wrong + 1)); echo "$line is named"; }
        done
    }
    judge
    [ -z "${4:-}" ] || tm resize-window -t "$pane" -x "${4%x*}" -y "${4#*x}"
    wait_for '^ Note  +[^ ]' # of those that there are, the one that W has come to
    judge
    [ -z "${TELL:-}" ] || printf '%s: %d.%d s, %d wrong\n' "$2" $((took / 10)) $((took % 10)) $wrong
    [ $took -le $((limit * 10)) ] || fail "$2: the sentence came after $took tenths of a second"
    [ $wrong = 0 ] || fail "$2: $wrong wrong names"
    key Q
    wait_for '^ready>|Finished|runs on'
}
case $1 in
two) play_leaks two "$2" 80x24 120x36 && exit 0 ;;
server | gateway | listener | memo) play_leaks . "$1" 120x36 && exit 0 ;;
esac
program=$1.lua
cp "../answers/$program" "$work" || exit 1

# Memory of a sanitizer is outside Lua's heap, and where nothing grows that is what the note says.
case $1 in
game | vectors | pool | keys) [ -z "$LMP_PRELOAD" ] || { echo "a sanitizer is preloaded"; exit 77; } ;;
esac

# The sentence of the note, the keys then pressed, the words of the advice.
case $1 in
report | export) says='copies [0-9.]+ [KM]iB at each' keys='w' advice='collect the parts in a table and join them once with table\.concat' ;;
game) says='makes 9[0-9] % of all garbage' keys='w' advice='fill one table again and again, or pass its values' ;;
vectors) says='makes 9[0-9] % of all garbage' keys='w' advice='(fill one table again and again|keep those that are done with, and fill them again)' ;;
pool) says='makes [0-9.]+ k coroutines' keys='w' advice='keep them: one that yields for its next job in a loop serves many' ;;
keys) says='makes [0-9]+ % of all garbage: [0-9.]+ k strings' keys='w' advice='index tables by the parts' ;;
*) fail "there is no program $1" ;;
esac

# The text of the screen in one line, without frames and without the column of the source.
words() { screen | sed 's/[│┃╭╮╰╯─]/ /g; s/  *[0-9]* *$//' | tr -s ' \n' '  '; }
reads() { words | grep -Eq -- "$1"; }

open 120 36
type_program
wait_for "^ Note  +$program:[0-9]+ $says"
seconds
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
