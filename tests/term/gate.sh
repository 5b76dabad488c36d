#!/bin/bash
# The limits of `lmp run` and their results, on programs whose memory is known: gate.sh CASE
. "$(dirname "$0")/plain.sh"
mkdir tmp
export TMPDIR=$work/tmp # where snapshots lie meanwhile: nothing may stay there

gate() { # LIMIT...: with these limits, and nothing else on standard error
    local l list=()
    for l in "$@"; do list+=("--limit=$l"); done
    lmp run --no-live --no-summary "${list[@]}" "${script:-known.lua}"
}
cleaned() { is "$(ls tmp)" "" "what is left in the directory for snapshots"; }

known() { # one table of 56 bytes a line, and what is no more than that
    cat >known.lua <<'LUA'
-- one a line
kept = {}
local alone = {}
local released
local co = coroutine.wrap(function()
  local x = {}
  coroutine.yield(x)
end)
co()
for i = 1, 7 do
  released = { i }
end
LUA
}

case_said() { # each limit with its figure; what is broken with its lines; status 3
    known
    gate 'peak 64MiB' 'at known.lua:3 live 56'
    is $status 0 status
    has err '^Limits of known.lua \(pid [0-9]+\): all kept$'
    has err '^  kept    peak 64MiB +[0-9.]+ KiB \([0-9,]+ B\)$'
    has err '^  kept    at known.lua:3 live 56 +56 B$'
    lines err 4
    gate 'peak 1' 'at known.lua:3 live 55' 'allocs 1e6'
    is $status 3 status
    has err ': 2 of 3 broken$'
    has err '^  BROKEN  at known.lua:3 live 55  56 B, 1 B over$'
    has err '^ +56 B  known.lua:3  main chunk$'
    has err '^ +[0-9,]+ B  .*known.lua'
    ends 3 run --no-live --limit='peak 1' known.lua # after the summary
    summary
    is "$(grep -n 'Limits of\|Maximum memory' err | cut -d: -f2 | cut -c1-6 | tr '\n' ,)" '  Maxi,Limits,' order
}

case_exact() { # exactly at the limit is kept, one over is broken: of every figure that repeats itself
    known
    local scope figure got
    for scope in '' 'at known.lua:3 ' 'at known.lua ' 'type table ' 'type thread '; do
        for figure in peak live blocks bytes allocs held; do
            gate "$scope$figure 0"
            got=$(grep -oE '[0-9,]+ B\)|  [0-9,]+( B)?, [0-9]' err | head -1 | grep -oE '[0-9,]+' | head -1 | tr -d ,)
            [ -n "$got" ] || continue
            gate "$scope$figure $got"
            is $status 0 "status at $scope$figure $got"
            gate "$scope$figure $((got - 1))"
            is $status 3 "status at $scope$figure $((got - 1))"
            echo "$scope$figure $got" >>met
        done
    done
    has met '^at known.lua:3 live 56$'
    has met '^at known.lua:3 allocs 1$'
    has met '^at known.lua:3 blocks 1$'
    has met '^at known.lua:3 bytes 56$'
    has met '^type thread live '
    [ "$(wc -l <met)" -ge 24 ] || fail "not all figures: $(cat met)"
    cleaned
}

