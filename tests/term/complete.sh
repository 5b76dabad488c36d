#!/bin/bash
# What Tab offers after lmp: lmp complete itself, and each shell that asks it: complete.sh words|bash|zsh|fish
case ${1:-} in
words | fish) . "$(dirname "$0")/plain.sh" ;;
*) cd "$(dirname "$0")" && . ./lib.sh ;;
esac
: "${LMP_SOURCE:?}"
PATH=$LMP_BUILD:$PATH
scripts=$LMP_SOURCE/.package

files() { # in the test's directory, which every shell is asked for
    mkdir "$work/at" "$work/at/sub"
    touch "$work"/at/{app.lua,'b c.lua',run.lmprec,end.heap,text}
}

# offers WORDS... WANTED: what is offered in place of the last word, without help, on one line
offers() {
    local wanted=${*: -1}
    ends 0 complete -- "${@:1:$#-1}"
    is "$(cut -f1 out | tr '\n' '|')" "$wanted" "offered after ${*:1:$#-1}"
}

case_words() {
    local command
    offers ru 'run|'
    offers record 'record|'
    offers nothing x ''
    offers dis '' # internal
    offers help rep 'replay|report|'
    offers record c 'cut|'
    offers record cut --f '--from=|'
    offers run --summ '--summary=|'
    offers run --js '--json|--json=|' # its value may be left out
    offers run --summary= '+prefix --summary=|+files|'
    offers run --summary x '+files|'
    offers run --report=fo '--report=folded|'
    offers run --report fo 'folded|'
    offers run --report=pp '--report=pprof:|' # not for a terminal
    offers run --report=folded:x '+prefix --report=folded:|+files|'
    offers report --unit= '--unit=bytes|--unit=blocks|'
    offers report --metric=t '--metric=temporary|'
    offers diff --metric=allo '--metric=allocated|--metric=allocs|'
    offers run --limit=pe '--limit=peak |'
    offers run --break=s '--break=size |'
    offers run --top=1 ''
    offers run '' '+files .lua|'
    offers run --stacks '' '+files .lua|'
    offers run app.lua -- '+command 1|'
    offers run --summary x app.lua a '+command 3|'
    offers run -- l '+command 2|'
    offers doctor '' '+command 1|'
    offers replay '' '+files .lmprec|'
    offers heap x '+files .heap|'
    offers diff -- --met '+files .lmprec .heap|' # no option any more
    offers report hol 'holders|+files .lmprec .heap|'
    offers report -o x flat hol '+files .lmprec .heap|'
    offers report flat -o hol '+files|'

    # All that help tells of is offered, and nothing else.
    for command in $(lmp help --page; sed 's/^lmp-//; s/record-cut/record cut/; s/ /%/' out); do
        command=${command//%/ }
        # shellcheck disable=SC2086
        lmp $command --help
        sed -n 's/^  \(--[a-z-]*\).*/\1/p' out | sort >wanted
        # shellcheck disable=SC2086
        lmp complete -- $command --
        cut -f1 out | tr -d = | sort -u | cmp - wanted || fail "options of $command"
    done
    lmp report --list
    sed -n 's/^  \([a-z]*\) .*/\1/p' out | sort -u >wanted
    lmp complete -- report ''
    grep '^[a-z]' out | cut -f1 | sort | cmp - wanted || fail "formats"
    [ "$(wc -l <wanted)" -gt 15 ] || fail "too few formats"

    # Programs by number and name, for as long as they run: what is profiled, and what could be.
    echo 'io.open("up", "w"):write("up"):close() while not io.open "stop" do local t = {} end' >loop.lua
    LD_PRELOAD=$LMP_PRELOAD "$LUA" loop.lua &
    wait_file up
    lmp complete -- attach "$!"
    has out "^$!	.*loop\.lua"
    lmp complete -- top "$!"
    lines out 0
    rm up
    LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-live --name='ha	ha' loop.lua >/dev/null 2>&1 </dev/null &
    wait_file up
    for command in top 'report flat' record snapshot detach; do
        # shellcheck disable=SC2086
        lmp complete -- $command ''
        has out '^[0-9]+	ha\?ha$'
    done
    lmp complete -- record 1 ''
    is "$(cat out)" '+files' "offered after a number"
    touch stop
    wait
}

case_fish() {
    command -v fish >/dev/null || { echo "fish is not installed"; exit 77; }
    files
    cd at || fail at
    export HOME=$work
    tab() { # LINE WANTED
        fish --no-config -c "source '$scripts/lmp.fish'; complete -C '$1'" >../out 2>../err </dev/null
        is "$(cut -f1 ../out | tr '\n' '|')" "$2" "offered after $1"
        [ ! -s ../err ] || fail "fish says: $(cat ../err)"
    }
    tab 'lmp ru' 'run|'
    tab 'lmp run --li' '--limit=|--lines|--live|'
    tab 'lmp run ' 'app.lua|b c.lua|sub/|'
    tab 'lmp run b\\ ' 'b c.lua|'
    tab 'lmp replay ' 'run.lmprec|sub/|'
    tab 'lmp run --report=fo' '--report=folded|'
    tab 'lmp run --summary=t' '--summary=text|'
    tab 'lmp run --report=folded:t' '--report=folded:text|'
    tab 'lmp run --limit "pe' 'peak |'
    tab 'lmp run app.lua te' 'text|'
    tab 'lmp run --stacks -- lmp rep' 'replay|report|'
}

# tab LINE WANTED: types it, and waits for what becomes of it
tab() {
    key C-u
    type_text "$1"
    wait_for "^ready> $(sed 's/[][\.*+?(){}|^$]/\\&/g' <<<"${1% }")"
    press Tab "^ready> $2 *\$"
}

in_terminal() {
    tab 'lmp ru' 'lmp run'
    tab 'lmp run --lin' 'lmp run --lines'
    tab 'lmp record cu' 'lmp record cut'
    tab 'lmp run --top' 'lmp run --top='
    tab 'lmp run a' 'lmp run app\.lua'
    tab 'lmp run b' 'lmp run b\\ c\.lua'
    tab 'lmp run s' 'lmp run sub/'
    tab 'lmp heap e' 'lmp heap end\.heap'
    tab 'lmp run --report=fo' 'lmp run --report=folded'
    tab 'lmp run --summary=t' 'lmp run --summary=text'
    tab 'lmp run --report=folded:t' 'lmp run --report=folded:text'
    tab 'lmp run --limit=pe' 'lmp run --limit=peak\\'
    type_text '64MiB' # there was a blank
    wait_for '^ready> lmp run --limit=peak\\ 64MiB'
    tab 'lmp run app.lua te' 'lmp run app\.lua text'
    key C-u
}

case_bash() {
    files
    open 80 24
    type_line "PATH=$LMP_BUILD:\$PATH; source '$scripts/lmp.bash'; cd at; bind 'set bell-style none'; clear"
    in_terminal
    tab "lmp run --limit='pe" "lmp run --limit='peak '?"
}

case_zsh() {
    command -v zsh >/dev/null || { echo "zsh is not installed"; exit 77; }
    files
    mkdir "$work/functions"
    cp "$scripts/lmp.zsh" "$work/functions/_lmp"
    open 80 24
    type_line "PATH=$LMP_BUILD:\$PATH; cd at; clear; exec zsh -f" # which has our PS1
    type_line "fpath=('$work/functions' \$fpath); autoload -U compinit; compinit -u -d ../dump; clear" '^ready> *$'
    in_terminal
    tab 'lmp run --stacks -- lmp repl' 'lmp run --stacks -- lmp replay'
}

play_case "$@"
