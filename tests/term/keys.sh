#!/bin/bash
# The effect of keys, sizes and terminals on the display, in a real terminal: keys.sh CASE
cd "$(dirname "$0")" && . ./lib.sh && . ./programs.sh

# A program that runs on, and the display attached to it. watch [ENVIRONMENT...]
watch() {
    behind endless.lua
    attach "$@"
}
attach() {
    type_line "env $* \$P \$LMP top $program; echo top=\$?" 'RUNNING|PAUSED'
}
leave() {
    press Q 'top=0'
    outlived "its display"
    check_terminal
}
paused_at() { [ "$(operation)" = "$1" ]; }

case_pause_step() {
    watch
    press Space 'PAUSED'
    wait_for '(allocation|free) #'
    wait_for 'main chunk'
    local at
    until_true "$patience" "a whole display" stands_still
    at=$(operation)
    for _ in 1 2 3 4 5; do
        key n
        at=$((at + 1))
        until_true "$patience" "operation $at" paused_at "$at"
    done
    key n n n
    until_true "$patience" "three operations" paused_at $((at + 3))
    press Space 'RUNNING'
    press n 'space pauses it' # does not pause it
    wait_for 'RUNNING'
    press Space 'PAUSED'
    press q 'top=0' # leaving lets it go on
    attach
    wait_for 'RUNNING'
}

case_freeze() {
    watch
    press z 'FROZEN, program running'
    kill_one STOP "$program" # nothing that moves is ours then
    local before
    until_true "$patience" "a whole display" stands_still
    before=$still
    kill_one CONT "$program"
    press '?' 'Moving'
    press_away '?' 'Moving'
    as_before() { [ "$before" = "$(screen)" ]; } # it has to be painted again
    until_true "$patience" "the picture that was frozen" as_before
    press z 'RUNNING'
}

case_filter_zoom() {
    watch
    wait_for 'by owner'
    press c 'filtered'
    press a 'by owner'
    press s 'filtered'
    key a
    local scale
    scale_of() { screen | grep -Eo '[0-9]+ [KMGi]*B/cell' | head -1; }
    wait_for '[0-9] [KMGi]*B/cell'
    scale=$(scale_of)
    key +
    scale_changed() { local now && now=$(scale_of) && [ -n "$now" ] && [ "$now" != "$scale" ]; }
    until_true "$patience" "another scale" scale_changed
    press Enter 'Blocks'
    wait_for 'address[^ ]* +type'
    press_away Escape 'address[^ ]* +type'
}

case_tables() { # sites: filter, sorting, a page for each
    watch
    wait_for '6 Sites'
    wait_for 'endless.lua:[0-9]+ .*main chunk'
    wait_for '[│|] .*keep\[n % 50000\]' # the line of the program below
    press 6 ' / filter'
    press / 'filter> '
    press q m z 'nothing matches "qmz"'
    press_away Escape 'nothing matches'
    press / M A I N Space e n d l e s s Enter '[0-9]+ of [0-9]+ match "MAIN endless"'
    press_away Escape 'match "MAIN'
    press '<' 'function▴'
    press O 'function▾'
    press '>' 'live▾'
    press Enter 'History'
    wait_for 'a second +[0-9.]+ [KM]iB +now'
    wait_for 'to 64 B .*[1-9]' # sizes of what lives of it
    wait_for 'Callers  sampled: '
    press_away Escape 'History'
    press m 'Δ mark'
    press 2 / 'filter> '
    press s e r Enter '1 of 6 match "ser"'
    press 1 Enter 'address▴ .*site'
    wait_for 'B .*endless.lua:[0-9]|B .*\((parser|host)\)'
}

# An editor: notes how it was called, waits for a line, notes an interrupt.
make_editor() {
    cat >"$work/editor" <<'SH'
#!/bin/sh
trap 'echo interrupted >>"$0.int"' INT
echo "$@" >"$0.args"
stty sane
echo "the editor is here"
read -r line || read -r line
echo "$line" >"$0.line"
SH
    chmod +x "$work/editor"
}

