#!/bin/bash
# Hosts as they come: with streams closed, few descriptors, strict globals, odd names; the program
# runs as without lmp, and the figures are right: hosts.sh CASE
. "$(dirname "$0")/plain.sh"
export LUA_CPATH="$LMP_BUILD/?.so"

# A program whose figures are known to be about right: 2000 tables of 56 B, with parts of 16.
cat >work.lua <<'LUA'
K = {}
for i = 1, 2000 do K[i] = {i} end
print("done")
LUA
# figure FILE KEY: of a JSON report.
figure() { grep -o "\"$2\":[0-9]*" "$1" | head -n 1 | cut -d: -f2; }
right() {
    [ -s "$1" ] || fail "$1 is not there"
    local n
    n=$(figure "$1" live_bytes)
    if [ "$n" -lt 160000 ] || [ "$n" -gt 260000 ]; then fail "$1: live bytes $n"; fi
    is "$(figure "$1" dropped)" 0 dropped
}

case_closed() { # streams that were closed are not given to anything of ours
    local how n
    for how in '<&-' '>&-' '2>&-' '<&- >&-' '>&- 2>&-' '<&- >&- 2>&-'; do
        rm -f r.json own.txt
        cat >closed.lua <<'LUA'
local f = assert(io.open("own.txt", "w")) -- gets the lowest number
f:write "precious\n" f:flush()
dofile "work.lua"
for i = 1, 20000 do print(("filler"):rep(20)) end
f:close()
LUA
        eval "LD_PRELOAD=$LMP_PRELOAD \"\$LMP\" run --no-live --json=r.json closed.lua </dev/null >out 2>err $how"
        is $? 0 "status with $how"
        right r.json
        case $how in
        *2*) ;;
        *) summary ;;
        esac
        case $how in # a plain file is the first thing that is opened: it gets what is printed
        '<&-' | '2>&-') is "$(cat own.txt)" precious "the program's file with $how" ;;
        *) hasnt own.txt 'lmp|Memory|LMPSTATE' ;;
        esac
        rm -f s.txt
        eval "LD_PRELOAD=$LMP_PRELOAD $LUA -e 'require(\"luamemprofiler\").start{summary=\"s.txt\"}' closed.lua \
            </dev/null >out 2>err $how"
        is $? 0 "status with $how"
        has s.txt 'Maximum memory used'
        n=$(grep -c filler s.txt)
        is "$n" 0 "output in the summary"
        hasnt own.txt 'lmp|Memory|LMPSTATE'
        eval "LD_PRELOAD=$LMP_PRELOAD $LUA -e 'require(\"luamemprofiler\").start()' closed.lua \
            </dev/null >out 2>err $how"
        is $? 0 "status with $how"
        hasnt own.txt 'lmp|Memory|LMPSTATE'
    done
}

case_descendants() { # whose descriptors are others than those of the program that lmp has started
    cat >down.sh <<'SH'
fd=${LMP_RUN%%:*}
eval "exec $fd>&-"
"$LUA" work.lua
eval "exec $fd<>victim.txt"
"$LUA" work.lua
"$LUA" -e 'print(require("luamemprofiler").start{summary = "own.txt"})' work.lua
SH
    echo precious >victim.txt
    export LUA
    ends 0 run --no-live --json=r.json -- bash down.sh
    is "$(tr "\n" " " <out)" "done done true done " output
    is "$(cat victim.txt)" precious "the victim"
    is "$(grep -c . err)" 1 "lines of errors"
    has err 'never started a state of Lua 5'
    has own.txt 'Maximum memory used' # which nothing has taken away
}

