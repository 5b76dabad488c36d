#!/usr/bin/env bash
# report.sh - lmp report of recordings: the report of a file equals the report of the run.
. "$(dirname "$0")/plain.sh"

cat >work.lua <<'END'
local lmp = require("luamemprofiler")
local kept = {}
local function add(i) kept[#kept + 1] = { i, tostring(i) } end
local function deep(n) if n == 0 then return {} end local t = deep(n - 1) return t end
for i = 1, 2000 do add(i) end
deep(50)
lmp.mark("half")
local file = io.open("go", "r")
while not file do file = io.open("go", "r") end
for i = 1, 1000 do add(i) end
END
# The program goes on only once its state at the mark is on file.
record() {
    rm -f go r.lmprec
    go_on_marked half r.lmprec "${frames:-1}" &
    LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-live "$@" --record=r.lmprec work.lua >out 2>err </dev/null
    is $? 0 "the run"
    wait
}
formats='flat callgraph tree memprof callgrind pprof folded speedscope massif csv timeline json'

case ${1:?which case} in
formats) # each of a run and of its recording
    all=
    for format in $formats; do all="$all --report=$format:run.$format"; done
    # shellcheck disable=SC2086 # a list
    record --stacks $all
    grep -v 'recording written' err >run.summary
    ends 0 report r.lmprec
    cmp out run.summary || fail "another summary"
    for format in $formats; do
        ends 0 report "$format" r.lmprec -o "file.$format"
        is "$(stat -c %a "file.$format")" 600 "rights of $format"
        cmp "file.$format" "run.$format" || fail "another $format"
    done
    gzip -t <file.pprof || fail "no gzip"
    ;;
moments)
    record --stacks
    lmp report --metric=allocated folded r.lmprec@half
    has out 'add \(work.lua:3\) [0-9]+$'
    lmp report csv r.lmprec@half
    is "$(awk -F, '$1 == "work.lua" && $2 == 3 { print ($4 >= 6000 && $4 < 6100) }' out)" 1 "made before the mark"
    lmp report --from=half csv r.lmprec
    is "$(awk -F, '$1 == "work.lua" && $2 == 3 { print ($4 >= 2000 && $4 < 2100) }' out)" 1 "made after the mark"
    is "$(awk -F, '$1 == "work.lua" && $2 == 4 { print $4 }' out)" 0 "made after the mark by what was over"
    ends 1 report flat --from=half --to=half r.lmprec
    refuses 1 '^lmp: noon: neither a time' report r.lmprec@noon
    for outside in 5:00 -5m; do
        refuses 1 "^lmp: $outside: what was recorded goes from 00:00:00.[0-9] to " report r.lmprec@$outside
        ends 1 report --from=$outside r.lmprec
    done
    ;;
found) # a peak in the middle, and marks 70 ms apart, of a program that says what was there then
    cat >peak.lua <<'END'
