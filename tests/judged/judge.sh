#!/bin/bash
# judge.sh WAY PROGRAM... - whether lmp says of each program what is wrong with it. There are three ways to play one,
# a folder each; clocked.c plays those of the third.
#
#   batch/RULE[.ABOUT][.not].lua   as a whole: its report must have a verdict of RULE, at the line that is marked
#       `--> change` if one is, with the advice that stands there, and at none marked `--> not here`. With .not: no
#       verdict of RULE.
#   live/PROGRAM.lua   as a user would, who reads the display and presses no key. Within 45 seconds the note under the
#       header must name a line that is marked `--> change`, say what is wrong with it, and what to do, and for memory
#       that grows also which variable holds it. From then on no other line may be said to grow (W). At 80x24, and then
#       at 120x36. docs/answers.md has what that took; TELL=1 prints it.
#   clocked/PROGRAM[.not].lua      at a clock of its own: lines marked `--> grows` must be said to grow, and no others.
self=$(realpath "$0")
judged=${self%/*}
cd "$judged/../term" || exit 1
# shellcheck source=../term/lib.sh
. ./lib.sh
way=$1
shift

# A sanitizer makes a program several times slower, and its memory is outside Lua's heap, of which the note tells where
# nothing grows. docs/answers.md is of a machine where nothing else runs.
limit=45 sanitized=''
[ -z "$LMP_PRELOAD" ] || limit=90 sanitized=yes

# ---- batch -------------------------------------------------------------------------------------

# marked WORDS PROGRAM: the lines with that mark.
marked() { grep -n -e "--> $1" "$judged/$way/$2.lua" | cut -d: -f1; }

# verdicts PROGRAM: of its report a line each: rule, line, advice, sentence.
verdicts() {
    LD_PRELOAD=$LMP_PRELOAD LUA_CPATH="$LMP_BUILD/tests/judged/?.so" "$LMP" run --no-live --json="$work/report.json" \
        --summary=/dev/null "$judged/batch/$1.lua" >"$work/said" 2>&1 || fail "$1: $(cat "$work/said")"
    jq -r '.verdicts[] | [.rule, .line // 0, .advice // "", .sentence] | @tsv' "$work/report.json" ||
        fail "$1: no report"
}

play_batch() {
    local name=$1 must=yes found=no accused='' change advice rule line says
    [[ $name != *.not ]] || must=no
    [ "$sanitized$name" != yesoutside-lua.not ] || { echo "skip $name"; return 0; }
    change=$(marked change "$name") advice=$(sed -n 's/.*--> change: //p' "$judged/batch/$name.lua")
    verdicts "$name" >"$work/verdicts"
    while IFS=$'\t' read -r rule line says _; do
        [ "$rule" = "${name%%.*}" ] || continue
        [ "${change:-$line}" = "$line" ] && [[ $says = *"$advice"* ]] && found=yes
        grep -qx "$line" <<<"$(marked 'not here' "$name")" && accused=yes
    done <"$work/verdicts"
    [ $found = $must ] && [ -z "$accused" ] && echo "ok   $name" && return
    echo "FAIL $name"
    cat "$work/verdicts"
    return 1
}

# ---- live --------------------------------------------------------------------------------------

# What the note says of a program, and the first words of its advice: one row for each that is not of memory that
# grows. Those marked * say so of garbage, which a sanitizer's memory hides.
table() {
    cat <<'TABLE'
report   copies [0-9.]+ [KM]iB at each        |collect the parts in a table
export   copies [0-9.]+ [KM]iB at each        |collect the parts in a table
game*    makes [0-9]+ % of all garbage        |(fill one table again and again|keep those that are done with)
vectors* makes [0-9]+ % of all garbage        |(fill one table again and again|keep those that are done with)
pool*    makes [0-9.]+ k coroutines           |keep them: one that yields for its next job
keys*    makes [0-9]+ % of all garbage: [0-9.]+ k strings|keep them, index tables by the parts
logger*  copies 19\.6 KiB at each             |keep the parts apart
TABLE
}
grows='(fills up or leaks|keeps what it is given|has never freed anything|has freed none|grows by)'
keeper='.*take entries out of (main thread|_G|package\.loaded).*(local|upvalue|\.|\[)'

note() { screen | grep -Eo "^ Note  +$program:[0-9]+ $1" | grep -Eo ':[0-9]+' | tr -d :; }
advised() { screen | grep -A 1 "^ Note  *$program:" | tail -n 1 | grep -Eq "(→|if it leaks:) $advice"; }
tenths() { echo $(((${EPOCHREALTIME/./} - start) / 100000)); }
# Of the lines that the sentences of the note say grow, one after another, as many as there are: how many are wrong.
wrong_lines() {
    local line wrong=0
    for line in $(for _ in 1 2 3 4 5 6; do note "$grows"; key W; done); do
        marked change "$name" | grep -qx "$line" || { wrong=$((wrong + 1)); echo "$line is named" >&2; }
    done
    echo $wrong
}

play_live() {
    name=$1 program=$1.lua says=$grows advice=$keeper
    local row line said took wrong
    row=$(table | grep -E "^$name\*? ")
    [[ -z $sanitized || $row != "$name*"* ]] || { echo "a sanitizer is preloaded"; exit 77; }
    [ -z "$row" ] || { says=$(sed 's/^[^ ]* *//; s/ *|.*//' <<<"$row") advice=${row#*|}; }
    # In these two tables keep the same things.
    case $name in server | gateway) advice='.*take entries out of the table that grows here' ;; esac
    cp "$judged/live/$program" "$work" || exit 1

    open 80 24
    start=${EPOCHREALTIME/./}
    type_line "\$P \$LMP run --no-hold --live $program"
    wait_for "^ Note  +$program:[0-9]+ $says"
    said=$(tenths) line=$(note "$says" | head -n 1)
    marked change "$name" | grep -qx "$line" || fail "line $line is named first"
    until_true "$patience" "what to do: $advice" advised
    took=$(tenths) wrong=$(wrong_lines)
    tm resize-window -t "$pane" -x 120 -y 36
    wait_for '^ Note  +[^ ]' # of those that there are, the one that W has come to
    wrong=$((wrong + $(wrong_lines)))
    [ -z "${TELL:-}" ] || printf '%s: %d.%d s, what to do %d.%d s, %d wrong\n' "$name" $((said / 10)) $((said % 10)) \
        $((took / 10)) $((took % 10)) $wrong
    [ "$took" -le $((limit * 10)) ] || fail "what to do came after $took tenths of a second"
    [ $wrong = 0 ] || fail "$wrong wrong names"
    key Q
    wait_for '^ready>|Finished|runs on'
}

# ---- all ---------------------------------------------------------------------------------------

bad=0
for name; do
    "play_$way" "$name" || bad=$((bad + 1))
done
exit $bad