case_strict() { # globals that may not be asked for, nor made
    cat >strict.lua <<'LUA'
local lmp = require "luamemprofiler"
arg = nil
setmetatable(_G, { __index = function(_, k) error("variable '" .. k .. "' is not declared", 2) end,
                   __newindex = function(_, k) error("variable '" .. k .. "' is not declared", 2) end })
setmetatable(package.loaded, { __index = error, __newindex = error })
for _, options in ipairs { {}, { stacks = true }, { sample = "1KiB" }, { lines = false } } do
  options.summary = false
  assert(lmp.start(options) == true)
  local t = {}
  for i = 1, 1000 do t[i] = { i } end
  lmp.tag "x"
  lmp.mark()
  assert(lmp.stats { sites = true, functions = true }.mallocs > 2000)
  lmp.stop()
end
print "strict"
LUA
    LD_PRELOAD=$LMP_PRELOAD "$LUA" strict.lua >out 2>err
    is "$(cat out)" strict output
    lmp run --no-live strict.lua
    is "$(cat out)" strict output
}

case_controls() { # a terminal obeys U+0080 to U+009F as it does ESC
    cat >odd.lua <<'LUA'
K = {}
load("for i = 1, 1000 do K[i] = {} end", "=\u{9b}31mRED\u{9d}0;title\u{9c}\27]0;title\7")()
LUA
    lmp run --no-live --json=r.json --name=$'\xc2\x9b31m\x9b' odd.lua
    for f in r.json out err; do
        LC_ALL=C grep -q $'[\x01-\x09\x0b-\x1f\x7f]\|\xc2[\x80-\x9f]' $f && fail "controls in $f"
    done
    has r.json '\\u009b31mRED\\u009d0;title\\u009c\\u001b\]0;title\\u0007'
    has r.json '"program":"\\u009b31m\\ufffd"'
}

