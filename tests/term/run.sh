#!/bin/bash
# `lmp run` and `lmp top` without a terminal: statuses, streams, environment, reports: run.sh CASE
. "$(dirname "$0")/plain.sh"

case_status() {
    echo 'print(#arg, arg[1], arg[2]) os.exit(tonumber(arg[1]))' >exit.lua
    ends 0 run exit.lua 0 'a b'
    is "$(cat out)" "2	0	a b" "the script's output"
    summary
    ends 3 run exit.lua 3
    has err 'xited with status 3'
    ends 4 run -- exit.lua 4
    echo 'os.exit(5, true)' >close.lua
    ends 5 run close.lua
    summary
    echo 'error "oops"' >error.lua
    ends 1 run error.lua
    has err 'oops'
    summary
    echo 'coroutine.wrap(function() os.exit(6) end)()' >co.lua
    ends 6 run co.lua
    summary
    echo 'setmetatable({}, { __gc = function() error "in gc" end }) collectgarbage() print "on"' >gc.lua
    ends 0 run gc.lua
    is "$(cat out)" on output
    summary
}

case_signals() { # the same signal ends lmp run; what was sent to it reaches the program
    for s in KILL TERM ABRT SEGV; do
        echo "os.execute('kill -$s ' .. io.open('/proc/self/stat'):read 'a':match '^%d+')" >kill.lua
        (lmp run kill.lua; exit $status)
        is $? $((128 + $(kill -l $s))) "status after SIG$s"
        has err "illed by signal $(kill -l $s) \(SIG$s\)"
        summary
    done
    echo 'io.open("up", "w"):write("up"):close() while true do local t = {} end' >loop.lua
    for s in TERM INT HUP; do
        rm -f up
        # A job of its own: a shell script's background jobs ignore SIGINT otherwise.
        set -m
        LD_PRELOAD=$LMP_PRELOAD "$LMP" run loop.lua >out 2>err </dev/null &
        job=$!
        set +m
        wait_file up
        kill -$s $job
        wait $job
        got=$?
        case $s in
        INT) is $got 1 "status after SIGINT"; has err 'interrupted!' ;;
        *) is $got $((128 + $(kill -l $s))) "status after SIG$s" ;;
        esac
        summary
    done
}

case_closing() { # a finalizer starts a profile while lua_close is under way, after ours has run
    cat >closing.lua <<'LUA'
X = setmetatable({}, { __gc = function()
    print(select(3, lmp.start { summary = false }))
    for _ = 1, 1000 do Y = {} end
end })
lmp = require "luamemprofiler"
if arg[1] then lmp.start { summary = false } end
LUA
    for started in '' yes; do
        LUA_CPATH="$LMP_BUILD/?.so" LD_PRELOAD=$LMP_PRELOAD "$LUA" closing.lua $started >out 2>err
        is $? 0 status
        is "$(cat out)" CLOSED "what start() says"
        lines err 1
    done
}

case_refused() { # what the environment refuses: one line; a reader that has gone changes nothing
    echo 'print "on"' >x.lua
    status=$(ulimit -f 1; LD_PRELOAD=$LMP_PRELOAD "$LMP" run x.lua >out 2>err </dev/null; echo $?)
    is "$status" 0 status
    is "$(cat out)" on output
    lines err 1
    has err 'runs unprofiled'
    echo 'require "luamemprofiler".start { summary = "/dev/full" }' >full.lua
    LUA_CPATH="$LMP_BUILD/?.so" LD_PRELOAD=$LMP_PRELOAD "$LUA" full.lua 2>err
    is $? 0 status
    lines err 1
    has err '/dev/full: cannot write'
    echo 'require "luamemprofiler".start() while not io.open "gone" do end os.exit(7, true)' >gone.lua
    echo 'while not io.open "gone" do end os.exit(7, true)' >gone2.lua
    for how in "env LUA_CPATH=$LMP_BUILD/?.so $LUA gone.lua" "$LMP run gone2.lua"; do
        rm -f gone status
        { LD_PRELOAD=$LMP_PRELOAD $how 2>&1; echo $? >status; } | exec true &
        touch gone
        wait_file status
        is "$(cat status)" 7 "status of $how when nobody reads"
    done
}

# A process that has ended, reaped or not, has nothing open any more.
holds_no_files() { [ -z "$(ls "/proc/$1/fd" 2>/dev/null)" ]; }
case_writeout() { # what cannot be written is said in one line, by every command; a reader may go
    echo 'local t = {} for i = 1, 3000 do t[i % 500] = { i, "x" .. i } end' >x.lua
    ends 0 run --no-live --no-summary --stacks --record=a.lmprec --snapshot=a.heap x.lua
    cat >commands <<'END'
help
--help
help --man
report --help
--version
report --list
report flat a.lmprec
report summary a.lmprec
report html a.lmprec
report pprof a.lmprec
report json a.heap
report treemap a.heap
dump a.lmprec
dump --parts a.lmprec
dump a.heap
diff a.lmprec a.lmprec
diff --json a.lmprec a.lmprec
diff --html a.lmprec a.lmprec
diff a.heap a.heap
diff --json a.heap a.heap
doctor --only=constructors.lua --modes=default
record cut a.lmprec -o b.lmprec
END
    while read -r -a words; do
        what=${words[*]}
        run() { LD_PRELOAD=$LMP_PRELOAD "$LMP" "${words[@]}" </dev/null 2>err; }
        run >/dev/full
        is $? 1 "status of lmp $what, on a full disk"
        is "$(cat err)" 'lmp: standard output: cannot be written: No space left on device' "lmp $what"
        (exec >&-; run)
        is $? 1 "status of lmp $what, with a closed output"
        is "$(cat err)" 'lmp: standard output: cannot be written: Bad file descriptor' "lmp $what"
        # Nobody reads from the first byte on: by the signal, or where it is ignored by the error.
        rm -f gone code
        { until [ -e gone ]; do sleep 0.02; done; run; echo $? >code; } | exec true &
        until_true 'the end of the reader' holds_no_files $!
        touch gone
        wait_file code
        is "$(cat code) $(cat err)" '141 ' "lmp $what without a reader"
        rm -f gone code
        (trap '' PIPE; until [ -e gone ]; do sleep 0.02; done; run; echo $? >code) | exec true &
        until_true 'the end of the reader' holds_no_files $!
        touch gone
        wait_file code
        is "$(cat code) $(cat err)" '1 ' "lmp $what without a reader, SIGPIPE ignored"
    done <commands
}

case_no_room() { # files on a full disk: each is said in one line, and nothing is left behind
    echo 'local t = {} for i = 1, 3000 do t[i] = { i, "x" .. i } end' >x.lua
    ends 0 run --no-live --no-summary --stacks --record=a.lmprec x.lua
    # As small as a disk can be, in a namespace of its own.
    cat >small.sh <<'SH'
mkdir -p small && mount -t tmpfs -o size=16k none small || exit 77
head -c 16384 /dev/zero >small/fill
export LD_PRELOAD=$LMP_PRELOAD
"$LMP" record cut a.lmprec -o small/x >out.cut 2>err.cut
echo $? >status.cut
"$LMP" report html a.lmprec -o small/x >out.report 2>err.report
echo $? >status.report
"$LMP" diff --html a.lmprec a.lmprec -o small/x >out.diff 2>err.diff
echo $? >status.diff
"$LMP" run --no-live --no-summary --limit='peak 1GiB' --junit=small/x x.lua >out.junit 2>err.junit
echo $? >status.junit
"$LMP" run --no-live --no-summary --report=html:small/x x.lua >out.html 2>err.html
echo $? >status.html
ls -A small >left
for report in json summary; do # which are written to what is there
    "$LMP" run --no-live --$report=small/x x.lua >out.$report 2>err.$report
    echo $? >status.$report
done
SH
    status=0
    LMP=$LMP LMP_PRELOAD=$LMP_PRELOAD unshare -rm sh small.sh 2>why || status=$?
    if [ $status = 77 ] || grep -q '^unshare:' why; then
        echo "no small file system could be made here: $(cat why)"
        return
    fi
    is "$(cat left)" fill 'left behind'
    for what in cut report diff; do
        lines err.$what 1
        has err.$what '^lmp: small/x: .*No space left on device$'
        is "$(cat out.$what status.$what)" 1 "status of $what"
    done
    for what in junit html json summary; do # the program is not to blame
        is "$(grep -c '^lmp: cannot write small/x: No space left on device$' err.$what)" 1 "the message of $what"
        is "$(cat out.$what status.$what)" 0 "status of $what"
    done
}