local lmp = require "luamemprofiler"
local kept = {}
local function spend(s) local stop = os.clock() + s while os.clock() < stop do end end
local function grow(n) for _ = 1, n do kept[#kept + 1] = { 1 } end end
local function mark(name) lmp.mark(name) print(name, lmp.stats().live_bytes) end
for _ = 1, 40 do grow(2000) spend(0.01) end
print("peak", lmp.stats().live_bytes)
kept = {} collectgarbage()
for _ = 1, 10 do grow(2000) spend(0.01) end
mark "one" spend(0.03) grow(5000) spend(0.04)
mark "two" spend(0.03) grow(5000) spend(0.2)
END
    # Within a twentieth of what the program says. A machine that is busy may not let the recorder run in
    # time: then that is said, and tried again.
    for try in 1 2 3 4 5 6; do
        rm -f r.lmprec
        lmp run --no-live --no-summary --record=r.lmprec peak.lua
        cp out truth
        for moment in peak one two; do
            lmp report json r.lmprec@$moment
            cp err said
            live=$(grep -o '"live_bytes":[0-9]*' out | sed -n '1s/.*://p')
            was=$(awk -v name=$moment '$1 == name { print $2 }' truth)
            near=$([ $((live * 20)) -ge $((was * 19)) ] && [ $((live * 20)) -le $((was * 21)) ] && echo 1 || true)
            [ "$near" ] || grep -q 'the moment asked for was not recorded' said ||
                fail "$moment: $live of $was, and nothing is said"
            lmp report flat r.lmprec@$moment
            has out "^  of $moment: as it was at 00:[0-9:.]+"
            [ "$near" ] || continue 2
            cp out flat.$moment
        done
        cmp -s flat.one flat.two || break
    done
    [ "$near" ] || fail "never near in $try runs"
    ! cmp -s flat.one flat.two || fail "two marks are one moment"
    ;;
ranges) # all formats; one sum in those that tell it, the difference of two moments
    frames=12
    record --stacks
    made() { lmp report json "$@"; sed 's/.*"mallocs":\([0-9]*\).*/\1/' out; }
    count=$(made --from=half --to=end r.lmprec)
    is "$count" $(($(made r.lmprec@end) - $(made r.lmprec@half))) "made in between"
    lmp report json --from=half --to=end r.lmprec
    has out '"range":\{"from":[0-9.]+,"to":[0-9.]+,"left_out":\["peak_bytes",.*"verdicts","leaks"\]\}'
    hasnt out '"(peak_bytes|peak_live_bytes|verdicts|leaks)":'
    # Tables of a moment in which the program ran are some of its operations apart from its counters.
    near() {
        [ "$1" -ge $((count - count / 20)) ] && [ "$1" -le $((count + count / 20)) ] || fail "$2: $1, not $count"
    }
    lmp report csv --from=half --to=end r.lmprec
    near "$(awk -F, '{ sum += $4 } END { print sum }' out)" "csv"
    lmp report folded --metric=allocated --unit=blocks --from=half --to=end r.lmprec
    near "$(awk '{ sum += $NF } END { print sum }' out)" "folded"
    lmp report --from=half --to=end r.lmprec
    has out '^What happened from 00:[0-9:.]+ to 00:[0-9:.]+; live: what is more than before$'
    is "$(awk '/Number of mallocs/ { gsub(",", ""); print $4 }' out)" "$count" "summary"
    hasnt out 'Maximum|Leaks '
    lmp report timeline r.lmprec
    cp out whole
    lmp report timeline --from=50% r.lmprec
    is "$(comm -13 <(sort whole) <(sort out))" "" "rows that the whole has not"
    [ "$(wc -l <out)" -lt "$(wc -l <whole)" ] || fail "all of the time"
    lmp report massif --from=half r.lmprec
    has out '^desc: .*\(from 00:[0-9:.]+ to '
    is "$(grep -c '^heap_tree=peak$' out)" 1 "the range's highest moment"
    is "$(awk -F= '/^time=/ { if (t > $2) print "back"; t = $2 }' out)" "" "times of massif"
    lmp report html --from=half r.lmprec -o page.html
    has page.html '"open":\[[0-9]+,[0-9]+\]'
    for format in $formats html; do
        ends 0 report "$format" --from=half r.lmprec -o range
        test -s range || fail "nothing in $format"
    done
    ;;
rights) # one's own, whatever umask there is and whatever was there
    record --stacks
    umask 0
    for format in $formats summary html; do
        rm -f new
        lmp report "$format" r.lmprec -o new
        is "$(stat -c %a new)" 600 "rights of $format"
        echo old >open.$format
        chmod 644 open.$format
        lmp report "$format" --from=half r.lmprec -o open.$format
        is "$(stat -c %a open.$format)" 600 "rights of $format in place of another"
    done
    is "$(find . -name 'new.*' -o -name 'open.*.*')" "" "what is left beside them"
    ;;
refused) # each said in one line
    record
    cp r.lmprec before
    while IFS='|' read -r expected arguments words; do
        # shellcheck disable=SC2086 # a list
        lmp report $arguments
        is $status "$expected" "lmp report $arguments"
        lines err 1
        has err "$words"
    done <<'END'
1|treemap r.lmprec|treemap is of heap snapshots, and r.lmprec is of a run
1|--object=0x10 summary r.lmprec|--object is for heap snapshots
2|flatt r.lmprec|there is no format flatt; did you mean flat
2|flat|flat of which file
1|nowhere|nowhere: No such file
1|work.lua|work.lua is neither a recording nor a heap snapshot
2|flat r.lmprec -o r.lmprec|that is the file itself
2|--metric=most flat r.lmprec|live, allocated, peak or temporary was expected
2|--unit=pounds flat r.lmprec|bytes or blocks was expected
1|--metric=peak --unit=blocks flat r.lmprec|of the peak, blocks are not counted
1|--from=start --metric=peak folded r.lmprec|nothing was recorded in between|a range of time has no peak
1|flat 1|process 1: there is no such profiled process
END
    cmp r.lmprec before || fail "the recording was changed"
    ends 2 run --no-live --report=pprof work.lua
    ends 0 run --no-live --report=folded:none --report=json:none.json true
    has err '^lmp: no report in none: nothing was profiled$'
    [ ! -e none ] || fail "an empty report"
    refuses 1 'cannot be written: No space left' report flat r.lmprec -o /dev/full
    mkdir full && lmp report flat r.lmprec -o full/x/y
    is $status 1 "no folder"
    is "$(ls full)" "" "what is left there"
    ;;
counted) # calls, instructions and whose blocks: where the run kept them
    cat >calls.lua <<'END'