case_ended() { # a program that has ended keeps no memory but what its summary needs
    cat >child.lua <<'LUA'
local t = {} for i = 1, 30000 do t[i] = { i } end
if arg[1] == "killed" then os.execute 'kill -9 $PPID' end
if arg[1] == "stopped" then require "luamemprofiler".stop() io.open("stopped", "w"):write "x":close()
    while not io.open "go" do os.execute "sleep 0.05" end end
LUA
    cat >many.sh <<'SH'
for i in 1 2 3 4 5; do $LUA child.lua; $LUA child.lua killed; done 2>/dev/null
$LUA child.lua stopped &
until [ -e go ]; do sleep 0.05; done
wait
SH
    export LUA
    LD_PRELOAD=$LMP_PRELOAD "$LMP" run -- sh many.sh >out 2>err </dev/null &
    local lmp=$!
    wait_file stopped
    large() { # states that have more than 256 KiB
        find /proc/$lmp/fd -lname '/memfd:lmp-state*' -exec stat -Lc %b {} + 2>/dev/null |
            awk '$1 > 512 { n++ } END { print n + 0 }'
    }
    nothing_large() { [ "$(large)" = 0 ]; }
    until_true 'the memory of programs that have ended' nothing_large
    touch go
    wait $lmp
    is "$(grep -c '^Memory of child.lua' err)" 11 summaries
    is "$(grep -c 'Maximum memory used *2' err)" 11 'summaries with figures'
}
case_many() { # more children than there may be descriptors
    echo 'K = {} for i = 1, tonumber(arg[1]) do K[i] = {} end' >child.lua
    cat >many.lua <<'LUA'
for i = 1, 100 do assert(os.execute(('"%s" child.lua %d'):format(os.getenv "LUA", i))) end
local files = {} -- and the program has all that it may have
for i = 1, 70 do files[#files + 1] = io.open "child.lua" end
print(#files > 50 and #files < 64)
LUA
    export LUA
    ulimit -n 64
    ends 0 run --no-live --json=r.json many.lua
    is "$(cat out)" true 'files of the program'
    is "$(grep -c '^Memory of child.lua' err)" 100 summaries
    is "$(grep -c '^Memory of many.lua' err)" 1 summaries
    hasnt err 'could not be read'
    is "$(grep -o '"program":"child.lua"' r.json | wc -l)" 100 'children in the report'
    is "$(grep -o '"dropped":0' r.json | wc -l)" 101 'states whose blocks are all counted'
    (ulimit -n 8 && exec "$LMP" run child.lua) >out 2>err
    is $? 126 status
    is "$(cat err)" 'lmp: cannot start: Too many open files' message
}

case_container() { # where its pid is another one than out here
    local inner listed
    unshare -Urpf --mount-proc true 2>/dev/null || { echo "no pid namespaces here"; exit 77; }
    cat >inside.lua <<'LUA'
local own = io.open("/proc/self/status"):read("a"):match("\nPid:%s*(%d+)")
local f = io.open("up", "w") f:write(own) f:close()
repeat K = {} for i = 1, 1000 do K[i] = { i } end until io.open("stop")
LUA
    LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-live --json=r.json --name=contained -- \
        unshare -Urpf --mount-proc "$LUA" inside.lua >out.run 2>err.run </dev/null &
    wait_file up
    is "$(cat up)" 1 'the pid inside'
    lmp top --list
    has out '^[0-9]+ +RUNNING .*contained'
    listed=$(awk '/contained/ {print $1}' out)
    inner=$(sed -n 's/^NSpid:.*\t//p' "/proc/$listed/status")
    is "$inner" 1 'the pid inside of the listed process'
    [ "/proc/$listed/cwd" -ef . ] || fail "process $listed is a stranger"
    touch stop
    wait
    is "$(figure r.json pid)" "$listed" 'pid in the report'
    has r.json '"ending":"ended"'
}

case_setuid() { # with other rights than who started it: nothing is run that the environment names
    [ "$(id -u)" = 0 ] && [ -z "$LMP_PRELOAD" ] || { echo "needs root, and no preloaded library"; exit 77; }
    cp "$(readlink -f "$(command -v "$LUA")")" secure
    cp "$LMP_BUILD/luamemprofiler.so" .
    chown nobody secure && chmod u+s secure && chmod 755 .
    printf '#!/bin/sh\ntouch "%s/was-run"\n' "$work" >lmp
    chmod 755 lmp
    cat >secure.lua <<'LUA'
local lmp = require "luamemprofiler"
print(select(3, lmp.start { live = true, summary = false }))
local t = {{}}
print(lmp.stats().mallocs > 0)
LUA
    export LUA_CPATH="$work/?.so"
    PATH=$work:$PATH LMP_COMMAND=$work/lmp ./secure secure.lua >out 2>err </dev/null
    is "$(tr '\n' ' ' <out)" 'SECURE true ' 'what start and stats say'
    has err 'without a display: .*setuid'
    [ ! -e was-run ] || fail "the command was run"
}

# A program that takes snapshots under hostile.c; its own view of the lines that keep something is in
# own.txt, the viewers' must be the same.
hostile() {
    [ -z "$LMP_PRELOAD" ] || { echo "needs no preloaded library"; exit 77; }
    cat >victim.lua <<'LUA'
lmp, sys = require "luamemprofiler", require "hostile"
K = {}
function before(n) for i = 1, n do K[#K + 1] = {i} end end
function during(n) for i = 1, n do K[#K + 1] = {i, i} end end
function after(n) for i = 1, n do K[#K + 1] = {i, i, i} end end
function churn() local t = {} for i = 1, 20000 do t[i % 50] = {} end end
function stands() return lmp.stats().lines_end_seconds > 0 end
function settle() for i = 1, 2000 do if not stands() then return end churn() end error "not merged" end
function own()
    local f = io.open("own.txt", "w")
    for _, s in ipairs(lmp.stats { sites = true }.sites) do
        if s.line >= 3 and s.line <= 5 then f:write(s.line, " ", s.live_bytes, "\n") end
    end
    f:close()
    print "alive"
end
before(20000)
LUA
    cat >>victim.lua
    rm -f r.json own.txt s.heap
    LD_PRELOAD=$LMP_BUILD/hostile.so timeout 300 \
        "$LMP" run --no-live --json=r.json victim.lua >out 2>err
    is "$? $(cat out)" '0 alive' "status and output: $(cat err)"
    sed 's/{"source"/\n&/g' r.json |
        sed -n 's/^{"source[^{]*victim.lua","line":\([345]\),[^{]*"live_bytes":\([0-9]*\),"peak_live.*/\1 \2/p' |
        sort -u >theirs.txt
    sort -u own.txt -o own.txt
}

case_maps_refused() { # each call in turn that maps memory: the program lives, and the figures are right
    for pages in '' 'sys.hide()'; do
        hostile <<LUA
$pages
for _, ever in ipairs { false, true } do
    local k = 0
    repeat
        k = k + 1
        sys.refuse(k, ever)
        lmp.snapshot "s.heap"
        during(500)
        settle()
    until sys.refuse(0) < k
    assert(k > 2)
end
after(500)
own()
LUA
        is "$(cat theirs.txt)" "$(cat own.txt)" "the lines, $pages"
        hasnt err 'Figures by line'
    done
}

case_snapshot_closed() { # descriptors closed while it is written, and while it is merged
    local when
    for when in '' 'repeat churn() until io.open "s.heap"' 'settle()'; do
        hostile <<LUA
lmp.snapshot "s.heap"
during(20000)
$when
sys.closeall()
after(20000)
settle()
own()
LUA
        is "$(cat theirs.txt)" "$(cat own.txt)" "the lines, closed after: $when"
    done
    # where the system does not tell whose pages are it is said since when they stand
    hostile <<LUA
sys.hide()
lmp.snapshot "s.heap"
sys.closeall()
after(20000)
for i = 1, 300 do churn() end
assert(stands())
own()
LUA
    has err 'Figures by line      as they were after [0-9.]+ m?s: a snapshot was not finished'
    has r.json '"lines_end_seconds":0\.[0-9]*[1-9]'
    [ "$(cat theirs.txt)" != "$(cat own.txt)" ] || fail 'the lines have gone on'
}

# Programs of the distribution with Lua inside, which look at no LUA_INIT.
case_gringo() {
    [ "$LMP_LUA" = 5.4 ] && [ -z "$LMP_PRELOAD" ] && command -v gringo >/dev/null || exit 77
    cat >table.lp <<'LP'
#script (lua)
clingo = require("clingo")
function f(n)
  local t = {}
  for i = 1, n.number do t[i] = clingo.Number(i) end
  return t
end
#end.
p(@f(3000)).
LP
    gringo --text table.lp >plain.txt
    lmp run --no-live --json=r.json -- gringo --text table.lp
    is $status 0 status
    cmp out plain.txt || fail 'what it prints'
    jq -e '.sites[] | select(.line == 5 and .allocs > 3000)' r.json >/dev/null || fail "lines: $(jq -c .sites r.json)"
}

# lighttpd, whose states are in its plug-in's memory while it waits, run by lmp and attached to.
case_lighttpd() {
    local modules=/usr/lib/lighttpd server
    [ "$LMP_LUA" = 5.4 ] && [ -z "$LMP_PRELOAD" ] && [ -e $modules/mod_magnet.so ] || exit 77
    cat >page.lua <<'LUA'
local t = {}
for i = 1, 200 do t[i] = { i } end
lighty.content = { "hello" }
return 200
LUA
    cat >server.conf <<CONF
server.modules = ("mod_magnet")
server.document-root = "$work"
server.bind = "$work/socket"
magnet.attract-raw-url-to = ("$work/page.lua")
CONF
    ask() { [ "$(curl -s -m 5 --unix-socket socket http://here/)" = hello ]; }
    asked() { jq -e '.sites[] | select(.line == 2 and .allocs >= 400)' "$1" >/dev/null 2>&1; }
    "$LMP" run --no-live --json=r.json -- lighttpd -D -f server.conf >out 2>err &
    server=$!
    until_true 'an answer' ask
    kill -INT $!
    wait $server
    asked r.json || fail "lines: $(jq -c .sites r.json)"
    lighttpd -D -f server.conf >out 2>err &
    server=$!
    until_true 'an answer' ask
    "$LMP" attach --no-live --wait=60 $server >said 2>&1 &
    attached() { ask && [ -s said ]; }
    until_true 'an end of attach' attached
    if grep -Eq 'not permitted to trace|lets a process trace only' said; then exit 77; fi
    ask || fail 'no answer'
    "$LMP" report json $server -o live.json >>said 2>&1
    asked live.json || fail "attached: $(cat said)"
    kill $server
}

play_case "$@"