case_site_blocks() { # the live blocks of a line, strings with what is in them; and back
    cat >"$work/endless.lua" <<'LUA'
local pid = io.open("program.pid", "w")
pid:write((io.open("/proc/self/stat"):read "a"):match "^%d+") pid:close()
local kept = {}
for i = 1, 5000 do
  kept[i] = { i }
end
for i = 1, 300 do
  kept[i] = "this is the kept text number " .. i .. ", longer than short ones"
end
while not io.open "stop" do local t = {} end
LUA
    watch
    key 6
    key /
    type_line 'endless.lua:8' '^│?▸ .*endless.lua:8'
    press Enter 'endless.lua:8 . enter blocks'
    wait_for ' [0-9.]+ B +[<0-9?].*"this is the kept text number [0-9]+,' # the first of them, there
    press Enter 'Blocks.*endless.lua:8 . 30[0-9] blocks'
    wait_for 'endless.lua:8 +"this is the kept text number [0-9]+,'
    press Space 'PAUSED' # a program that stands still has them, too
    wait_for '"this is the kept text number'
    press Enter 'endless.lua:8 . enter blocks' # the page of the line that made the block under the cursor
    press_away Escape 'enter blocks'
    press Space 'RUNNING'
}

# Blocks of a line that are alike, of a program that runs, and of one that stands still.
case_alike() {
    cat >"$work/endless.lua" <<'LUA'
local pid = io.open("program.pid", "w")
pid:write((io.open("/proc/self/stat"):read "a"):match "^%d+") pid:close()
local strings, tables = {}, {}
for i = 1, 300 do
  strings[i] = "this is the text of session number " .. i % 3 .. ", longer than short ones"
end
for i = 1, 200 do
  tables[i] = i % 4 == 0 and { id = i, name = "n" } or { id = i, name = "n", price = 1 }
end
while not io.open "stop" do local t = {} end
LUA
    watch
    page() { # of a line, and its blocks
        key 6
        key /
        type_line "endless.lua:$1" "^│?▸ .*endless.lua:$1"
        press Enter "endless.lua:$1 . enter blocks"
        press Enter 'by  block  content  keys'
    }
    page 5
    wait_for 'Blocks.*endless.lua:5 . [0-9]+ blocks'
    press v '30[0-9] strings . [3-9] contents'
    wait_for '×100 .*"this is the text of session number [0-2], longer'
    press Enter '"this is the text of session number.* . 100 blocks' # only these
    press Escape '30[0-9] strings'
    key Escape Escape
    key Escape # the filter
    page 8
    wait_for '×200 .*tables, not compared' # what was chosen stays chosen
    press Right Right 'address'
    # In the list, too, by address: wherever an allocator puts tables.
    further() { shows '[{]id, name, price[}]' || { key NPage && false; }; }
    until_true "$patience" 'a table with its keys' further
    press Space 'PAUSED'
    press Left '×150 .*[{]id, name, price[}]'
    wait_for '×50 .*[{]id, name[}]'
    wait_for '200 tables . 2 sets of keys'
    press Right 'address'
    press Space 'RUNNING'
}

case_editor() { # opens the line, on the terminal, while the program runs on
    make_editor
    watch EDITOR="'$work/editor'" VISUAL=
    press e 'no line of the program here'
    press 6 '. endless.lua:[0-9]+ │'
    press e 'the editor is here'
    wait_file editor.args
    grep -Eq "^\+[0-9]+ $work/endless.lua$" "$work/editor.args" || fail "called with: $(cat "$work/editor.args")"
    key C-c
    wait_file editor.int
    outlived "an interrupt of the editor"
    press d o n e Enter 'RUNNING'
    wait_file editor.line
    key 6
    leave
    local name
    for name in false "'$work/none'"; do
        type_line clear
        attach EDITOR="$name" VISUAL=
        press 6 '. endless.lua:[0-9]+ │'
        press e 'false ended with status 1|Cannot run .*: set EDITOR'
        wait_for 'RUNNING'
        leave
    done
}