case_held() { # what globals hold; not what the main program's locals held, however it ends
    local end
    for end in '' 'os.exit(0)' 'os.exit(0, true)' 'do return end' 'coroutine.wrap(function() os.exit(0) end)()'; do
        known
        echo "$end" >>known.lua
        gate 'at known.lua:2 held 56' 'at known.lua:3 held 0' 'at known.lua:11 held 0'
        is $status 0 "status with '$end'"
        gate 'at known.lua:2 held 55'
        is $status 3 "status with '$end'"
        has err '^  BROKEN  at known.lua:2 held 55  56 B, 1 B over$'
    done
    cat >tagged.lua <<'LUA'
local lmp = require "luamemprofiler"
lmp.tag "red"
reds = {}
lmp.tag(nil)
others = {}
collected = setmetatable({}, { __gc = function() end, __mode = "k" })
collected[{}] = {}
LUA
    script=tagged.lua gate 'tag red held 56' 'tag red live 56' 'tag red peak 1KiB' 'tag red allocs 1'
    is $status 0 status
    script=tagged.lua gate 'tag red held 55' 'tag red allocs 0' 'tag blue live 0'
    is $status 3 status
    has err '2 of 3 broken'
    has err '^ +1  tagged.lua:3  main chunk$'
    has err '^  kept    tag blue live 0 +0 B; this tag was never set$'
    script=tagged.lua gate 'at tagged.lua:7 held 0' # a weak key that nobody else holds
    is $status 0 status
    cleaned
    chmod 500 tmp
    TMPDIR=$work/nowhere gate 'held 1GiB' # there is always /tmp
    is $status 0 "status without TMPDIR"
    chmod 700 tmp
    ends 0 run --no-live --no-summary --snapshot=mine.heap --limit='at known.lua:2 held 56' known.lua
    [ -s mine.heap ] || fail "the snapshot that was asked for is gone"
    cleaned
}

case_broken_end() { # the program's own failure goes first; a killed one breaks what needs its end
    known
    echo 'os.exit(5)' >>known.lua
    gate 'peak 1'
    is $status 5 status
    has err BROKEN
    gate 'peak 1GiB'
    is $status 5 status
    known
    echo 'error "oops"' >>known.lua
    gate 'held 1GiB' 'leaks 0'
    is $status 1 status
    has err 'all kept'
    known
    echo "os.execute('kill -KILL ' .. io.open('/proc/self/stat'):read 'a':match '^%d+')" >>known.lua
    (gate 'peak 1GiB' 'held 1GiB' 'leaks 0' 'at known.lua:3 live 56'; exit $status)
    is $? 137 status
    has err ': 2 of 4 broken'
    has err '^  BROKEN  held 1GiB +cannot be told: killed by signal 9 \(SIGKILL\), and this needs'
    has err '^  BROKEN  leaks 0 +cannot be told: killed by signal 9'
    has err '^  kept    peak 1GiB'
    cleaned
}

case_lmp_killed() { # what a killed lmp run leaves behind the next one removes, but nothing of one that still runs
    known
    echo 'io.open("up", "w"):write("up"):close() while not io.open("stop") do os.execute("sleep 0.05") end' >>known.lua
    local first second
    LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-live --no-summary --limit='held 1GiB' known.lua >out.1 2>err.1 </dev/null &
    first=$!
    wait_file up
    mv up up.1
    is "$(ls tmp | wc -l)" 1 'directories of one'
    kill -KILL $first
    wait $first 2>>noise
    is "$(ls tmp | wc -l)" 1 'directories of one that was killed'
    local dead mine
    dead=$(ls tmp)
    echo secret >tmp/"$dead"/end.heap
    mkdir tmp/lmp-gate-open12 # not made by lmp
    chmod 755 tmp/lmp-gate-open12
    LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-live --no-summary --limit='held 1GiB' known.lua >out.2 2>err.2 </dev/null &
    second=$!
    wait_file up
    [ ! -e tmp/"$dead" ] || fail 'the directory of the one that was killed is there still'
    mine=$(cd tmp && echo lmp-gate-??????)
    echo 'x = {}' >short.lua
    script=short.lua gate 'held 1GiB'
    is "$(cd tmp && echo lmp-gate-??????)" "$mine" 'directories while another one runs'
    touch stop
    wait $second
    is $? 0 "status, $(cat err.2)"
    has err.2 '^  kept    held 1GiB '
    [ -d tmp/lmp-gate-open12 ] || fail 'one with other rights is gone'
    rm -rf tmp/lmp-gate-open12
    cleaned
}

