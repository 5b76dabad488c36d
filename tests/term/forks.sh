#!/bin/bash
# Forked children, without lmp and with `lmp run --follow-forks`. Without a terminal: forks.sh CASE
. "$(dirname "$0")/plain.sh"
export LUA_CPATH="$LMP_BUILD/?.so;;"

# worker.lua HOW: a parent that holds 2 MiB, and a worker made in that way, which makes 20,000 tables.
cat >worker.lua <<'LUA'
local forks, how = require "forks", arg[1]
local lmp, options = require "luamemprofiler", { summary = "own" }
local held = {}
for i = 1, 20000 do held[i] = { i } end
function work()
    local t = {}
    for i = 1, 20000 do t[i] = {} end
    if how == "stats" then print(pcall(lmp.stats)) end
end
local function fork()
    if forks.fork(how == "raw" and "raw" or how == "clone" and "clone" or "fork") > 0 then return end
    if how == "first" then lmp.start(options) print(lmp.stop() ~= nil) work() end
    if how == "exec" then forks.exec(arg[-1], "-e", "for i = 1, 1000 do x = {} end") end
    if how == "sh" then forks.exec("true") end
    if how == "at_once" then forks.exit(3) end
    work()
    if how == "again" and forks.fork() == 0 then work() os.exit() end
    if how == "killed" then forks.kill(forks.pid()) end
    if how == "exit" then forks.exit(3) end
    if how == "stop" then lmp.stop() work() end
    if how == "start" then
        lmp.start { summary = false } work() print(lmp.stop().mallocs > 20000)
        lmp.start { summary = false } work() print(lmp.stop().mallocs > 20000)
    end
    if how == "orphan" then
        io.open("begun", "w"):close()
        while io.open("go") == nil do forks.sleep(0.01) end
    end
    if how == "again" then forks.wait() end
    os.exit()
end
if how == "thread" then forks.thread(work)
elseif how == "coroutine" then coroutine.wrap(fork)()
elseif how == "finalizer" then setmetatable({}, { __gc = fork }) collectgarbage()
else fork() end
if how ~= "orphan" then forks.wait() end
while how == "orphan" and io.open("begun") == nil do forks.sleep(0.01) end -- or nobody knows of it yet
LUA

# worker HOW STATES [OPTIONS]: so many have a summary; the parent's is of its own 20,000 tables alone.
worker() {
    local how=$1 states=$2
    shift 2
    rm -f json
    ends 0 run --no-live --json=json "$@" worker.lua "$how"
    is "$(grep -c '^Memory of ' err)" "$states" "summaries ($how)"
    hasnt err 'could not be read'
    "$LUA" - "$how" "$states" <<'LUA' || fail "figures ($how)"
local text = io.open("json"):read("a")
local first = true
for pid, mallocs in text:gmatch('"pid":%s*(%d+).-"mallocs":%s*(%d+)') do
    mallocs = tonumber(mallocs)
    if mallocs > 41000 and arg[1] ~= "start" then print(arg[1], pid, mallocs) os.exit(1) end
    first = false
end
os.exit(not first)
LUA
}

case_unfollowed() { # no trace of them, however they were made
    local how
    for how in fork raw clone thread coroutine finalizer exec sh at_once killed again; do
        worker $how "$([ "$how" = exec ] && echo 2 || echo 1)"
        hasnt err 'Forked from'
    done
    worker stats 1
    has out 'not running'
}

case_followed() { # each has figures of its own, from the fork on
    local how
    for how in fork raw clone thread coroutine killed exit stop; do
        worker $how 2 --follow-forks
        is "$(grep -c '^Forked from pid [0-9]*; the 1\.[0-9] MiB that it had by then are "from before start"$' err)" 1 \
            "forked ($how)"
        is "$(grep -c '"forked_from"' json)" 1 "forked in JSON ($how)"
    done
    worker again 3 --follow-forks
    worker finalizer 1 --follow-forks # in which Lua calls no debug hook
    worker exec 2 --follow-forks
    worker sh 1 --follow-forks
    worker at_once 1 --follow-forks
    worker first 2 --follow-forks # start() means the profile that lmp run begins
    [ ! -e own ] || fail 'a profile of its own'
    worker start 2 --follow-forks
    is "$(grep -c true out)" 2 'starts of its own'
    local mode
    for mode in --no-lines --stacks --sample=4KiB --calls '--overrides --instructions'; do
        worker fork 2 --follow-forks $mode
    done
}

case_orphan() { # the parent has ended, and lmp run with it
    lmp run --no-live --follow-forks worker.lua orphan
    is "$(grep -c '^Memory of ' err)" 2 summaries
    has err '^Still running after'
    until_true 'the worker in the list' eval '"$LMP" top --list | grep -q RUNNING.*worker.lua'
    touch go
    until_true 'its own summary' grep -q 'Exited after' err
}

case_files() { # recordings and reports are those of programs of their own
    worker again 3 --follow-forks --stacks --record=x.lmprec --report=pprof:x.pb.gz
    is "$(ls x.lmprec* | wc -l)" 3 recordings
    is "$(ls x.pb.gz* | wc -l)" 3 reports
    local f
    for f in x.lmprec*; do
        ends 0 report summary "$f"
        has out 'Memory of .*worker.lua'
    done
    is "$(for f in x.lmprec*; do "$LMP" report summary "$f"; done | grep -c '^Forked from')" 2 'that were forked'
}

# server.lua N: a preforking server: N workers, each with some memory, killed or ended in turn.
cat >server.lua <<'LUA'
local forks = require "forks"
local n, pids = tonumber(arg[1]), {}
local config = {}
for i = 1, 5000 do config[i] = "setting " .. i end
for i = 1, n do
    local pid = forks.fork(i % 10 == 0 and "raw" or "fork")
    if pid == 0 then
        local cache = {}
        for j = 1, 2000 do cache[j] = { j } end
        while i % 5 == 0 do cache[1] = {} forks.sleep(0.01) end
        os.exit()
    end
    pids[i] = pid
end
for i = 5, n, 5 do forks.kill(pids[i]) end
local ended = 0
while forks.wait() do ended = ended + 1 end
print("ended", ended)
LUA

case_many() { # 200 at once
    ends 0 run --no-live --json=json server.lua 200
    has out '^ended	200$'
    is "$(grep -c '^Memory of ' err)" 1 summaries
    ends 0 run --no-live --json=json --follow-forks server.lua 200
    has out '^ended	200$'
    hasnt err 'could not be read'
    local n
    n=$(grep -c '^Memory of ' err) # one that was killed before its first instruction has none
    [ "$n" -gt 160 ] && [ "$n" -le 201 ] || fail "$n summaries"
    is "$(grep -c '"forked_from"' json)" $((n - 1)) 'forked ones in JSON'
}

play_case "$@"