case_editor_live() { # an interrupt in the editor is not for the program, nor is its end the editor's
    make_editor
    type_line "EDITOR=$work/editor VISUAL= \$P \$LMP run --no-hold --live endless.lua; echo \"status=\$?\""
    wait_program
    wait_for 'RUNNING'
    wait_for 'output: the endless program speaks'
    press 6 '. endless.lua:[0-9]+ │'
    press e 'the editor is here'
    key C-c
    wait_file editor.int
    outlived "an interrupt of the editor"
    press o k Enter 'RUNNING'
    press e 'the editor is here'
    : >"$work/stop" # the program ends meanwhile: the display ends, and its editor with it
    wait_said 'status=0'
    wait_said 'the endless program is done'
    check_terminal
}

case_picture_mouse_mark() {
    watch
    press p "Saved lmp-$program-1.svg"
    press p "Saved lmp-$program-2.svg"
    grep -q '^</svg>' "$work/lmp-$program-1.svg" || fail "the picture is not whole"
    mouse_is() { [ "$(tm display-message -p -t "$pane" '#{mouse_any_flag}')" = "$1" ]; }
    until_true "$patience" "mouse on" mouse_is 1
    key M
    until_true "$patience" "mouse off" mouse_is 0
    key M
    until_true "$patience" "mouse on again" mouse_is 1
    press m 'since mark 1'
    press C 'full collection'
}