case_cannot() {
    refuses 127 '' run ./no-such-command-here
    refuses 127 'no-such-command-here' run -- no-such-command-here
    ends 1 run no-such-script.lua
    mkdir directory
    refuses 126 '' run -- ./directory
    refuses 126 '' run --summary=/no/such/directory/file x.lua
    refuses 126 '^lmp: cannot write /no/such/file: No such file or directory$' run --snapshot=/no/such/file x.lua
    ln -s x.lua link
    refuses 126 '^lmp: cannot write link: what is there is no plain file, and is not replaced$' \
        run --snapshot=link x.lua
    refuses 126 '^lmp: cannot write .: Is a directory$' run --snapshot=. x.lua
    refuses 2 '' run --snapshot= x.lua
    refuses 2 '' run
    if [ -z "$LMP_PRELOAD" ] && unshare -rm true 2>/dev/null; then # a sanitizer needs /proc itself
        unshare -rm sh -c 'mount -t tmpfs none /proc && exec "$0" run x.lua' "$LMP" 2>err
        is "$(cat err)" 'lmp: /proc is not there (mount it): lmp cannot tell where its Lua module is' 'without /proc'
    fi
    refuses 2 '0.1 to 60' run --fps=900 x.lua
    local option
    for option in --sample=1000 --sample=x --sample=1KiBs --sample=2TiB --sample=-1; do
        refuses 2 "lmp run: $option: a size from 1KiB on was expected" run $option x.lua
    done
    for option in --top=x --top=-1 --top=1001 --top=1.5; do
        refuses 2 "lmp run: $option: a whole number from 0 to 1000 was expected" run $option x.lua
    done
    refuses 2 '--stacks needs lines' run --no-lines --stacks x.lua
    refuses 2 '--sample needs lines' run --sample=1MiB --no-lines x.lua
    refuses 2 '' run --sample
    refuses 2 'bogus' run --bogus x.lua
    refuses 2 '' nonsense
}

