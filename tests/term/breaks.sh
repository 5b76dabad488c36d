#!/bin/bash
# Break conditions in a terminal: each kind pauses where it should, with stack and locals; and they
# go with the display: breaks.sh CASE
cd "$(dirname "$0")" && . ./lib.sh && . ./programs.sh

# Lines that matter are numbered; the rest keeps the collector busy.
cat >"$work/bank.lua" <<'LUA'
local pid = io.open("program.pid", "w")
pid:write((io.open("/proc/self/stat"):read "a"):match "^%d+") pid:close()
local kept, more, bank = {}, {}, "First Bank"
local function report(day, title)
  local width = bank and 200
  local text = title:rep(width * 100)
  return text .. day
end
local function deposit(account, amount)
  account[#account + 1] = { amount }
end
local function day(n)
  local account = { "day " .. n }
  for coin = 1, 200 do deposit(account, coin) end
  if n % 20 == 0 then report(n, "money ") end
  if n % 50 == 0 then
    if io.open "more" then more[#more + 1] = kept[1] end
    kept = {}
  end
  kept[#kept + 1] = account
end
local n = 0
while not io.open "stop" do
  n = n + 1
  day(n)
end
LUA

# Runs it, with the display attached to it.
watch() {
    open "${1:-120}" "${2:-36}"
    behind bank.lua
    attach
}
attach() {
    type_line "\$P \$LMP top $program; echo top=\$?" 'RUNNING|PAUSED'
}
leave() {
    press q 'top=0'
    outlived "its display"
    check_terminal
}
# condition TEXT: opens the panel, types one.
condition() {
    press b '^ *break>|[0-9] . (on|off) '
    shows '^ *break>' || key b
    wait_for '^ *break>'
    key C-u # the second b, if the line was there but not yet painted
    type_text "$1"
    wait_for "^ *break> $1"
    key Enter
}
# met NUMBER WORDS: it has paused, and says why.
met() {
    wait_for 'PAUSED'
    wait_for "break $1: $2"
}
# The condition under the cursor goes.
delete() {
    press b 'Break conditions'
    shows '^ *break>' && key Escape
    key d
    press_away Escape 'Break conditions'
}
# It goes on: it runs, or it has come to another operation already.
resume() {
    local at=
    paused_at() { at=$(operation) && [ -n "$at" ]; } # no panel hides it, and it is painted
    until_true "$patience" "the operation" paused_at
    key Space
    went_on() {
        local now
        shows_not 'PAUSED' || { now=$(operation) && [ -n "$now" ] && [ "$now" != "$at" ]; }
    }
    until_true "$patience" "the program goes on" went_on
}
# Kills the display, not its supervisor.
kill_display() {
    kill_one KILL "$(top_viewer)"
    wait_for 'top=[0-9]'
    check_terminal
    type_line clear
    wait_gone 'top='
}

case_size() {
    watch 120 48
    condition 'size 100KiB'
    met 1 'block larger than 100 KiB: [0-9,]+ B'
    wait_for 'bank.lua:[67] +report  (local|upvalue)'
    wait_for 'bank.lua:15 +day  local'
    wait_for 'main chunk'
    wait_for 'locals of bank.lua:[67]'
    wait_for 'width +200'
    wait_for 'title +"money "'
    wait_for 'upvalues'
    wait_for 'bank +"First Bank"'
    wait_for 'source of bank.lua'
    wait_for '. [67] . +(local text = title:rep|return text)'
    wait_for 'made at bank.lua:[67]'
    wait_for 'break: 1 on'
    # the frame below: its locals
    key 5
    press Down 'locals of bank.lua:15'
    wait_for 'account +[{]201 entries[}]'
    wait_for 'deposit +function bank.lua:9'
    wait_for '15 . +for coin = 1|15 . +if n % 20'
    wait_gone 'First Bank'
    press Up 'width +200'
    resume
    met 1 'block larger than 100 KiB'
    press b '1 . on +block larger than 100 KiB' # off: it runs on
    press Enter '1 . off +block larger than 100 KiB'
    key Escape
    resume
    wait_for 'RUNNING'
    wait_gone 'break: ' # none is on
}

# What is in a table of a program that stands in the middle of making another one.
case_unfold() {
    watch 120 48
    condition 'at bank.lua:10'
    met 1 '(re)?allocation at bank.lua:10'
    wait_for 'locals of bank.lua:10'
    several() { shows 'account +[{]([3-9]|[0-9]{2,}) entries[}]'; }
    while ! several; do resume; done
    key 5
    press Right 'right unfolds'
    press Right '▾ account' # the account: who it is, and what it got
    wait_for '[[]1[]] +"day [0-9]+"'
    wait_for '▸ [[]2[]] +[{]1 entry[}]'
    press Down Down Enter '▾ [[]2[]] '
    wait_for '^.*[[]1[]] +1( |$)'
    entries() { screen | grep -Eo 'account +[{][0-9]+ entries' | grep -Eo '[0-9]+' | head -1; }
    local before
    before=$(entries)
    key n n n n n n n n # steps: what is unfolded stays so, and is as it is now
    more_entries() { [ "$(entries)" -gt "$before" ] 2>/dev/null; }
    until_true "$patience" "more entries than $before" more_entries
    wait_for '▾ [[]2[]] '
    wait_for '[[]1[]] +"day [0-9]+"'
    press_away Left '▾ [[]2[]] '
    press_away Left Left '"day [0-9]+"' # to the account, and folded
    press Left 'n step' # to the stack
    wait_gone 'right unfolds'
}

case_heap() {
    watch
    condition 'heap 1MiB' # it goes up and down around it
    met 1 'heap above 1 MiB: [1-9],[0-9]{3},[0-9]{3} B'
    resume
    met 1 'heap above 1 MiB'
}

case_at() {
    watch
    condition 'at bank.lua:10'
    met 1 'allocation at bank.lua:10'
    wait_for '. bank.lua:10 +deposit  (local|upvalue)'
    wait_for 'locals of bank.lua:10'
    wait_for 'amount +[0-9]+'
    local amount
    amount_is() { screen | grep -Eo 'amount +[0-9]+' | grep -Eo '[0-9]+' | head -1; }
    amount=$(amount_is)
    for _ in 1 2 3; do # table and array are two allocations
        resume
        met 1 'allocation at bank.lua:10'
    done
    amount_differs() { [ "$(amount_is)" != "$amount" ]; }
    until_true "$patience" "another amount than $amount" amount_differs
}

case_type() {
    watch
    condition 'type string'
    met 1 'memory of type string'
    wait_for 'allocation #[0-9,]+ . string'
}

case_once() { # a new peak, a cycle: once, then off until switched on again
    watch
    condition 'gc'
    met 1 'end of a collector cycle: cycle [0-9,]+'
    resume
    press b '1 . off +end of a collector cycle +was met'
    key Enter # on again; it may be met before the panel is seen to say so
    met 1 'end of a collector cycle'
    delete
    resume
    touch "$work/more" # then the heap grows as never before
    condition 'peak'
    met 1 'new peak of the heap: [0-9,]+ B'
    resume
    wait_for 'RUNNING'
    wait_gone 'break: ' # a peak is for once
}

case_typing() { # what cannot be read says what would be right, and can be put right
    watch
    condition 'size much'
    wait_for 'a number of bytes was expected, as in: size 64KiB'
    for _ in 1 2 3 4; do key BSpace; done
    type_text '9GiB'
    wait_for 'pauses at: block larger than 9 GiB'
    press Enter '1 . on +block larger than 9 GiB'
    condition 'type strings'
    wait_for '2 . on +memory of type string|PAUSED'
    key Escape
    met 2 'memory of type string'
    delete # the last one that was added
    resume
    wait_for 'break: 1 on'
}

case_sites() { # b on a line of the program begins with that line
    watch
    press 6 'bank.lua:10'
    key '/'
    type_line 'bank.lua:6' 'bank.lua:6'
    press b '^ *break> at bank.lua:6'
    key Enter
    met 1 'allocation at bank.lua:6'
    wait_for 'title +"money "'
}

case_gone() { # the conditions go with the display, however it goes
    watch
    condition 'type table'
    met 1 'memory of type table'
    leave
    type_line clear
    attach
    wait_for 'RUNNING'
    until_true "$patience" "a whole display" whole
    shows 'break: ' && fail "a condition has outlived its display"
    condition 'size 9GiB'
    wait_for 'break: 1 on'
    kill_display
    attach
    wait_for 'RUNNING'
    condition 'type table'
    met 1 'memory of type table'
    kill_display # while its condition holds the program
    attach
    wait_for 'RUNNING'
}

case_two() { # of two displays the last writer wins
    watch
    condition 'size 9GiB'
    wait_for 'break: 1 on'
    local first=$pane second
    second=$(cd "$work" && tm new-window -P -F '#{pane_id}' -t t: \
        "env LANG=C.UTF-8 TERM=screen-256color LD_PRELOAD=$LMP_PRELOAD ASAN_OPTIONS=detect_leaks=0 $LMP top $program")
    pane=$second
    wait_for 'RUNNING'
    press b '^ *break>'
    type_line 'type table' 'break 1: memory of type table'
    pane=$first
    wait_for 'PAUSED'
    wait_gone 'break: ' # the first display's condition has gone
    pane=$second
    key q
    pane=$first
    wait_for 'RUNNING'
}

case_option() { # lmp run --break: from the first operation on
    open 120 36
    type_line '$P $LMP run --no-hold --break "size 100KiB" --break=peak bank.lua; echo "status=$?"'
    wait_for 'break 2: new peak of the heap'
    wait_for 'allocation #1 '
    wait_for 'break: 1 on'
    resume
    wait_program
    met 1 'block larger than 100 KiB'
    wait_for 'title +"money "'
    touch "$work/stop"
    delete
    resume
    wait_for 'status=0'
    type_line 'clear; $LMP run --live --break "size much" bank.lua; echo "status=$?"'
    wait_for 'lmp run: --break: size: a number of bytes was expected'
    wait_for 'status=2'
    type_line 'clear; $LMP run --no-live --break gc bank.lua; echo "status=$?"' 'lmp run: --break needs the display'
    wait_for 'status=2'
    check_terminal
}

case_small() { # on a small screen the pause still says why
    watch 60 15
    condition 'size 100KiB'
    met 1 'block larger than 100 KiB'
    wait_for 'report'
    leave
    type_line clear
    tm resize-window -t "$pane" -x 40 -y 10
    attach
    condition 'size 100KiB'
    met 1 'block larger than 100 KiB'
}

play_case "$@"
case $1 in
option) ;; # it sees to that itself
*) leave ;;
esac