# click TEXT: the mouse on the first letter of the first place where it stands (left of column 95).
click() {
    local at
    wait_for "$1"
    at=$(screen | TEXT=$1 "$LUA" -e 'local y = 0
        for line in io.lines() do
            y = y + 1
            local from = line:find(os.getenv "TEXT", 1, true)
            if from then return print(("%02x %02x"):format(32 + utf8.len(line, 1, from), 32 + y)) end
        end')
    tm send-keys -t "$pane" -H 1b 5b 4d 20 $at 1b 5b 4d 23 $at # pressed, and let go
}

# A program that, at each line typed, makes garbage, keeps 500 of what it makes, and frees older ones.
since_program() {
    cat >"$work/since.lua" <<'LUA'
local old, kept = {}, {}
for i = 1, 3000 do old[i] = { i } end
print "begin"
while io.read() do
  for i = 1, 20000 do local garbage = { i } end
  for i = 1, 500 do kept[#kept + 1] = io.stdout and {} end
  for i = #old, #old - 1000, -1 do old[i] = nil end
  collectgarbage()
  collectgarbage()
  print("done " .. #kept)
end
LUA
    type_line '$P $LMP run since.lua; echo status=$?' 'RUNNING, waits for input'
    wait_for 'output: begin'
}
type_to_it() { # WORDS: what it prints then
    press i 'input>'
    press Enter "$1"
    press_away Escape 'input>'
    press 6 '─ 6 Sites'
}

case_since() { # what was made between two presses of y, and lives, by line: not what was freed of before
    since_program
    press y 'since 00:00:[0-9]+, y shows'
    type_to_it 'done 500'
    press y ' survive▾ survivors .*where'
    # 500 tables, and the array that holds them
    wait_for '[0-9.]+ KiB +501 .*since.lua:6 '
    wait_for ' 0 B +0 .* -[0-9.]+ KiB .*since.lua:2 ' # net: less of the older ones
    wait_for 'table +[0-9.]+ KiB +501 '
    type_to_it 'done 1000' # it goes on counting
    wait_for '[0-9.]+ KiB +1,?001 .*since.lua:6 |1.0 k .*since.lua:6 '
    press y ' live▾ '
    wait_gone 'survivors'
    press y 'since 00:00:[0-9]+, y shows'
    press_away Escape 'since 00:00:[0-9]+, y shows'
    press_away q 'RUNNING'
    key C-d
    wait_said 'status=0'
    check_terminal
}

# at TEXT COLUMNS: where it stands, so many columns further right, as a mouse tells it.
at() {
    screen | TEXT=$1 COLUMNS=$2 "$LUA" -e 'local y = 0
        for line in io.lines() do
            y = y + 1
            local from = line:find(os.getenv "TEXT", 1, true)
            if from then
                return print(("%02x %02x"):format(32 + utf8.len(line, 1, from) + os.getenv "COLUMNS", 34 + y))
            end
        end'
}
case_drag() { # a piece of the timeline: what was made in it, and lives
    since_program
    type_to_it 'done 500'
    until_later() { [ "$(screen | sed -n '1s/.* 00:00:\([0-9]*\) .*/\1/p')" -ge "$1" ]; }
    until_true "$patience" "10 seconds" until_later 10
    type_to_it 'done 1000'
    # the second half of the run: of the chart below the title
    read -ra place <<<"$(at '3 Timeline' 28)"
    tm send-keys -t "$pane" -H 1b 5b 4d 20 "${place[@]}"
    wait_for 'PAST'
    read -ra place <<<"$(at '3 Timeline' 60)"
    tm send-keys -t "$pane" -H 1b 5b 4d 23 "${place[@]}"
    wait_for 'survivors of 00:00:0[0-9.]*–'
    press 6 ' survive▾ survivors .*where'
    wait_for '[0-9.]+ KiB +50[01] .*since.lua:6 ' # those of the first half are not in it
    press_away Escape 'survivors of'
    press_away Q 'RUNNING'
    key C-d
    wait_said 'status=0'
    check_terminal
}

case_mouse() { # real sequences, as a terminal sends them
    watch
    click 's f u r'
    wait_for 'filtered'
    press m 'Mark 1 set'
    click 'Mark 1 set' # it has been read
    click ' 7 Functions'
    wait_for '─ 7 Functions'
    click 'shallow'
    wait_for 'shallow▴'
    click 'shallow'
    wait_for 'shallow▾'
    click '1 Heap map'
    click 'space pause'
    wait_for 'PAUSED'
    click 'space resume  n'
    wait_for 'RUNNING'
    local i
    for i in 1 2 3 4 5 6; do
        press b 'break>'
        type_line "size ${i}GiB"
        wait_gone 'break>'
    done
    wait_for 'break: 6 on'
    press ddddd 'break: 1 on' # in one read
}

case_frames() { # what a frame of the program's makes, which line does, and where the worst one was
    cat >"$work/endless.lua" <<'LUA'
local lmp = require "luamemprofiler"
local pid = io.open("program.pid", "w")
pid:write((io.open("/proc/self/stat"):read "a"):match "^%d+") pid:close()
local function each() for _ = 1, 100 do local t = {} end end
local frames = 0
while true do
  each()
  frames = frames + 1
  if frames == 500 then local level = {} for i = 1, 20000 do level[i] = { i } end end
  lmp.frame(frames == 500 and "new level" or nil)
end
LUA
    watch
    wait_for 'Per frame +5\.5 KiB · worst [1-9]\.[0-9] MiB' # a hundred tables of 56 bytes
    press 6 '─ 6 Sites: holds'
    wait_gone 'per frame' # what lines make is not shown beside what they hold
    press G '│ +% .* made/s +per frame'
    wait_for '│.* [3-9]\.[0-9] KiB .* endless.lua:4 '
    press 3 3 '┆ frame'
    wait_for 'new level'
    press Up 'frame 499 new level: [1-9]\.[0-9] MiB'
    press Escape Space 'PAUSED'
    wait_for 'Per frame +[5-9][.0-9]+ KiB' # of all frames so far
    key Space
}
case_tags() { # the lines of a tag, and those of another one
    cat >"$work/endless.lua" <<'LUA'
local lmp = require "luamemprofiler"
local pid = io.open("program.pid", "w")
pid:write((io.open("/proc/self/stat"):read "a"):match "^%d+") pid:close()
local keep, n = {}, 0
lmp.tag "large"
for i = 1, 20000 do keep[#keep + 1] = { i } end
while true do
  lmp.tag "small"
  keep[n % 100] = "n" .. n
  lmp.tag "large"
  n, keep[n % 100 + 100] = n + 1, {}
end
LUA
    watch
    press 0 '─ 0 Tags.* 2 tags'
    wait_for '▸ .* large'
    press Enter '─ Tag: holds'
    wait_for '│  large  live .*allocs'
    wait_for 'endless.lua:6 .*for i = 1, 20000'
    wait_for 'endless.lua:11 .*n, keep'
    wait_gone '│.*endless.lua:9 '
    press Escape '─ 0 Tags'
    press Down Enter '│  small  live '
    wait_for 'endless.lua:9 .*keep.n % 100. = "n"'
    wait_gone '│.*endless.lua:6 '
    press Enter '─ Site' # the page of that line
}

case_find() { # in the help, and in a page's source; n steps only while the program is paused
    watch
    key '?'
    type_text /panel
    wait_for 'find> panel'
    wait_for '"panel" in line [0-9]+'
    press Enter ' n N match'
    local first
    first=$(screen | sed -n 's/.*in line \([0-9]*\) .*/\1/p')
    press_away n "in line $first "
    wait_for 'RUNNING'
    press N "in line $first "
    press_away Escape 'in line'
    press_away Escape '─ Help'
    press 6 Enter '─ Site'
    type_line '/keep' '"keep" in line [0-9]+'
    press Space 'PAUSED'
    wait_for 'n step '
    press Space ' n N match'
}

case_sequences() { # keys that the terminal's description lacks, and what is no key of lmp's
    watch
    press 6 ' / filter'
    local bytes hex
    for bytes in '\033[1;5C' '\033[4;5~' '\033[24~' '\033[1;2H' '\033[200~' '\033[27;5;113~' '\033]0;q\007'; do
        read -ra hex < <(printf '%b' "$bytes" | od -An -tx1 | tr '\n' ' ')
        tm send-keys -t "$pane" -H "${hex[@]}"
    done
    press z 'FROZEN' # after all of them
    press z 'RUNNING'
    shows ' / filter' || fail "a sequence has opened another panel"
    tm send-keys -t "$pane" -H 1b 5b 34 7e # End, as the Linux console sends it
    wait_for '▸ .*(endless.lua:|\()'
    last_row() { screen | grep -A1 '▸' | tail -1 | grep -Eq 'endless.lua:[0-9]+ │|│$|╰'; }
    until_true "$patience" "the cursor in the last row" last_row
    shows ' / filter' || fail "End has opened another panel"
}

case_sizes() { # at once, at every size
    watch
    local size
    for size in '80 24' '60 15' '20 5' '200 60' '40 10' '120 36'; do
        set -- $size
        tm resize-window -t "$pane" -x "$1" -y "$2"
        at_size() { [ "$(screen | grep -Ec 'RUNNING')" = 1 ] && screen | tail -n 1 | grep -Eq ' q quit'; }
        until_true "$patience" "the display at $1x$2" at_size
    done
}

in_colour() { tm capture-pane -e -p -t "$pane" | grep -Eq "$1"; }
case_terminals() { # each shows the same state, whatever it can
    watch TERM=screen-256color
    until_true "$patience" "256 colours" in_colour '38;5;'
    leave
    type_line clear
    attach TERM=nosuchterminal
    leave
    type_line clear
    attach TERM=screen
    until_true "$patience" "a whole display" whole
    in_colour '38;5;' && fail "8 colours are exceeded"
    leave
    type_line clear
    attach NO_COLOR=1
    until_true "$patience" "a whole display" whole
    in_colour '\[([0-9;]*;)?(3[0-7]|9[0-7]|38)[;m]' && fail "NO_COLOR is not honoured"
    leave
    type_line clear
    attach TERM=vt100
    leave
    type_line clear
    local ascii
    for ascii in LC_ALL=C TERM=linux LMP_ASCII=1; do
        attach $ascii
        wait_for '^\+- 1 Heap map'
        until_true "$patience" "a whole display" whole
        screen | LC_ALL=C grep -q '[^ -~]' && fail "not only ASCII with $ascii"
        leave
        type_line clear
    done
    type_line "TERM=dumb \$P \$LMP top $program; echo top=\$?" 'lmp: .*TERM is "dumb"'
    check_terminal
}

case_crash() { # a viewer that dies of a signal leaves the terminal as it was
    watch
    local signal p
    for signal in TERM SEGV ABRT HUP KILL; do
        p=$(top_viewer)
        kill_one "$signal" "$p"
        wait_for 'top=[0-9]'
        check_terminal
        outlived "its viewer"
        type_line clear
        wait_gone 'top='
        attach
    done
}

case_collect() { # a collection comes under the program's own debug hook, or it is said that it does not
    cat >"$work/hooked.lua" <<'LUA'
local pid = io.open("program.pid", "w")
pid:write((io.open("/proc/self/stat"):read "a"):match "^%d+") pid:close()
collectgarbage "incremental" collectgarbage "stop"
local hook = function() end
debug.sethook(hook, "l")
local keep
local function file(name) local f = io.open(name) if f then f:close() end return f end
while not file "stop" do
  local till = os.clock() + 0.002 -- what it asks for is never freed unless a collection comes
  repeat keep = keep or {} until os.clock() > till
  keep = { till }
  if file "block" then os.execute "rm block; while [ ! -e go ]; do sleep 0.05; done" end
  assert(debug.gethook() == hook)
end
LUA
    behind hooked.lua
    attach
    local before
    wait_for ' [0-9]+ cycles?'
    cycles() { screen | grep -oE '[0-9]+ cycles?' | head -1; }
    collected() { [ "$(cycles)" != "$before" ]; }
    before=$(cycles)
    key C
    until_true "$patience" "a collection under the program's hook" collected
    before=$(cycles)
    : >"$work/block"
    blocked() { [ ! -e "$work/block" ]; }
    until_true "$patience" "the program inside a C function" blocked
    press C 'No collection yet: the program'
    : >"$work/go"
    until_true "$patience" "the collection, late" collected
}

case_idle() { # paused, neither the display nor the program uses processor time
    watch
    press Space 'PAUSED'
    local viewer used before
    viewer=$(top_viewer)
    ticks() { awk '{print $14 + $15}' "/proc/$1/stat"; }
    settled() { used=$(ticks "$viewer") && sleep 1 && [ "$(ticks "$viewer")" = "$used" ]; }
    until_true "$patience" "a quiet display" settled
    used=$(ticks "$viewer")
    before=$(ticks "$program")
    sleep 3 # not a wait: the time that is measured
    used=$(($(ticks "$viewer") - used)) before=$(($(ticks "$program") - before))
    [ "$used" -le 3 ] || fail "$used ticks in three seconds of pause"
    # It wakes once a second to see whether its viewer lives, and a tick may fall on that.
    [ "$before" -le 1 ] || fail "the program: $before ticks in three seconds of pause"
    key e # and what it has to say is there for some time, however long nothing was painted before
    wait_for 'no line of the program here'
    press Space 'RUNNING'
}

case ${1:-} in
site_blocks | alike) open 200 50 ;;
terminals | crash | idle) open 100 30 ;;
*) open 120 36 ;;
esac
play_case "$@"
case $1 in
editor* | since | drag | terminals) ;; # they see to that themselves
*) leave ;;
esac