case_meant() { # what was nearly right: the words that would have been
    local words
    echo 'print(...)' >x.lua
    while IFS='|' read -r words meant; do
        refuses 2 "$meant" $words
    done <<'END'
x.lua a b|there is no command x.lua; did you mean: lmp run x.lua a b$
missing.lua|did you mean: lmp run missing.lua$
--stacks --top=3 x.lua|did you mean: lmp run --stacks --top=3 x.lua$
rnu x.lua|there is no command rnu; did you mean: lmp run x.lua$
docter|did you mean: lmp doctor$
run --stack x.lua|unknown option --stack; did you mean --stacks\? \(see
run --sampel=1MiB x.lua|did you mean --sample\?
run --smaple x.lua|did you mean --sample\?
top --lsit|did you mean --list\?
END
    for words in 'nonsense' 'run --bogus x.lua' 'run -x x.lua' 'run --=1 x.lua' '- x.lua' '-' 'help nonsense'; do
        refuses 2 '' $words
        if grep -q 'did you mean' err; then fail "a guess at '$words'"; fi
    done
}

case_next() { # the summary's next lines can be typed as they are: options, quotes and all
    echo 'local t = {} for i = 1, 100 do t[i] = {} end print(#arg, arg[1], arg[2])' >'a b.lua'
    lmp run --top 3 --no-live --name=some 'a b.lua' "it's" '$HOME'
    is "$(cat out)" "2	it's	\$HOME" arguments
    has err "^  Next:  lmp run --live --top 3 --name=some 'a b.lua' "
    has err "^         lmp run --stacks --top 3 --name=some 'a b.lua' .*  who called"
    PATH="$LMP_BUILD:$PATH" LD_PRELOAD=$LMP_PRELOAD \
        bash -c "$(sed -n 's/^         \(lmp run --json .*\)  the same.*/\1/p' err)" >out 2>again </dev/null
    has out "^2	it's	\\\$HOME\$"
    has again '^\{"program":"some"'
    lmp run --stacks -- "$LUA" 'a b.lua'
    has err "^  Next:  lmp run --live --stacks -- $LUA 'a b.lua'  watch it"
    if grep -q 'lmp run --stacks' err; then fail 'it is offered what it had'; fi
    lmp run 'a b.lua' $'\e[31m'
    if grep -q $'\e' err; then fail 'an escape sequence in the summary'; fi
    has err '^  Next:  lmp run --live '
}

case_adopted() { # a script that starts the profiler itself runs unchanged under lmp run
    cat >own.lua <<'LUA'
local lmp = require("luamemprofiler")
print(lmp.start({ live = true }), pcall(lmp.start))
print(math.type(lmp.stop().mallocs), pcall(lmp.stop))
LUA
    LUA_CPATH="/nowhere/?.so" ends 0 run own.lua # the module that is there already
    has out '^true	false	.*already running'
    has out '^integer	false	.*not running'
    is "$(grep -c '^Memory of' err)" 1 summaries
}

case_options() { # what lmp run is told reaches the profile
    cat >x.lua <<'LUA'
local s = require("luamemprofiler").stats { sites = true, tree = true }
print(s.lines, s.stacks, s.sample, #s.sites > 0, s.tree ~= nil)
LUA
    export LUA_CPATH="$LMP_BUILD/?.so"
    lmp run x.lua
    has out '^(exact|approximate)	false	nil	true	false$'
    lmp run --no-lines x.lua
    has out '^off	false	nil	false	false$'
    lmp run --no-lines --lines --stacks x.lua
    has out '^(exact	true	nil	true	true|approximate	false	nil	true	false)$'
    lmp run --sample=64k --name='a  name' x.lua
    has out '^(exact|approximate)	(true|false)	65536	'
    has err 'a  name \('
    lmp run --sample=0 --stacks x.lua
    has out '	nil	'
    export LMP_REGS_SEED=none # as where nothing is known: said, and no line of the program's more
    lmp run --stacks --sample=64k --json=refused.json x.lua
    unset LMP_REGS_SEED
    is $status 0 status
    has out '^approximate	false	nil	true	false$'
    has err '^  No call paths        this interpreter keeps calls in an unknown way$'
    has err '^  Not sampled          not possible on this processor: all counted$'
    has refused.json '"stacks_why":"this interpreter[^"]*","sample_why":"not possible on this processor"'
    if grep -q '^lmp:' err; then fail 'lmp run says it twice'; fi
    echo 'k = {} for i = 1, 300 do k[#k + 1] = {}; k[#k + 1] = "x" .. i end k.f = function() end' >many.lua
    echo 'k.l = {1}' >>many.lua
    lmp run --top=0 many.lua
    summary
    if grep -q 'many.lua:[0-9]' err; then fail "--top=0 shows sites"; fi
    lmp run --top=1 many.lua
    is "$(grep -c 'many.lua:[0-9]' err)" 1 'sites with --top=1'
    unset LUA_CPATH
}

case_not_lua() { # one clear line for a command that never starts a Lua state
    ends 0 run -- true
    lines err 1
    has err 'true never started a state of Lua 5.*; .*lmp run -- lua5.4'
    ends 9 run -- sh -c 'exit 9'
    lines err 1
    echo 'print "yes"' >in.lua
    lmp run -- lua5.4 -E in.lua
    lines err 1
    has err 'lua5.4 -E ignores the environment'
    printf '#!/bin/sh\n# lua\nexit 0\n' >tool
    chmod +x tool
    lmp run -- ./tool
    lines err 1
    echo '#!/usr/bin/env lua5.1' >old
    chmod +x old
    lmp run -- ./old || true
    has err 'lmp run -- lua5.4 ./old'
}

case_init() { # the user's own LUA_INIT, both variables, both forms
    echo 'print(x, y)' >x.lua
    echo 'x = "file"' >init.lua
    LUA_INIT='x = "init"' lmp run x.lua
    is "$(cat out)" 'init	nil' 'LUA_INIT'
    LUA_INIT='x = "init"' LUA_INIT_5_4='x = "init54"' lmp run x.lua
    is "$(cat out)" 'init54	nil' 'LUA_INIT_5_4 over LUA_INIT'
    LUA_INIT=@init.lua lmp run x.lua
    is "$(cat out)" 'file	nil' 'LUA_INIT=@file'
    LUA_INIT_5_4=@init.lua lmp run x.lua
    is "$(cat out)" 'file	nil' 'LUA_INIT_5_4=@file'
    summary
    LUA_INIT='x = (' ends 1 run x.lua
    LUA_INIT='x = (' "$LUA" x.lua 2>plain
    is "$(grep -o 'LUA_INIT:1:.*' err | head -1)" "$(grep -o 'LUA_INIT:1:.*' plain)" 'its message'
    LUA_INIT=@no-such-file ends 1 run x.lua
    LUA_INIT='x = "init"' lmp run -- "$LMP" run x.lua
    is "$(cat out)" 'init	nil' 'lmp run within lmp run'
}

case_reports() {
    echo 'print "out"' >x.lua
    lmp run --summary=sum x.lua
    is "$(cat out)" out output
    lines err 0
    has sum 'Maximum memory used'
    lmp run --no-summary x.lua
    lines err 0
    lmp run --json=j x.lua
    summary
    has j '^\{'
    lmp run --json --summary=j2 x.lua
    has j2 '^\{'
    lmp run --json --json=j3 x.lua # the last one of a kind holds
    summary
    has j3 '^\{'
    lmp run --json=j4 --json x.lua
    has err '^\{'
    [ ! -s j4 ] || fail "written twice"
    lmp run --no-summary --json x.lua
    lines err 0
    if grep -q '"tree"' j; then fail 'a tree without --stacks'; fi
    cat >calls.lua <<'LUA'
local function leaf(n) local t = {} for i = 1, n do t[i] = {} end return t end
keep = { leaf(300), coroutine.wrap(function() return leaf(20) end)() }
LUA
    lmp run --stacks --json calls.lua
    if grep -q '"stacks":true' err; then # each node after its caller, and the first retains what all made
        cat >tree.lua <<'LUA'
local text = io.read "a":match '"tree":(%b[])'
local of, nodes, sum = {}, 0, 0
for node in text:sub(2, -2):gmatch "%b{}" do
    local parent = tonumber(node:match '"parent":(%d+)')
    assert((parent == nil) == (nodes == 0) and (parent or -1) < nodes, node)
    local function live(key) return tonumber(node:match('"' .. key .. '":(%b{})'):match '"live_bytes":(%d+)' or 0) end
    sum = sum + live "shallow" -- what is 0 is left out
    of[nodes] = node:find '"retained"' and live "retained" or live "shallow"
    nodes = nodes + 1
end
print(nodes > 5 and of[0] == sum and text:find '"coroutine":true' ~= nil)
LUA
        is "$("$LUA" tree.lua <err)" true 'the call tree'
    fi
    lmp run --name='Fred  the Lua' x.lua
    has err 'Fred  the Lua \('
    # Two states: the program's and a child's.
    echo 'os.execute((os.getenv "LUA") .. " x.lua")' >two.lua
    LUA=$LUA lmp run --json two.lua
    is "$(cut -c 1-12 err)" "$(printf '%s\n' '[' '{"program":"' ',{"program":' ']')" 'JSON of two states'
    LUA=$LUA lmp run two.lua
    is "$(grep -c 'Maximum memory used' err)" 2 'summaries'
}

case_keys() { # JSON has every field that lmp.stats() has, and few more
    command -v jq >/dev/null || { echo 'jq is not there: skipped'; exit 77; }
    cat >keys.lua <<'END'
local lmp, keep = require "luamemprofiler", {}
local function grow(n) lmp.tag "growing" for i = 1, n do keep[i] = table.concat({ i, "x" }, "-") end end
coroutine.wrap(function() grow(2000) end)()
for i = 1, 1000 do keep[i] = nil end
collectgarbage()
lmp.frame "one" grow(500) lmp.frame() collectgarbage()
local seen = {}
local function walk(t, path)
    for k, v in pairs(t) do
        local at = path .. (math.type(k) == "integer" and "*" or k)
        at = at:gsub("^tree.*%.children%.%*", "tree.*"):gsub("^tree%.(%l)", "tree.*.%1")
        if not at:find "children$" then seen[at] = true end
        if type(v) == "table" then walk(v, at .. ".") end
    end
end
walk(lmp.stats { sites = true, functions = true, tags = true, tree = true, edges = true, overrides = true }, "")
local list = {}
for path in pairs(seen) do list[#list + 1] = path end
table.sort(list)
io.open("stats", "w"):write(table.concat(list, "\n"), "\n"):close()
END
    ends 0 run --stacks --calls --instructions --overrides --no-summary --json=j keys.lua
    jq -r '[paths | map(if type == "number" then "*" else . end) | join(".")] | unique[]' j | LC_ALL=C sort -u >json
    LC_ALL=C sort -u stats -o stats
    for f in edges.\*.calls overrides.\*.made.line sites.\*.instructions functions.\*.calls \
        tree.\*.shallow.live_bytes; do
        grep -qx "$f" stats || fail "lmp.stats() lacks $f"
    done
    sed -i '/^tree\.\*\.\(func\|short_src\)$/d' stats # those of `functions`, by their place
    is "$(LC_ALL=C comm -23 stats json)" '' 'what lmp.stats() has and JSON has not'
    LC_ALL=C comm -13 stats json | grep -vxE >extra \
        'program|pid|lua|ending|verdicts.*|leaks.*|tree\.\*\.(parent|function)|[a-z]*_why|sample|worst_frames\.\*\.name'
    is "$(cat extra)" '' 'what JSON has and lmp.stats() has not'
}
case_tables() { # sites, functions and tags in the summary, also of a program that was killed
    printf '%s\n' 'local function keep(t) t[#t + 1] = ("x"):rep(1000) .. #t end' \
        'local t = {}' 'for i = 1, 2000 do keep(t) end' \
        'if arg[1] then os.execute("kill -9 " .. io.open("/proc/self/stat"):read "a":match "^%d+") end' >keep.lua
    lmp run keep.lua
    has err "keep.lua:1 .*'keep'"
    has err 'Leaks  .*full cycle'
    hasnt err 'retained'
    (lmp run --stacks keep.lua kill; exit $status)
    is $? 137 status
    has err "keep.lua:1 .*'keep'"
    has err '2\.. MiB +(100|9[89])%  local .keep. +keep.lua:1'
    has err '100%  main chunk +keep.lua'
    lmp run --top=0 keep.lua
    hasnt err 'keep.lua:1 +local'
    has err 'Leaks'
    lmp run --no-lines keep.lua
    hasnt err 'keep.lua:1|Leaks'
    lmp run --json --stacks keep.lua
    has err '"sites":\[\{"source":"@keep.lua","short_src":"keep.lua","line":1,'
    has err '"retained":\{"allocs":[1-9]'
    echo 'local l = require "luamemprofiler" l.tag "mine" dofile "keep.lua" l.tag()' >tagged.lua
    LUA_CPATH="$LMP_BUILD/?.so" lmp run tagged.lua
    has err ' (100|9[0-9])%  +[0-9.]+ MiB +[0-9]+%  mine$'
    has err '\(untagged\)$'
}

case_leaks() { # what grows is named, what has filled up is not; and the same words everywhere
    cat >leak.lua <<'END'
local log = {}
local function request(n) local t = {} for k = 1, 20 do t[k] = "v" .. k .. n end return t end
for i = 1, 40000 do
    local r = request(i)
    if i % 10 == 0 then
        log[#log + 1] = {i}
    end
end
END
    cat >fills.lua <<'END'
local cache = {}
for i = 1, 400000 do
    local s = ("y"):rep(200) .. i
    if i <= 5000 then cache[i] = {s} end
end
END
    echo 'local t = {} for i = 1, 1000 do t[i] = {} end' >short.lua
    # Minor cycles tell nothing: here each full one is asked for.
    echo 'local n = 0 collectgarbage "generational"
        debug.sethook(function() n = n + 1 if n % 3 == 0 then collectgarbage() end end, "", 100000)
        dofile(arg[1])' >generational.lua
    echo 'collectgarbage "incremental" dofile(arg[1])' >incremental.lua
    for mode in incremental generational; do
        lmp run --json=leaks.json $mode.lua leak.lua
        has err 'Leaks +leak.lua:6 grows by [0-9.]+ [KM]?i?B a full cycle, [0-9.]+ [KMG]?i?B/s$'
        words=$(sed -n 's/^  Leaks  *//p' err)
        grep -qF "\"leaks\":{\"growth\":\"found\"," leaks.json || fail "growth in JSON"
        grep -qF "\"verdict\":\"$words\"" leaks.json || fail "verdict in JSON is not: $words"
        lmp run --json=leaks.json $mode.lua fills.lua
        has err 'Leaks +no growth over the last [0-9,]+ full cycles$'
        grep -qF '"leaks":{"growth":"none",' leaks.json || fail "no growth in JSON"
    done
    lmp run --json=leaks.json short.lua
    has err 'Leaks +the run was too short to tell: [0-9]+ of [0-9]+ full cycles$'
    hasnt err 'yet|more full'
    grep -qF '"leaks":{"growth":"cannot tell yet",' leaks.json || fail "cannot tell yet in JSON"
    lmp run generational.lua leak.lua
    has err 'Garbage collection +[0-9,]+ cycles \([0-9,]+ full\), '
}

case_example() { # the example leaks: it is never said that nothing grows
    lmp run "$LMP_SOURCE/lua/example/options.lua" 0.2
    hasnt err "no growth"
    local line='options.lua:[0-9]+'
    has err "Leaks +([0-9]+ sites grow, most .*$line by|the run was too short to tell: |.*$line grows )"
}

case_streams() { # without display nothing of the streams changes; --live without a terminal is told
    echo 'io.write(io.read "a") io.stderr:write "E"' >cat.lua
    head -c 100000 /dev/urandom >in
    LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-summary cat.lua <in >out 2>err || fail status
    cmp in out || fail "input to output has changed"
    is "$(cat err)" E stderr
    LD_PRELOAD=$LMP_PRELOAD setsid -w "$LMP" run --live cat.lua <in >out 2>err || fail status
    cmp in out || fail "input to output has changed"
    has err 'without a display'
    summary
}

case_chld_ignored() { # supervisors start what they start with SIGCHLD ignored
    echo 'for l in io.lines "/proc/self/status" do if l:find "SigIgn" then print(l) end end os.exit(5)' >chld.lua
    LD_PRELOAD=$LMP_PRELOAD timeout 60 env --ignore-signal=CHLD "$LMP" run --no-live chld.lua >out 2>err
    is $? 5 status
    summary
    grep -Eq 'SigIgn:.*1....$' out || fail "SIGCHLD is not ignored in the program: $(cat out)"
}

case_file_limit() { # of file sizes: neither program nor lmp run is killed by what lmp writes
    echo 'local t = {} for i = 1, 1000 do t[i] = {} end' >limit.lua
    (
        trap '' XFSZ # of this shell; not of what it starts
        truncate -s 420M big # as a log that has reached the limit
        ulimit -f 430080
        LD_PRELOAD=$LMP_PRELOAD timeout 60 env --default-signal=XFSZ "$LMP" run --no-live limit.lua 2>>big
        echo "run=$?"
        LUA_CPATH="$LMP_BUILD/?.so" LD_PRELOAD=$LMP_PRELOAD env --default-signal=XFSZ "$LUA" -e \
            'require "luamemprofiler".start() local t = {}' 2>>big
        echo "start=$?"
        ulimit -f 0
        LD_PRELOAD=$LMP_PRELOAD timeout 60 env --default-signal=XFSZ "$LMP" run --no-live --json=json \
            limit.lua 2>&1
        echo "none=$?"
    ) | cat >out
    has out 'run=0'
    has out 'start=0'
    has out 'none=0'
    has out 'cannot write json'
}

case_fifo() { # a summary to a FIFO: is read, or is not, and nobody waits for ever
    echo 'local t = {}' >fifo.lua
    mkfifo pipe
    LD_PRELOAD=$LMP_PRELOAD timeout 60 "$LMP" run --no-live --summary=pipe fifo.lua 2>err
    is $? 0 status
    has err 'nobody reads it'
    cat pipe >got &
    LD_PRELOAD=$LMP_PRELOAD timeout 60 "$LMP" run --no-live --summary=pipe fifo.lua 2>err
    is $? 0 status
    wait
    has got 'Maximum memory used'
    LUA_CPATH="$LMP_BUILD/?.so" LD_PRELOAD=$LMP_PRELOAD timeout 60 "$LUA" -e \
        'require "luamemprofiler".start { summary = "pipe" } local t = {}' 2>err
    is $? 0 status
    has err 'pipe'
}

# The document with its tables as the source has them.
with_tables() {
    local line name
    while IFS= read -r line; do
        printf '%s\n' "$line"
        name=${line#'<!-- table '}
        [ "$name" != "$line" ] || continue
        name=${name%%:*}
        echo "$name" >>tables
        echo
        LD_PRELOAD=$LMP_PRELOAD "$LMP" help --table="$name" >plain || fail "$1 wishes for a table $name"
        "$LUA" "$LMP_SOURCE/tests/term/table_as_list.lua" <plain || fail "no list of $name"
        echo
        while IFS= read -r line && [ "$line" != '<!-- end of table -->' ]; do :; done
        printf '%s\n' "$line"
    done <"$1"
}

# Where a link of a document leads to: a file, or a heading of one.
dead_links() {
    "$LUA" - "$@" <<'LUA'
local function read(path)
    local file = io.open(path)
    local text = file and file:read "a"
    if file then file:close() end
    return text
end
local function anchors(text)
    local known = {}
    for title in text:gsub("```.-\n```", ""):gmatch "\n#+ ([^\n]+)" do
        title = title:lower():gsub("[^%w%s_-]", ""):gsub(" ", "-")
        known[title] = true
    end
    return known
end
local links = 0
for _, path in ipairs(arg) do
    local text = assert(read(path))
    for target in text:gmatch "%]%(([^)%s]+)%)" do
        local name, anchor = target:match "^([^#]*)#?(.*)$"
        local file = name == "" and path or path:gsub("[^/]*$", "") .. name
        local there = read(file)
        links = links + 1
        if not there and not target:find "^https?:" then print(path .. ": " .. target) end
        if there and anchor ~= "" and not anchors(there)[anchor] then print(path .. ": " .. target) end
    end
end
if links < 40 then print("too few links: " .. links) end
LUA
}

case_readme() { # what README.md and docs/ list is what there is: options, fields, links
    local documents=("$LMP_SOURCE"/README.md "$LMP_SOURCE"/docs/*.md) name
    for name in "${documents[@]}"; do
        with_tables "$name" >made
        if [ -n "${GENERATE:-}" ] && ! cmp -s made "$name"; then cat made >"$name"; fi
        cmp made "$name" || fail "a table of $name differs from that of the source (GENERATE=1 makes it)"
    done
    lmp help --table
    is "$(sort tables)" "$(sort out)" "tables that documents have: each one once"
    ends 2 help --table=wrong
    is "$(dead_links "${documents[@]}")" "" "links that lead nowhere"
    printf 'x\n# A b\n[a](#a-b) [b](#no) [c](none.md)\n' >link.md
    is "$(dead_links link.md)" "$(printf '%s\n' 'link.md: #no' 'link.md: none.md' 'too few links: 3')" "what it finds"
    documents=("$LMP_SOURCE"/README.md "$LMP_SOURCE"/docs/{api,display}.md)
    LUA_CPATH="$LMP_BUILD/?.so" LD_PRELOAD=$LMP_PRELOAD "$LUA" - >names 2>err <<'LUA' || fail "no stats"
local lmp = require "luamemprofiler"
lmp.start { summary = false, stacks = true, sample = 1024 }
lmp.tag "a"
local keep = table.concat { "a", "b", 1 }
local stats = lmp.stats { sites = true, functions = true, tags = true, tree = true }
for name in pairs(lmp) do print(name) end
for _, rows in ipairs { stats.sites, stats.functions, stats.tags, { stats.tree } } do
    for _, row in ipairs(rows) do
        for name, value in pairs(row) do
            print(name)
            if name == "here" then for sub in pairs(value) do print(sub) end end
        end
    end
end
for name in pairs(stats) do print(name) end
for name in pairs(stats.types) do print(name) end
for name in pairs(stats.types.table) do print(name) end
local _, message = pcall(lmp.start, { ["?"] = true })
for name in message:match("there are: ([^)]*)"):gmatch "%w+" do print(name) end
LUA
    while read -r name; do
        grep -Eq -- "\`(lmp\.)?${name}[^a-z_]" "${documents[@]}" || echo "$name"
    done < <(sort -u names) >missing
    [ "$(sort -u names | wc -l)" -gt 60 ] || fail "too few names: $(cat names)"
    is "$(cat missing)" "" "in no document"
}

# blocks LANGUAGE FILE...: writes block1, block2 ... of these documents, each with where it is from in its first line.
blocks() {
    awk -v language="$1" '/^```/ { if (on) close(out); on = !on && $0 == "```" language
            if (on) { out = "block" ++n; print (language == "sh" ? "#" : "--") " " FILENAME ":" FNR >out }; next }
        on { print >out }' "${@:2}"
}

case_blocks() { # what README.md and docs/ show is run as it stands there
    local documents=("$LMP_SOURCE"/README.md "$LMP_SOURCE"/docs/{api,gate,reports}.md) b
    mkdir app
    echo 'return function(n) local t = {} for i = 1, n do t[i] = { i } end return t end' >app/cache.lua
    for b in app server test; do echo 'print(#require "app.cache"(1000), ...)' >$b.lua; done
    printf '#!/bin/sh\nexec "%s" app.lua\n' "$LUA" >start.sh
    chmod +x start.sh
    for b in main branch; do
        ends 0 run --no-live --no-summary --record=$b.lmprec app.lua
    done
    cat >names.lua <<'LUA' # what the blocks speak of
lmp = require "luamemprofiler"
path, work = "/index.html", function() kept = { {}, {} } end
package.loaded["app.cache"] = { entries = { ["req-1042"] = { 1 } } }
setmetatable(_G, { __index = function(_, name)
  return name == "entry" and package.loaded["app.cache"].entries["req-1042"] or nil
end })
request = { path = path }
function handle(r) return { r.path } end
function render(name) return { name } end
game = { world = { update = print } }
server = {}
function server:requests() local left = { request } return function() return table.remove(left) end end
LUA
    blocks lua "${documents[@]}"
    for b in block*; do # the assertions have frameworks of their own, helpers.sh runs them
        grep -q 'luamemprofiler\.\(busted\|luaunit\)' $b && continue
        ends 0 run --no-live --no-summary -- "$LUA" -l names $b
        sed -n 's/.*--> *//p' $b >wanted
        [ ! -s wanted ] || is "$(cat out)" "$(cat wanted)" "what is printed by $(cat $b)"
    done
    [ -e block9 ] && rm block* || fail "too few blocks of Lua"
    blocks sh "${documents[@]}"
    LD_PRELOAD=$LMP_PRELOAD env -u LUA_CPATH "$LUA" -e 'while true do local t = {} end' & # to attach to
    for b in block*; do
        grep -q 'cmake\|\./demo' $b && continue # those that install packages; case_install
        sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' $b >whole
        while read -r line; do
            case $line in
            '#'* | "lmp top"*) continue ;; # of whatever runs on this machine
            "lmp attach"*) # without its display, and again
                line=${line%%#*}
                line="lmp attach --no-live ${line#lmp attach}"
                line="${line/4711/$!} && lmp detach $!"
                ;;
            esac
            LD_PRELOAD=$LMP_PRELOAD PATH=$LMP_BUILD:$PATH bash -c "$line" >out 2>err </dev/null
            status=$?
            case $line in
            "lmp replay"*) has err terminal ;; # which that needs
            "lmp attach"*)                     # which not every container allows
                grep -Eq 'not permitted to trace|lets a process trace only|runs under seccomp|aarch64 only' err ||
                    is $status 0 "status of $line"
                ;;
            *) is $status 0 "status of $line" ;;
            esac
        done <whole
    done
    kill $!
    [ -e block5 ] || fail "too few blocks of commands"
}

case_help() { # help, usage and the man page agree with the tables
    ends 0 help
    for c in run top help version; do has out "lmp $c"; done
    if grep -q 'lmp display' out; then fail "help shows an internal command"; fi
    lmp run --help
    has out '--summary=FILE'
    for c in run top record 'record cut' replay report diff dump heap snapshot doctor; do
        # shellcheck disable=SC2086
        lmp $c --help
        if grep -E '.{101}' out; then fail "lmp $c --help is too wide"; fi
    done
    lmp --version
    has out '^lmp [0-9]+\.[0-9]+'
    lmp help --man
    if [ -n "${GENERATE:-}" ]; then cp out "$LMP_SOURCE/docs/lmp.1"; fi
    cmp out "$LMP_SOURCE/docs/lmp.1" || fail "docs/lmp.1 differs from the tables (GENERATE=1 makes it)"
    lmp help --page
    mv out pages
    [ "$(wc -l <pages)" -gt 10 ] || fail "too few pages"
    while read -r name; do
        ends 0 help --page="$name"
        has out "^$(sed 's/-/\\\\-/g' <<<"$name") .. [a-z]"
        mv out "$name.1"
    done <pages
    has lmp-record-cut.1 '^.fBlmp record cut.fR '
    ends 2 help --page=display
    if command -v mandoc >/dev/null; then # without a date a page is the same on every day
        mandoc -T lint -W warning "$LMP_SOURCE"/docs/lmp.1 lmp-*.1 | grep -v 'missing date' >lint
        is "$(cat lint)" '' 'what mandoc says'
    fi
    lmp run --help
    grep -o -- '--[a-z-]*' out | sort -u | while read -r option; do
        grep -q -- "$(echo "$option" | sed 's/-/\\\\-/g')" "$LMP_SOURCE/docs/lmp.1" || echo "$option"
    done >missing
    lines missing 0
}

case_top() { # discovery without a terminal
    echo 'io.open("up", "w"):write("up"):close() while not io.open "stop" do local t = {} end' >loop.lua
    LD_PRELOAD=$LMP_PRELOAD "$LMP" run --name=discovered loop.lua >out.run 2>err.run </dev/null &
    wait_file up
    lmp top --list
    has out '^PID .*STATE .*LIVE .*ELAPSED .*PROGRAM'
    has out '^[0-9]+ +RUNNING .*discovered'
    ends 1 top 999999999
    refuses 2 '' top x
    ends 2 top 1:0
    touch stop
    wait
}

case_sleeps() { # a program that sleeps grows older all the same, and has what it has: live, and in its recording
    echo 't = {} for i = 1, 20000 do t[i] = {i} end
os.execute "while [ ! -e stop ]; do sleep 0.1; done"' >sleeps.lua
    LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-live --no-summary --name=sleepy --record=sleeps.lmprec sleeps.lua \
        >out.run 2>err.run </dev/null &
    sleeper() { "$LMP" top --list | sed -n 's/^\([0-9]*\) .*sleepy$/\1/p'; }
    older() { "$LMP" report json "$(sleeper)" | jq -e '.seconds > 1'; }
    until_true "a second" older >older
    wait_file sleeps.lmprec
    for of in "$(sleeper)" sleeps.lmprec@0.5s; do
        is "$("$LMP" report timeline "$of" | tail -n 1 | cut -d, -f2,5)" \
            "$("$LMP" report json "$of" | jq -r '"\(.live_bytes),\(.mallocs)"')" "timeline of $of"
    done
    touch stop
    wait
    "$LMP" report json sleeps.lmprec@0.5s | jq -e '.seconds >= 0.5' >/dev/null || fail "of a moment"
}

case_install() { # an installed tree works, wherever it is moved
    local manifest=$LMP_BUILD/install_manifest.txt # of whoever has installed this build
    mv "$manifest" . 2>/dev/null
    cmake --install "$LMP_BUILD" --prefix "$work/first" >log 2>&1 || fail "cmake --install: $(cat log)"
    cp -R first second
    cmake --build "$LMP_BUILD" --target uninstall >log 2>&1 || fail "uninstall: $(cat log)"
    rm "$manifest"
    [ ! -e install_manifest.txt ] || mv install_manifest.txt "$manifest"
    is "$(find first ! -type d)" '' 'what uninstall leaves'
    for f in man/man1/lmp{,-run,-record-cut}.1 bash-completion/completions/lmp zsh/site-functions/_lmp \
        fish/vendor_completions.d/lmp.fish doc/lmp/LICENSE; do
        [ -s second/share/$f ] || fail "no share/$f"
    done
    LMP=$work/second/bin/lmp
    echo 'print "out"' >x.lua
    lmp run x.lua
    is "$(cat out)" out output
    summary
    LD_PRELOAD=$LMP_PRELOAD LUA_CPATH="$work/second/lib/lua/5.4/?.so" "$LUA" \
        -e 'require("luamemprofiler").start()' >out 2>err || fail status
    summary
}

case_heap_reports() { # lmp report and lmp diff, of files made by tests/readers/heaps.c
    mkdir heaps
    LD_PRELOAD=$LMP_PRELOAD "$LMP_BUILD/heaps" heaps || fail 'no heaps'
    local formats='summary json heapsnapshot csv dot holders pprof icicle treemap'
    for format in $formats; do
        ends 0 report $format heaps/random.heap
        cmp -s out heaps/random.$format || fail "$format of the file is not that of the heap"
        lines err 0
        ends 0 report $format heaps/random.heap -o to.$format
        lines out 0
        cmp -s to.$format heaps/random.$format || fail "$format -o"
        is "$(stat -c %a to.$format)" 600 'only its owner reads it'
        "$LMP" report $format heaps/random.heap >/dev/full 2>err
        is $? 1 "status of $format on a full disk"
        is "$(cat err)" 'lmp: standard output: cannot be written: No space left on device' 'the message'
        refuses 1 '^lmp: /dev/full: cannot be written: No space left on device$' \
            report $format heaps/random.heap -o /dev/full
    done
    lmp report dot heaps/leaky.heap --top=3
    is "$(grep -c fillcolor out)" 4 'three and the root'
    address=$(sed -nE 's/^[0-9]*,(0x[0-9a-f]*),(coroutine|thread).*/\1/p' heaps/leaky.csv | tail -n 1)
    lmp report --object="$address" dot heaps/leaky.heap
    has out "paths to the object at $address"
    lmp report csv --redact heaps/leaky.heap
    hasnt out 'example\.org|req-1'
    # Each refusal is one line.
    refused() { # STATUS MESSAGE ARGUMENTS...
        expected=$1 message=$2
        shift 2
        lmp "$@"
        is $status "$expected" "status of $*"
        lines err 1
        lines out 0
        has err "$message"
    }
    cp heaps/leaky.heap whole
    head -c 3000 whole >cut.off
    echo 'no snapshot' >text
    refused 1 'cut.off is damaged' report csv cut.off
    refused 1 'cut.off is damaged' diff whole cut.off
    refused 1 'cut.off is damaged' diff --json cut.off whole
    for format in $formats; do # cut off anywhere, or with a byte that is another one: in a line, and nothing is written
        size=$(stat -c %s whole) length=$((RANDOM % (size - 8) + 8))
        head -c $length whole >some
        refused 1 'some is damaged' report "$format" some -o some.out
        { head -c $((length - 1)) whole; printf '\377\377'; tail -c +$((length + 2)) whole; } >some
        local why='is damaged|is neither a recording nor a heap snapshot|is not a heap snapshot'
        cmp -s some whole || refused 1 "some ($why)|another version" report "$format" some -o some.out
        [ ! -e some.out ] || fail "$format was written"
    done
    refused 1 'text is neither a recording nor a heap snapshot' report csv text
    refused 1 'nowhere: No such file' report csv nowhere
    refused 1 'no report dot: there is no object at this address' report dot --object=1 whole
    refused 1 'no report csv: only dot' report csv --object=1 whole
    refused 1 'no report summary: its sentences' report summary --redact whole
    refused 1 'nowhere/out: cannot be written: No such file' report csv whole -o nowhere/out
    refused 2 'did you mean treemap' report tremap whole
    refused 2 'of which file' report
    refused 2 'csv of which file' report csv
    refused 2 'one file at a time' report csv whole text
    refused 2 'an address was expected' report dot --object=here whole
    refused 2 'needs a value' report csv whole -o
    refused 2 'two files or more, the oldest first' diff whole
    refused 2 'at most 8 files' diff whole whole whole whole whole whole whole whole whole
    refused 1 'text is not a heap snapshot' report summary whole --older=heaps/leaky.heap --older=text
    refused 2 'at most 7 of them' report summary whole --older=1 --older=2 --older=3 --older=4 \
        --older=5 --older=6 --older=7 --older=8
    refused 1 'text is not a heap snapshot' diff whole text
    ends 0 diff whole heaps/leaky.heap
    has out 'nothing changed'
    lmp diff --json whole heaps/leaky.heap
    has out '^\{"format":"lmp-heap-diff".*"same_run":true'
}

case_series() { # three snapshots of one run: only what grew each time is named, in whatever order
    cat >x.lua <<'LUA'
local lmp = require "luamemprofiler"
leak, burst = {}, {}
local function grow(n)
  for i = 1, n do leak[#leak + 1] = { "leak", i } end
end
local function fill(n)
  burst = {}
  for i = 1, n do burst[i] = { "burst", i, i, i } end
end
stuck, moves = {}, {}
local function make(list, f)
  for i = 1, 200 do list[i] = coroutine.create(f) coroutine.resume(list[i], { i }) end
end
make(stuck, function(t) coroutine.yield() return t end)
make(moves, function(t) while true do t = { coroutine.yield() } end end)
for n = 1, 3 do
  grow(3000)
  fill(n == 2 and 30000 or 4000 * n)
  for _, c in ipairs(moves) do coroutine.resume(c, n) end
  assert(lmp.snapshot(n .. ".heap", { gc = true, wait = true }))
end
LUA
    ends 0 run --no-summary --no-live x.lua
    "$LMP" report summary 2.heap --older=1.heap >two
    grep -q 'x.lua:8 grew by ' two || fail 'of two snapshots the burst is said'
    for older in '--older=1.heap --older=2.heap' '--older=2.heap --older=1.heap'; do
        ends 0 report summary 3.heap $older
        tr -s ' \n' ' ' <out >line
        has line 'x.lua:4 grew by [0-9.]+ .iB since snapshot 1, each time: [0-9.]+ .iB, then [0-9.]+ .iB'
        hasnt line 'x.lua:8 grew'
        has line '400 coroutines are suspended'
        has line '\. 200 stood there [0-9.]+ m?s before with the same variables'
    done
    ends 0 diff 1.heap 2.heap 3.heap
    has out '^By way of snapshot 2 '
    has out 'made +gone +1 to 2 +2 to 3 +growth'
    has out '^  x.lua:8 .*\+[0-9.]+ .iB +-[0-9.]+ .iB'
    has out ' x.lua:4 grew by .*each time'
    lmp diff --json 1.heap 2.heap 3.heap
    has out '"steps_growth_bytes":\[[0-9]+,[0-9]+\],"grew_each_time":true'
    has out '"steps_growth_bytes":\[[0-9]+,-[0-9]+\],"grew_each_time":false'
    # A holder's own elements are told with it; what another line has put into it is that line's.
    printf '%s\n' 'local function new() return { 1, 2 } end' 't = {} for i = 1, 2e4 do t[i] = { 1 } end' \
        'u = {} for i = 1, 2e4 do u[i] = new() end' >y.lua
    lmp run --no-summary --no-live --snapshot=y.heap y.lua
    lmp report summary y.heap
    tr -s ' \n' ' ' <out >line
    has line 'One table t, made at y.lua:2, holds '
    has line 'One table u, made at y.lua:3, holds .* What y.lua:1 made \(20,000 objects\) holds '
    hasnt line 'What (else )?y.lua:[23] made'
}

case_children() { # neither zombies nor SIGCHLD surprises: a host that waits for any child sees its own
    echo 'local p = io.popen "exit 3" print(p:close()) print(os.execute "exit 4")' >x.lua
    lmp run --no-summary x.lua
    is "$(cat out)" 'nil	exit	3
nil	exit	4' 'statuses of children'
}

# A program that changes its heap all the time, under lmp run; its pid is in the file up.
keep_running() {
    cat >loop.lua <<'LUA'
local t, ready = {}, io.open("up", "w")
for i = 1, 100000 do t[i] = { i } end
local stat = io.open("/proc/self/stat")
ready:write(stat:read("a"):match("^%d+"), "\n")
ready:close()
while not io.open("stop") do for i = 1, 10000 do t[i] = { i, "x" .. i } end end
LUA
    rm -f up stop
    LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-summary loop.lua >out.run 2>err.run </dev/null &
    wait_file up
}

case_cut() { # a piece of a recording, what is in it, and what of it is hidden
    echo 'local t = os.clock() io.write("out\n") io.flush() while os.clock() - t < 0.6 do T = {} end' >x.lua
    ends 0 run --no-live --no-summary --record=x.lmprec x.lua
    ends 0 dump --parts x.lmprec
    has out '^recording, version 2, .* index$'
    has out ' frame: clock .* tables .* end$'
    local frames
    frames=$(grep -c ' frame: ' out)
    lmp dump x.lmprec
    has out '"@x.lua"'
    ends 0 record cut x.lmprec --to=0.3
    has out '^x-cut.lmprec: [0-9]+ frames?$'
    is "$(stat -c %a x-cut.lmprec)" 600 'rights of the file'
    lmp dump --parts x-cut.lmprec
    [ "$(grep -c ' frame: ' out)" -lt "$frames" ] || fail 'as many frames as before'
    lmp record cut --redact x.lmprec -o shown.lmprec
    is "$(cat out)" "shown.lmprec: $frames frames" 'what was written'
    lmp dump shown.lmprec
    ! grep -qE ' (again|output): ' out || fail 'what was to be hidden'
    refuses 2 '' record cut x.lmprec --from=never
    ends 2 record cut x.lmprec --from=0.4 --to=0.1
    refuses 1 '^lmp: x.lua is not a recording$' record cut x.lua
    refuses 1 '^lmp: none/x.lmprec: No such file or directory$' record cut x.lmprec -o none/x.lmprec
    head -c $(($(stat -c %s x.lmprec) / 2 + 7)) x.lmprec >torn.lmprec
    ends 0 dump --parts torn.lmprec
    has out 'not closed'
    has out '^[0-9]+ bytes in no whole part$'
    refuses 1 '^lmp: x.lua is neither a recording nor a heap snapshot$' dump x.lua
    for wrong in 'dump' 'dump x.lua' 'dump none' 'dump --objects=x y' 'record cut'; do
        lmp $wrong # words
        [ $status -ne 0 ] || fail "$wrong: status 0"
        lines err 1
    done
}

case_redact() { # nothing that came from the program is in what is shown to others
    mkdir -p 'private place'
    cat >'private place/payroll.lua' <<'LUA'
local lmp = require "luamemprofiler"
local app = {}
package.loaded.accounts = app
function app.compute(n) local t = {} for i = 1, n do t[i] = { i } end return t end
local function helper() local t = app.compute(100) t.more = {} return t end
function Globally() local t = helper() t.most = {} return t end
local Class = {} Class.__index = Class
function Class:enlarge() self[#self + 1] = Globally() end
local object = setmetatable({}, Class)
lmp.tag "customer 4711"
local code = load("return function() return { 'password' } end")()
local named = load("local a = { 1 } return a", "=namedchunk")
local quoted = load([[local a = function() return { "it's" } end return a]])()
lmp.mark "marked by me"
lmp.frame "level seven"
local start = os.clock()
for round = 1, math.huge do
  object:enlarge() code() named() quoted() table.insert(object, ("x"):rep(5))
  if round % 100 == 0 then object = setmetatable({}, Class) end
  lmp.frame "level seven"
  if os.clock() - start > 0.3 then package.loaded.b = { renamed = app.compute } app.compute_later = Globally end
  if os.clock() - start > 0.6 then break end
end
LUA
    ends 0 run --no-live --no-summary --record=x.lmprec --name='the payroll' 'private place/payroll.lua' 'argument one'
    lmp dump x.lmprec
    cp out whole
    for text in payroll 'private place' 'argument one' 'customer 4711' password namedchunk 'marked by me' \
        'level seven' enlarge Globally accounts.compute helper "it's"; do
        grep -qF -- "$text" whole || fail "not recorded: $text"
    done
    ends 0 record cut --redact x.lmprec -o shown.lmprec
    lmp dump shown.lmprec
    cp out shown
    cat >left.lua <<'LUA'
-- What of the texts in one dump is in the other: those of four bytes and more that are not Lua's and lmp's.
local keep = { ["main chunk"] = true, ["=[C]"] = true }
local function keeps(text)
  local word = text:match "'(.*)'$" or text
  local at = _G
  for part in word:gmatch "[^.]+" do at = type(at) == "table" and at[part] end
  return keep[text] or at or string[word] or table[word] or io.stdout[word] or text:match "^=?%(%l+%)$"
    or text:match "^Lua 5" or text:match "^%d+%.%d+%.%d+$"
end
local function texts(file)
  local all = {}
  for line in io.lines(file) do
    line = line:gsub('\\\\', '\2'):gsub('\\"', '\1')
    for text in line:gmatch '"(.-)"' do if #text > 3 then all[text] = true end end
  end
  return all
end
local left, now = 0, texts "shown"
for text in pairs(texts "whole") do
  for other in pairs(now) do
    if not keeps(text) and other:find(text, 1, true) then print(text, other) left = left + 1 end
  end
end
os.exit(left)
LUA
    "$LUA" left.lua >out || fail 'texts of the program are left'
    for text in payroll private argument customer password namedchunk 'marked by' level enlarge Globally accounts \
        helper "it's"; do
        ! grep -F -- "$text" shown >out || fail "still there: $text"
    done
    ends 0 report flat shown.lmprec
    has out ' f[0-9]+  file1:[0-9]+$'
    has shown '"table.insert"'
    ends 0 record cut --redact=contents x.lmprec -o named.lmprec
    lmp dump named.lmprec
    cp out shown
    for text in 'argument one' 'customer 4711' password namedchunk 'marked by me' 'level seven' "it's"; do
        [ "$text" = namedchunk ] || ! grep -F -- "$text" shown >out || fail "still there: $text"
    done
    for text in payroll.lua enlarge helper; do
        grep -qF -- "$text" shown || fail "not there: $text"
    done
    refuses 2 '' record cut --redact=nothing x.lmprec
}

case_snapshot() { # of a program's heap: at its end, by a condition, from another terminal
    echo 'T = {} for i = 1, 30000 do T[i] = {i} end' >x.lua
    ends 0 run --no-summary --snapshot=end.heap x.lua
    has err '^lmp: snapshot 1: [0-9,]+ objects, stood .*end.heap$'
    is "$(stat -c %a end.heap)" 600 'rights of the file'
    is "$(head -c 8 end.heap)" LMPPHEAP 'the file'
    objects=$(sed -nE 's/^lmp: snapshot 1: ([0-9,]+) objects.*/\1/p' err | tr -d ,)
    lmp report json end.heap
    has out "\"objects\":$objects," # as the line says
    hasnt out '"stop_seconds":0.000000'
    ends 0 dump --objects=100 end.heap
    has out '^heap snapshot, version 1, [0-9]+ bytes$'
    has out '^  objects [0-9]+, edges [0-9]+'
    has out '^[0-9]+ end: 0 of 0 bytes, checksum'
    has out '^  [0-9]+: site [0-9]+, class'
    has out '^    [0-9]+ root registry$'
    has out '^  [0-9]+ more objects$'
    ends 0 dump --parts end.heap
    ! grep -q '^objects' out || fail 'objects with --parts'
    head -c 3000 end.heap >torn.heap
    ends 1 dump torn.heap
    has out 'cut off$'
    is "$(cat err)" 'lmp: torn.heap is damaged' 'what is said'
    echo 'os.exit(0)' >>x.lua # without closing the state
    lmp run --no-summary --snapshot="$PWD/exit.heap" x.lua
    is "$(head -c 8 exit.heap)" LMPPHEAP 'the file'
    echo 'os.execute("kill -9 " .. io.open("/proc/self/stat"):read "a":match "^%d+")' >kill.lua
    (lmp run --no-summary --snapshot=kill.heap kill.lua)
    has err 'no snapshot: the program was killed'
    [ -e kill.heap ] && fail 'a file of a killed program'
    # The table tells it of the request, and no instruction comes after that at which it could be stopped.
    echo 'os.execute "echo $PPID >asleep; until [ -e go ]; do sleep 0.05; done"; local t = {} os.exit(true)' >sleep.lua
    LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-live --no-summary sleep.lua 2>err </dev/null &
    wait_file asleep
    LD_PRELOAD=$LMP_PRELOAD "$LMP" snapshot "$(cat asleep)" >asked 2>&1 &
    until_true 'the request' grep -q 'the program sleeps' asked
    touch go
    wait
    has err 'no snapshot: the program has ended'
    has asked 'no snapshot: the program has ended'
    echo 'T = {} for i = 1, 3000000 do T[i % 30000 + 1] = {i} end' >x.lua
    lmp run --no-summary --snapshot-when='heap 500KiB' --snapshot-when=peak x.lua
    is "$(ls lmp-*.heap | wc -l)" 2 'snapshots by conditions'
    is "$(head -qc 8 lmp-*.heap)" LMPPHEAPLMPPHEAP 'the files'
    refuses 2 '' run --snapshot-when='heap much' x.lua
    ends 1 snapshot 999999999
    ends 2 snapshot
    rm -f lmp-*.heap
    keep_running
    ends 0 snapshot "$(cat up)"
    has out "^snapshot 1: 1[0-9,]+ objects, stood [0-9.]+ m?s, slowest operation [0-9.]+ m?s: \
$PWD/lmp-$(cat up)-1.heap$"
    is "$(head -c 8 lmp-*.heap)" LMPPHEAP 'the file'
    local asking=()
    for n in 1 2 3 4; do # who is too late is told so
        LD_PRELOAD=$LMP_PRELOAD "$LMP" snapshot "$(cat up)" same$n.heap >same$n 2>&1 &
        asking+=($!)
    done
    wait "${asking[@]}" || true
    for n in 1 2 3 4; do
        grep -Eq '^snapshot [0-9]+: |^lmp: no snapshot: another ' same$n || fail "four at once: $(cat same$n)"
    done
    taken() { lmp snapshot "$(cat up)" after.heap && [ $status = 0 ]; }
    until_true 'the end of those four' taken
    ln -s x.lua link.heap
    refuses 1 'link.heap: cannot write the file: what is there is no plain file, and is not replaced' \
        snapshot --no-gc "$(cat up)" link.heap
    ends 0 snapshot --no-gc "$(cat up)" named.heap
    # The program is killed while its child is at work: the child goes on, or leaves nothing.
    local program child="" snap=""
    program=$(cat up)
    until [ -n "$child" ]; do # as often as it takes to see it
        [ -z "$snap" ] || wait $snap
        LD_PRELOAD=$LMP_PRELOAD "$LMP" snapshot "$program" killed.heap >killed 2>&1 &
        snap=$!
        while kill -0 $snap 2>/dev/null && [ -z "$child" ]; do
            read -r child _ <"/proc/$program/task/$program/children" || true
        done
    done
    kill -9 "$program"
    wait $snap || true
    wait
    until_true 'the end of the child' test ! -e "/proc/$child"
    ls ./*.part >/dev/null 2>&1 && fail "left behind: $(ls ./*.part)"
    [ ! -e killed.heap ] || is "$(head -c 8 killed.heap)" LMPPHEAP killed.heap
}

case_names() { # ten runs of a program are one text, in whatever order its hashes have things
    cat >names.lua <<'END'
local function make(n) local t = {} for i = 1, n do t[i] = { id = i, name = "n" .. i, price = i / 2 } end return t end
Stock = { make = make, build = make, produce = make }
Stock.__index = Stock
Shop = { stock = Stock, open = function() return setmetatable({ rows = make(20) }, Stock) end }
Shop.start, Shop.begin = Shop.open, Shop.open
package.loaded.shop, package.loaded["shop.front"], package.loaded.store = Shop, Shop, Shop
aliases = { zz = Shop.open, y = Shop.open, xx = make, insert = table.insert, push = table.insert }
held = {}
for i, name in ipairs { "alpha", "betas", "gamma", "delta" } do
    local words = string.gmatch("a b", "%a") -- no name leads there
    held[name] = { wrap = coroutine.wrap(function() coroutine.yield(words, i) end), lines = { Shop.open() } }
    held[name].wrap()
    held[i] = coroutine.create(function() local here = name held[name].made = { here } coroutine.yield() end)
    coroutine.resume(held[i])
end
local weak = setmetatable({}, { __mode = "k" })
for _, h in pairs(held) do if type(h) == "table" then weak[h] = { h.made } end end
keep = function() return weak end
collectgarbage()
END
    local n f
    for n in 1 2 3 4 5 6 7 8 9 10; do
        ends 0 run --stacks --record=$n.lmprec --snapshot=$n.heap names.lua
        lmp report summary $n.heap # which of many that are equally large stands for all is by address
        sed 's/pid [0-9]*//' out >"$n.summary"
        lmp report flat $n.lmprec
        sed 's/pid [0-9]*//' out >"$n.flat"
        for f in summary flat; do
            diff 1.$f $n.$f >out || fail "$f of run $n is another than of the first"
        done
        lmp diff 1.heap $n.heap
        is "$(grep -c '^  nothing changed$' out)" 3 'tables without a change'
    done
    has 1.summary 'function [a-zA-Z0-9._-]+\+0x[0-9a-f]+ \[C\]'
}
case_snapshot_trouble() { # who has asked is killed at any moment; the disk is full, really
    local n
    keep_running
    for n in 1 2 3 4 5 6 7 8 9 10; do
        LD_PRELOAD=$LMP_PRELOAD "$LMP" snapshot "$(cat up)" gone.heap >gone 2>&1 &
        sleep "0.0$n"
        kill -9 $! 2>/dev/null || true
        { wait $!; } 2>/dev/null || true
    done
    taken() { lmp snapshot "$(cat up)" after.heap && [ $status = 0 ]; }
    until_true 'a snapshot after those' taken
    for n in after.heap gone.heap; do
        [ -e $n ] || continue
        ends 0 report csv $n
    done
    ls ./*.part >/dev/null 2>&1 && fail "left behind: $(ls ./*.part)"
    touch stop
    wait
    is "$(cat err.run | grep -vc '^lmp: snapshot')" 0 'other messages of the program'
    # As small as a disk can be, in a namespace of its own.
    cat >small.sh <<'SH'
mkdir -p small && mount -t tmpfs -o size=64k none small || exit 77
LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-summary --snapshot=small/x.heap x.lua 2>err || exit 1
[ -z "$(ls -A small)" ] || exit 2
SH
    echo 'T = {} for i = 1, 30000 do T[i] = {i, "x" .. i} end' >x.lua
    status=0
    LMP=$LMP LMP_PRELOAD=$LMP_PRELOAD unshare -rm sh small.sh 2>why || status=$?
    if [ $status = 77 ] || grep -q '^unshare:' why; then
        echo "no small file system could be made here: $(cat why)"
    else
        is $status 0 'a program whose snapshot has no room'
        has err 'no snapshot: .*small/x.heap: cannot write the file: No space left on device'
    fi
}

play_case "$@"