local keep = {}
local function make(i) keep[i % 10 + 1] = { i } end
local function run(n) for i = 1, n do make(i) end end
run(1000)
collectgarbage()
END
    LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-live --no-summary --stacks --calls --instructions --overrides \
        --record=c.lmprec calls.lua >out 2>err </dev/null
    lmp report callgrind c.lmprec
    has out '^events: .* Temporary Ir$'
    has out '^calls=1000 2$'
    is "$(awk '/^summary:/ { all = $NF } /^[0-9]/ && !call { sum += $NF } { call = /^calls=/ }
        END { print (all > 10000 && sum == all) }' out)" \
        1 "instructions add up"
    lmp report callgraph c.lmprec
    has out 'make  calls.lua:2 \[[0-9]+\] \{1,000 calls\}'
    lmp report flat c.lmprec
    has out ' 1,000 .*  make  calls.lua:2'
    lmp report memprof c.lmprec
    is "$(awk '/^DEALLOCATIONS/ { d = 1 } d && /^INTERNAL .collector/ { c = 1 }
        d && c && /^\t\t@calls.lua:2, line 2$/ { print 1; exit }' out)" \
        1 "whose blocks the collector freed"
    lmp report --leak-only memprof c.lmprec
    hasnt out '^(RE|DE)?ALLOCATIONS'
    has out '^HEAP SUMMARY:'
    ;;
memprof) # to the byte what the interpreter's sizes say: a string is 24 and its bytes and a NUL, a slot 16, a key's 24
    cat >sizes.lua <<'END'
local function times(text, n)
    return text:rep(n)
end
local function printed(n)
    return ("%d#"):format(n)
end
local function joined(n)
    return n .. "#"
end
collectgarbage("stop")
select("#", table.unpack({}, 1, 200)) string.gsub("z", "z", function() end) -- no stack grows later
local list, keys = {}, {}
for i = 1, 1000 do
    list[i] = times("z", i)
    keys["z" .. i] = true
    printed(i) joined(i)
end
collectgarbage()
END
    # the bytes of strings: the numbers 1 to $1, each with $2 characters more
    strings() { seq "$1" | awk -v more="$2" '{ n += 25 + length($1) + more } END { print n }'; }
    LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-live --no-summary --overrides --report=memprof:m.txt \
        --record=m.lmprec sizes.lua >out 2>err </dev/null
    is $? 0 "the run"
    event() { # SECTION LINE: its events, + and - bytes, and the lines of its overrides
        awk -v want="$1" -v line=", line $2: " '
            /^[A-Z]+$|^HEAP SUMMARY/ { on = $0 == want }
            /^[@I]/ { mine = on && index($0, line) }
            mine && /^@/ { sub(/.*: /, ""); print $1, $3, $5 }
            mine && /^\t\t/ { print "of", $NF }' m.txt | xargs
    }
    is "$(event ALLOCATIONS 2)" "999 +$((999 * 25 + 500499)) -0" "strings; one was there"
    is "$(event ALLOCATIONS 5)" "1000 +$(strings 1000 1) -0" "a text of each number"
    is "$(event ALLOCATIONS 8)" "" "texts that are there already"
    is "$(event ALLOCATIONS 14)" "1 +16 -0" "the first slot"
    is "$(event REALLOCATIONS 14)" "10 +$((16 * 2046)) -$((16 * 1023)) of 14" "an array that doubles"
    is "$(event DEALLOCATIONS 14)" "" "it moves, and is not freed"
    is "$(event DEALLOCATIONS 15)" "10 +0 -$((24 * 1023)) of 15" "a hash part makes way for a larger one"
    is "$(event ALLOCATIONS 15)" "$((2000 + 11)) +$(($(strings 1000 0) + $(strings 1000 1) + 24 * 2047)) -0" \
        "keys and hash parts"
    has m.txt '^INTERNAL \(collector\): [0-9]+ events'
    grep -A9 '^INTERNAL (collector)' m.txt | grep -q 'line 5$' || fail "the collector's overrides"
    has m.txt '^@sizes.lua:0, line 14 holds 16384 bytes: 11 allocs, 10 frees$'
    has m.txt "^@sizes.lua:1, line 2 holds $((999 * 25 + 500499)) bytes: 999 allocs, 0 frees\$"
    hasnt m.txt '^@sizes.lua:4, line 5 holds'
    lmp report memprof m.lmprec
    cmp out m.txt || fail "another memprof of the recording"
    lmp report memprof --leak-only m.lmprec
    sed -n '/^HEAP SUMMARY/,$p' m.txt | cmp - out || fail "--leak-only is not the last section"
    ;;
list)
    ends 0 report --list
    for format in $formats summary; do has out "^  $format  *[a-z]"; done
    # each of them, and no other, is in the documents
    docs=$(dirname "$0")/../../docs
    awk '/^Of a heap/ { exit } /^  / { print $1 }' out | sort >listed
    is "$(sed -n 's/^| `\([a-z]*\)` | .*/\1/p' "$docs/reports.md" | sed '/^live$/d; /^allocated$/d' | sort)" \
        "$(cat listed)" "docs/reports.md"
    while read -r format; do grep -q "^ *$format: " "$docs/lmp.1" || fail "no $format in lmp.1"; done <listed
    has out '^  treemap  *[a-z]'
    ;;
esac
