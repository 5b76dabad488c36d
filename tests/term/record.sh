#!/bin/bash
# Recordings, without a terminal: how they begin, and which survive the end of which process:
# record.sh CASE
. "$(dirname "$0")/plain.sh"
look() { "$LMP_BUILD/record_look" "$@"; }
whole() { look "$1" >whole.now; has whole.now "^complete=1$"; has whole.now "^ended=${2:-[0-9]+}$"; }
complete() { look "$1" 2>/dev/null | grep -qx complete=1; }

# Prints figures as record_look does: after `at` those of a moment that lasts a while, and its time.
cat >figures.lua <<'LUA'
local function show(s, file)
    local out = {}
    for name, v in pairs(s) do
        if math.type(v) == 'integer' then out[#out + 1] = name .. '=' .. v end
    end
    for type, row in pairs(s.types) do
        for name, v in pairs(row) do out[#out + 1] = 'types.' .. type .. '.' .. name .. '=' .. v end
    end
    for _, row in ipairs(s.sites or {}) do
        out[#out + 1] = ('site %s:%d allocs=%d live_bytes=%d'):format(row.short_src, row.line or -1,
            row.allocs, row.live_bytes)
    end
    local f = io.open(file, 'w')
    f:write(table.concat(out, '\n'), '\n')
    f:close()
end
local clock = os.clock
local function stand(seconds) -- without asking for memory
    local t = clock()
    while clock() - t < seconds do end
end
return { show = show, stand = stand }
LUA
# same FIGURES LOOK: each of these lines is among those.
same() {
    [ "$(wc -l <"$1")" -gt 50 ] || fail "too few figures in $1"
    sort "$2" >look.sorted
    sort "$1" | comm -23 - look.sorted >differ
    [ ! -s differ ] || fail "$1 is not what was recorded: $(head -5 differ)"
}
# A program that makes memory for a while, and says so in `up`.
cat >busy.lua <<'LUA'
local f = io.open('up.new', 'w')
f:write((io.open '/proc/self/stat':read 'a':match '^%d+'))
f:close()
os.rename('up.new', 'up')
local keep = {}
while not io.open 'stop' do
    for i = 1, 1000 do keep[i] = { i, 'text ' .. i } end
end
LUA
busy() { # busy ARGS...: in the background, as $run; its program's pid in $program
    rm -f up stop
    LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-summary "$@" busy.lua >out.run 2>err.run </dev/null &
    run=$!
    wait_file up
    program=$(cat up)
}
recorded() { [ -s "$1" ]; }

case_equal() { # at a moment that lasts, and at the end, the file has what stats() gave
    cat >x.lua <<'LUA'
local lmp, f = require 'luamemprofiler', require 'figures'
local keep, want = {}, { sites = true } -- asking is to take no memory
for round = 1, 3 do
    for i = 1, 3000 do keep[#keep + 1] = { i, 'x' .. i } end
    collectgarbage()
    collectgarbage 'stop'
    local since = lmp.stats().seconds -- which also sees the cycle that has just ended
    f.stand(1)
    local s = lmp.stats(want)
    f.show(s, 'figures.' .. round)
    local t = io.open('time.' .. round, 'w')
    t:write(('%.6f %.6f\n'):format(s.seconds, since))
    t:close()
    collectgarbage 'restart'
end
f.show(lmp.stop(want), 'figures.end')
LUA
    LUA_CPATH="$LMP_BUILD/?.so" LUA_PATH="./?.lua" ends 0 run --no-summary --record=x.lmprec x.lua
    lines err 1
    has err '^lmp: recording written to x\.lmprec \([0-9.]+ [KM]?i?B\); watch it: lmp replay x\.lmprec$'
    is "$(stat -c %a x.lmprec)" 600 'the mode of the file'
    whole x.lmprec 1
    for round in 1 2 3; do
        read -r at since <time.$round
        look x.lmprec at "$at" >look.$round
        # on a busy machine tables may be older: they take a fiftieth of a processor
        awk -F= -v since="$since" '$1 == "tables" { exit !($2 < since) }' look.$round &&
            sed -i '/^site /d' figures.$round
        same figures.$round look.$round
    done
    look x.lmprec at end >look.end
    same figures.end look.end
    # the default name, beside all else that is written
    echo "T = {} for i = 1, 1000 do T[i] = {} end" >x.lua
    ends 0 run --record --json=x.json --summary=x.txt x.lua
    has x.txt 'Maximum memory used'
    has err '^lmp: recording written to lmp-[0-9]+\.lmprec '
    look lmp-*.lmprec >whole.now
    has whole.now '^again=x\.lua$'
}

case_refused() {
    echo 'print "ran"' >x.lua
    # what is said can be typed
    for name in 'my file.lmprec' '-x.lmprec' 'é.lmprec'; do
        lmp run --no-summary --record="$name" x.lua
        echo "$name" | sed 's/^-/.\/-/; s/.*[ é].*/'"'&'/" >typed
        has err "watch it: lmp replay $(cat typed)$"
    done
    lmp run --no-summary --record="it's" x.lua
    is "$(sed 's/(.*)/()/' err)" "lmp: recording written to it's ()" 'a name with a quote'
    mkdir gone
    (cd gone && rmdir ../gone && exec "$LMP" run --record "$work/x.lua") >out 2>err
    is $? 126 status
    is "$(cat err)" 'lmp: cannot write lmp-PID.lmprec: No such file or directory' message
    mkdir folder
    refuses 126 '^lmp: cannot write /no/such/file: No such file or directory$' run --record=/no/such/file x.lua
    refuses 126 '^lmp: cannot write folder: Is a directory$' run --record=folder x.lua
    ends 2 run --record= x.lua
    refuses 2 '' run --record-limit=12 --record x.lua
    hasnt out ran
    ends 2 record
    refuses 1 'no such profiled process' record 999999999
    # folders in which nobody makes a file, whatever their rights; rights of a folder do not hinder root
    local place places='/proc /sys'
    [ "$(id -u)" = 0 ] || places="$places folder"
    chmod a-w folder
    for place in $places; do
        [ -d $place ] || continue
        refuses 126 '' run --record=$place/file.lmprec x.lua
        why='No such file or directory|Permission denied|Read-only file system|Operation not permitted'
        has err "^lmp: cannot write $place/file.lmprec: ($why)\$"
        hasnt out ran
    done
    refuses 126 '^lmp: cannot write x.lua/file: Not a directory$' run --record=x.lua/file x.lua
}

case_killed() { # the program: its very last figures are there, and how it ended
    cat >kill.lua <<'LUA'
local f, lmp = require 'figures', require 'luamemprofiler'
local keep = {}
for i = 1, 5000 do keep[i] = { i } end
collectgarbage()
f.show(lmp.stats { sites = true }, 'figures.once') -- all that this needs is there
collectgarbage 'stop'
local last, show = lmp.stats(), f.show
show(last, 'figures.last')
local n = 12345
keep.last = string.rep('y', 1234567)
os.execute(io.open 'kill.cmd':read 'a')
LUA
    echo "kill -9 \$PPID; sleep 9" >kill.cmd
    (LUA_CPATH="$LMP_BUILD/?.so" LUA_PATH='./?.lua' lmp run --no-summary --record=k.lmprec kill.lua; exit $status)
    is $? 137 status
    has err 'recording written to k.lmprec'
    whole k.lmprec $((1 + 9))
    look k.lmprec at end >look.end
    bytes=$(sed -n 's/^live_bytes=//p' look.end)
    before=$(sed -n 's/^live_bytes=//p' figures.last)
    [ "$bytes" -gt $((before + 1234567)) ] || fail "the last figures are missing: $bytes after $before"
}

case_never() { # a recording that never was: it is said, whatever was in its way
    echo 'for i = 1, 100 do T = {} end io.open("ran", "w"):write "x":close()' >x.lua
    echo 'kill -9 $PPID; exec "$LUA" x.lua' >early.sh
    export LUA
    for options in '' --no-summary; do
        lmp run --no-live $options --record=early.lmprec -- sh early.sh
        until_true 'the line' grep -qx 'lmp: no recording: lmp run was killed before it began' err
        [ -n "$options" ] || summary
    done
    lmp run --no-live -- sh early.sh
    until_true 'the end' grep -q 'Maximum memory used' err
    hasnt err 'no recording'
    rm ran
    (
        ulimit -f 100
        LD_PRELOAD=$LMP_PRELOAD exec "$LMP" run --no-live --record=x.lmprec x.lua 2>&1
    ) </dev/null | cat >out
    wait_file ran
    is "$(grep -c '^lmp: ' out)" 2 lines
    has out '^lmp: no recording: nothing was profiled$'
}

case_run_killed() { # and what records goes on: to the program's end
    busy --record=r.lmprec
    until_true 'a recording' recorded r.lmprec
    kill -9 $run
    { wait $run; } 2>/dev/null
    kill -0 "$program" || fail 'the program has not outlived lmp run'
    sleep 0.3
    touch stop
    until_true 'a complete recording' complete r.lmprec
    # everybody at once, but who records
    busy --record=all.lmprec
    until_true 'a recording' recorded all.lmprec
    kill -9 $run "$program"
    { wait $run; } 2>/dev/null
    until_true 'a complete recording' complete all.lmprec
    look all.lmprec at end >look.end
    has look.end '^live_bytes=[1-9]'
    # who records: what it had written stays, and the program goes on
    busy --record=own.lmprec
    has_frames() { look own.lmprec 2>/dev/null | grep -q '^frames=[1-9]'; }
    until_true 'frames' has_frames
    for p in /proc/[0-9]*; do
        [ "$p/cwd" -ef "$work" ] && grep -qx recorder "$p/comm" && kill -9 "${p#/proc/}"
    done
    kill -0 "$program" || fail 'the program has not outlived who records it'
    touch stop
    wait $run
    is $? 0 status
    has err.run 'recording in own.lmprec: its process was killed; what it had written is there'
    look own.lmprec >whole.now
    has whole.now '^frames=[1-9]'
    has whole.now '^complete=0'
}

case_attached() { # lmp record PID: until it is interrupted, and until the program ends
    busy
    LD_PRELOAD=$LMP_PRELOAD "$LMP" record "$program" >one 2>&1 &
    recorder=$!
    until_true 'a recording' recorded "lmp-$program.lmprec"
    refuses 1 'no recording in two.lmprec: it is being recorded already' record "$program" two.lmprec
    [ ! -e two.lmprec ] || fail 'a second one has left a file'
    kill -TERM $recorder
    wait $recorder
    is $? 0 status
    has one "^recording written to lmp-$program.lmprec \([0-9.]+ [KM]?i?B\); watch it: lmp replay lmp-$program.lmprec$"
    whole "lmp-$program.lmprec" 0
    LD_PRELOAD=$LMP_PRELOAD "$LMP" record "$program" >one 2>&1 &
    recorder=$!
    until_true 'another recording' recorded "lmp-$program.lmprec.2"
    touch stop
    wait $recorder
    is $? 0 status
    wait $run
    is $? 0 "the program's status"
    whole "lmp-$program.lmprec.2"
    is "$(stat -c %a "lmp-$program.lmprec.2")" 600 mode
}

case_states() { # several of one process, children, and what forks
    cat >two.lua <<'LUA'
local lmp = require 'luamemprofiler'
T = {} for i = 1, 100 do T[i] = {} end
lmp.stop()
assert(lmp.start { summary = false })
U = {} for i = 1, 100 do U[i] = {} end
LUA
    cat >start.lua <<'LUA'
local lmp = require 'luamemprofiler'
for i = 1, 2 do
    assert(lmp.start { summary = false, record = 'start.lmprec' })
    T = {} for i = 1, 100 do T[i] = {} end
    lmp.stop()
end
for _, place in ipairs { '/no/such/directory/x', '.', 'start.lua/x', 'fifo', ('x'):rep(300) } do
    print(lmp.start { summary = false, record = place })
    assert(not lmp.stop()) -- no profile is left behind
end
assert(lmp.start { summary = false, record = true })
LUA
    mkfifo fifo
    LUA_CPATH="$LMP_BUILD/?.so" LD_PRELOAD=$LMP_PRELOAD "$LUA" start.lua >out 2>err
    is $? 0 status
    while IFS='|' read -r place why; do
        has out "^nil	$place: cannot write the file: $why	FILE\$"
        has err "^lmp: the program runs unprofiled: $place: cannot write the file: $why\$"
    done <<'END'
/no/such/directory/x|No such file or directory
.|Is a directory
start.lua/x|Not a directory
fifo|what is there is no plain file, and is not replaced
x+|File name too long
END
    lines err 5
    test -p fifo || fail 'the FIFO was replaced'
    mkdir sealed
    if chmod 500 sealed && [ "$(id -u)" != 0 ]; then
        (cd sealed && LUA_CPATH="$LMP_BUILD/?.so" LD_PRELOAD=$LMP_PRELOAD "$LUA" \
            -e "print(require 'luamemprofiler'.start { record = true })" >../out 2>../err)
        has out '^nil	.: cannot write the file: Permission denied	FILE$'
    fi
    for f in start.lmprec start.lmprec.2; do
        until_true "a complete $f" complete $f
    done
    set -- lmp-*.lmprec
    until_true "a complete $1" complete "$1"
    # Without a terminal there is no display, but the recording all the same.
    LUA_CPATH="$LMP_BUILD/?.so" LD_PRELOAD=$LMP_PRELOAD setsid "$LUA" -e \
        "print(require 'luamemprofiler'.start { live = true, record = 'nodisplay.lmprec' })" >out 2>err
    has out '	NOTTY$'
    until_true 'a recording without a display' complete nodisplay.lmprec
    mkdir 'a place'
    cat >said.lua <<'LUA'
local lmp = require 'luamemprofiler'
assert(lmp.start { record = 'a place/said.lmprec', summary = arg[1] })
local start = os.time()
while os.time() - start < 2 do T = {} end
LUA
    LUA_CPATH="$LMP_BUILD/?.so" LD_PRELOAD=$LMP_PRELOAD "$LUA" said.lua >out 2>err
    summary
    is "$(grep '^lmp: ' err)" "lmp: recording: a place/said.lmprec; watch it: lmp replay 'a place/said.lmprec'" \
        'where it is'
    LUA_CPATH="$LMP_BUILD/?.so" LD_PRELOAD=$LMP_PRELOAD "$LUA" said.lua summary.txt >out 2>err
    lines err 0
    until_true 'a complete one' complete 'a place/said.lmprec'
    echo "os.execute [[$LUA -e 'T = {} for i = 1, 100 do T[i] = {} end']]" >parent.lua
    ends 0 run --no-summary --record=p.lmprec parent.lua
    lines err 2
    whole p.lmprec 1
    set -- p.lmprec.*
    is $# 1 'recordings of children'
    whole "$1"
}

case_trouble() { # of the disk: the recording ends with a line, the program goes on
    busy
    (ulimit -f 4; LD_PRELOAD=$LMP_PRELOAD "$LMP" record "$program" full.lmprec >one 2>&1)
    is $? 1 'status of one that is too large'
    lines one 1
    has one '^lmp: (no recording: cannot write full.lmprec|recording ended at .*): File too large'
    kill -0 "$program" || fail 'the program has not outlived its recording'
    touch stop
    wait $run
    is $? 0 status
    mkdir gone
    busy --record=gone/x.lmprec
    until_true 'a recording' recorded gone/x.lmprec
    mv gone went
    touch stop
    wait $run
    is $? 0 status
    lines err.run 1
    has err.run '^lmp: no recording: cannot write gone/x.lmprec: No such file or directory$'
    # As small as a disk can be, less than a recording takes, in a namespace of its own; `stop` is there.
    cat >small.sh <<'SH'
mkdir -p small && mount -t tmpfs -o size=4k none small || exit 77
LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-summary --record=small/x.lmprec busy.lua 2>err || exit 1
SH
    status=0
    LMP=$LMP LMP_PRELOAD=$LMP_PRELOAD unshare -rm sh small.sh 2>why || status=$?
    if [ $status = 77 ] || grep -q '^unshare:' why; then
        echo "no small file system could be made here: $(cat why)"
    else
        is $status 0 'a program whose recording has no room'
        lines err 1
        has err 'ecording.*No space left on device'
    fi
}

# What is in FILE is whole, and its end is what the run's JSON says.
agrees() {
    local name
    look "$1" check >checked
    for name in lost backwards; do has checked "^$name=0$"; done
    has checked '^still=[1-9]'
    has checked '^wrong=0$'
    look "$1" at end >end
    for name in mallocs malloc_bytes reallocs realloc_bytes frees live_bytes live_blocks peak_bytes gc_cycles; do
        grep -qx "$name=$(grep -o "\"$name\":-*[0-9]*" json | head -1 | sed 's/.*://')" end ||
            fail "$name is not that of the JSON: $(grep "^$name=" end)"
    done
}

# A program with so many lines that make something, and a while for its recorder after them.
many_lines() {
    cat >many.lua <<LUA
local f = require 'figures'
f.stand(0.3)
local made = {}
for i = 1, $1 / 500 do
    local code = {}
    for line = 1, 500 do code[line] = ('t[%d] = {%d}\n'):format(line, i) end
    made[i] = load('local t = {}; ' .. table.concat(code) .. 'return t', '@file' .. i .. '.lua')()
end
f.stand(0.3)
LUA
}

case_limit() { # too small a limit for the tables: that is said, with one that is enough
    many_lines 100000
    LUA_PATH="./?.lua" ends 0 run --no-summary --record=x.lmprec --record-limit=1MiB many.lua
    local enough words='tables of [0-9]+ moments? had no room: they need a larger --record-limit'
    has err "^lmp: recording written to x.lmprec \([0-9.]+ KiB\); $words=[0-9]+MiB; watch it: lmp"
    enough=$(sed 's/.*limit=//; s/;.*//' err)
    ends 0 dump --parts x.lmprec
    [ "$(stat -c %s x.lmprec)" -le 1048576 ] || fail 'it is larger than its limit'
    lmp dump x.lmprec
    has out '^  frames without room for tables [0-9]+$'
    LUA_PATH="./?.lua" lmp run --no-summary --record=x.lmprec --record-limit="$enough" many.lua
    has err '^lmp: recording written to x.lmprec \([0-9.]+ [KM]iB\); watch it: lmp replay x.lmprec$'
    lmp dump x.lmprec
    hasnt out 'without room'
}

case_damaged() { # rows that stood in a damaged part are unknown; sums are what they were
    many_lines 2000
    LUA_PATH="./?.lua" lmp run --no-summary --record=x.lmprec many.lua
    lmp dump --parts x.lmprec
    local place
    hasnt out 'rows: .*, copy$' # they are much beside the rest
    place=$(sed -n 's/^\([0-9]*\) rows: .*, \([0-9]*\) of.*/\2 \1/p' out | sort -n | tail -1) # the largest
    place=${place#* }
    cp x.lmprec bad.lmprec
    printf 'damaged' | dd of=bad.lmprec bs=1 seek=$((place + 80)) conv=notrunc status=none
    ends 0 report x.lmprec
    grep -E '^  (total|table|Live|Number) ' out >sums
    lines sums 6
    ends 0 report bad.lmprec
    has err '^lmp: bad.lmprec is damaged: it has lost [0-9,]+ rows of its tables \(what they stood for is shown as'
    has out '^  Damaged: it has lost [0-9,]+ rows of its tables'
    cp out bad.txt
    has out '\(others\)'
    while read -r line; do
        grep -qF "$line" out || fail "another sum than: $line"
    done <sums
    lmp report csv bad.lmprec
    [ "$(grep -c '^file[0-9]' out)" -lt 2000 ] || fail 'no line is lost'
}

case_sources() { # the lines that ran are in it, wherever it is read; not in one for others
    mkdir here there
    printf '%s\n' '-- a program' 'local kept = {}' 'for i = 1, 1000 do' '    kept[i] = {i} -- what ran' 'end' \
        >here/app.lua
    (cd here && env LD_PRELOAD="$LMP_PRELOAD" ASAN_OPTIONS=detect_leaks=0 \
        "$LMP" run --no-live --record=../x.lmprec app.lua) >out 2>&1 </dev/null || fail "$(cat out)"
    ends 0 record cut x.lmprec --redact=contents -o shown.lmprec
    lmp dump x.lmprec
    has out "^  \"$PWD/here\"$"
    has out '^  "@app.lua": .*what ran'
    lmp dump shown.lmprec
    hasnt out 'what ran|/here'
    rm -r here
    cd there || exit
    lmp report html ../x.lmprec
    has out 'what ran'
    lmp report html ../shown.lmprec
    hasnt out 'what ran'
}

case_programs() { # the example and luacheck, in each mode
    local mode
    for mode in --lines --no-lines --stacks --sample=4KiB; do
        ends 0 run --no-summary --record=x.lmprec --json=json $mode "$LMP_SOURCE/lua/example/options.lua" 0.05
        agrees x.lmprec
        command -v luacheck >/dev/null || continue
        LUA_PATH='/usr/share/lua/5.1/?.lua;/usr/share/lua/5.1/?/init.lua;;' lmp run --no-summary --record=x.lmprec \
            --json=json $mode -- "$LUA" "$(command -v luacheck)" "$LMP_SOURCE/lua/example"
        has out 'Total: '
        agrees x.lmprec
    done
}

play_case "$@"