case_leaks() { # lines that grow; a run too short to tell is kept, and said
    known
    gate 'leaks 0'
    is $status 0 status
    has err '^  kept    leaks 0  0; the run was too short to tell: '
    cat >leak.lua <<'LUA'
collectgarbage "incremental"
local log = {}
local function request(n) local t = {} for k = 1, 20 do t[k] = "v" .. k .. n end return t end
for i = 1, 40000 do
    request(i)
    if i % 10 == 0 then
        log[#log + 1] = {i}
    end
end
LUA
    script=leak.lua gate 'leaks 0'
    is $status 3 status
    has err '^  BROKEN  leaks 0  [12], '
    has err '^ +[0-9,]+ B  leak.lua:7'
    script=leak.lua gate 'leaks 2'
    is $status 0 status
}

case_children() { # a limit is one for each state
    cat >parent.lua <<'LUA'
local lua = arg[-1]
os.execute(lua .. " child.lua 10")
os.execute(lua .. " child.lua 1000")
LUA
    echo 'kept = {} for i = 1, arg[1] do kept[i] = {} end' >child.lua
    script=parent.lua gate 'at child.lua:1 held 20KiB'
    is $status 3 status
    is "$(grep -c '^Limits of child.lua' err)" 2 "children that are said"
    is "$(grep -c '^Limits of parent.lua' err)" 1 "parents that are said"
    is "$(grep -c 'all kept\|: kept' err)" 2 "of them without fault"
    is "$(grep -c BROKEN err)" 1 "of them broken"
    has err 'nothing was made there'
    echo 'print "no state"' >none.sh
    ends 3 run --limit='peak 1GiB' -- /bin/true
    has err '^  BROKEN  peak 1GiB  cannot be told: no Lua state was profiled$'
    cleaned
}

case_junit() { # a file that readers of XML take, for its owner alone; in the place of what was there
    known
    mv known.lua "a<&'\"b.lua"
    echo old >limits.xml
    chmod 644 limits.xml
    script="a<&'\"b.lua"
    gate 'peak 1' 'leaks 0' "at $script:3 live 56" "tag <![CDATA[]]> live 1"
    expected=$status
    lmp run --no-live --no-summary --junit=limits.xml --limit='peak 1' --limit='leaks 0' \
        --limit="at $script:3 live 56" --limit='tag <![CDATA[]]> live 1' "$script"
    is $status "$expected" status
    is "$(stat -c %a limits.xml)" 600 "the mode of the file"
    is "$(ls limits.xml*)" limits.xml "what is beside it"
    has limits.xml \
        '<testsuite name="memory of [^"]*" tests="4" failures="1" errors="0" skipped="0" time="[0-9]+\.[0-9]+">'
    has limits.xml '<failure type="limit" message="[^"]* over">'
    if command -v xmllint >/dev/null; then
        xmllint --noout limits.xml || fail "no XML"
        is "$(xmllint --xpath 'count(//testcase)' limits.xml)" 4 "test cases"
        is "$(xmllint --xpath 'string(//testcase[3]/@name)' limits.xml)" "at a<&'\"b.lua:3 live 56" "a name"
    else
        echo "xmllint is not installed: not validated"
    fi
    refuses 126 'cannot write nowhere/limits.xml' run --no-live --junit=nowhere/limits.xml --limit='peak 1' "$script"
}

case_wrong() { # one line that says what would be right
    known
    while IFS='|' read -r args words; do
        eval "lmp run --no-live $args known.lua"
        is $status 2 "status of $args"
        lines err 1
        has err "$words"
    done <<'ARGS'
--limit='peek 1'|there is no limit 'peek' \(did you mean peak\?\); there are: peak, live, blocks
--limit='peak'|peak '': a size was expected, such as 64MiB
--limit='allocs x'|a whole number was expected, such as 1e6
--limit='at x.lua:1 leaks 0'|there is no limit 'leaks'; there are: peak
--junit=x.xml|--junit needs a --limit
--junit= --limit='peak 1'|--junit= needs the name of a file
--no-lines --limit='at known.lua:3 live 1'|needs lines: leave out --no-lines
--no-lines --limit='leaks 0'|needs lines: leave out --no-lines
ARGS
    ends 0 run --no-live --no-lines --limit='peak 1GiB' --limit='type table live 1GiB' known.lua
}

play_case "$@"
