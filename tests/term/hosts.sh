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
        eval "LD_PRELOAD=$LMP_PRELOAD $LUA -e 'require(\"luamemprofiler\").start{summary=\"s.txt\"}' closed.lua </dev/null >out 2>err $how"
        is $? 0 "status with $how"
        has s.txt 'Maximum memory used'
        n=$(grep -c filler s.txt)
        is "$n" 0 "output in the summary"
        hasnt own.txt 'lmp|Memory|LMPSTATE'
        eval "LD_PRELOAD=$LMP_PRELOAD $LUA -e 'require(\"luamemprofiler\").start()' closed.lua </dev/null >out 2>err $how"
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
    lmp run --no-live --json=r.json -- bash down.sh
    is $status 0 status
    is "$(tr "\n" " " <out)" "done done true done " output
    is "$(cat victim.txt)" precious "the victim"
    is "$(grep -c . err)" 1 "lines of errors"
    has err 'never started a Lua 5.4 state'
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
    lmp run --no-live --json=r.json many.lua
    is $status 0 status
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

[ -n "${1:-}" ] && declare -F "case_$1" >/dev/null || { echo "cases:"; declare -F | sed -n 's/.* case_/  /p'; exit 2; }
"case_$1"
echo "ok: $1"
