#!/bin/bash
# Programs that nobody prepared, attached to while they run: attach.sh CASE
. "$(dirname "$0")/plain.sh"
unset LUA_CPATH LUA_PATH LUA_INIT LUA_INIT_5_4

# Where no process may trace another one, as in many containers, nothing can be attached to.
forbidden='not permitted to trace|lets a process trace only|runs under seccomp|aarch64 only'
"$LUA" -e 'while true do end' &
LD_PRELOAD=$LMP_PRELOAD "$LMP" attach --no-live $! >said 2>&1
kill $!
if grep -Eq "$forbidden" said; then
    echo "skipped: $(cat said)"
    exit 77
fi

# All programs work until the file `stop` is there, and write how far they are into $COUNT.
export COUNT=count
cat >head.lua <<'LUA'
local f, n = assert(io.open(os.getenv "COUNT", "w")), 0
function going(more)
  n = n + 1
  if n % (more or 1) == 0 then f:seek("set") f:write(n, "\n") f:flush() end
  local stop = n % 100 == 0 and io.open "stop"
  return not (stop and stop:close())
end
LUA
cat >busy.lua <<'LUA'
dofile "head.lua"
K = {}
for i = 1, 20000 do K[i] = { i, name = "n" .. i } end
local t = {}
while going(100) do for i = 1, 100 do t[i] = { i } end end
LUA
cat >inside.lua <<'LUA'
dofile "head.lua"
local t = {}
local co = coroutine.wrap(function()
  while true do for i = 1, 100 do t[i] = { i } end coroutine.yield() end
end)
while going(100) do co() end
LUA
cat >hooked.lua <<'LUA'
dofile "head.lua"
local lines, t = 0, {}
local function hook() lines = lines + 1 end
debug.sethook(hook, "l")
local before = lines
local rounds = 0
repeat
  rounds = rounds + 1 t[1] = { rounds }
until not going(100)
assert(debug.gethook() == hook, "the program's hook is gone")
debug.sethook()
print("hooked", lines > 2 * rounds)
LUA
cat >waits.lua <<'LUA'
dofile "head.lua"
K = {}
for l in io.lines() do for i = 1, 1000 do K[i] = { l } end going() end
LUA

# begin SCRIPT...: $program runs it.
begin() {
    rm -f stop count
    LD_PRELOAD=$LMP_PRELOAD "$@" <&0 >out 2>err &
    program=$!
    until_true 'its first round' test -s "$COUNT"
}
counts() { cat "$COUNT"; }
goes_on() {
    local before
    before=$(counts)
    moved() { [ "$(counts)" != "$before" ]; }
    until_true 'another round' moved
}
ends_well() {
    : >stop
    wait "$program"
    is $? 0 "the program's status"
    [ ! -s err ] || fail "the program says: $(cat err)"
}
attach() { "$LMP" attach --no-live "$@" "$program" >said 2>&1 || fail "attach: $(cat said)"; }
detach() { "$LMP" detach "$program" >said 2>&1 || fail "detach: $(cat said)"; }
refused() { # WORDS ARGUMENTS...
    local words=$1
    shift
    "$LMP" attach --no-live "$@" >said 2>&1 && fail "attach $* was not refused"
    grep -Eq -- "$words" said || fail "attach $*: $(cat said)"
    [ "$(wc -l <said)" = 1 ] || fail "more than a line: $(cat said)"
}
report() { "$LMP" report "$@" "$program" -o report.out >said 2>&1 || fail "report: $(cat said)"; }
figure() { grep -o "\"$1\":[0-9]*" report.out | head -n 1 | cut -d: -f2; }

case_busy() { # all that lives already is known from the first moment, and every line from then on
    begin "$LUA" busy.lua
    attach --stacks
    report json
    [ "$(figure live_bytes)" -gt 2500000 ] || fail "live: $(figure live_bytes)"
    grep -q '(before)' report.out || fail 'no line of what was before'
    "$LMP" snapshot "$program" s.heap >said 2>&1 || fail "snapshot: $(cat said)"
    "$LMP" report json s.heap -o report.out
    grep -q '"garbage"\|"objects"' report.out || fail 'the snapshot is empty'
    goes_on
    report csv
    grep -q 'busy.lua,5,' report.out || fail "no line of the loop: $(head -n 4 report.out)"
    refused 'profiled already' "$program"
    detach
    goes_on
    "$LMP" detach "$program" >said 2>&1 && fail 'detached twice'
    attach --sample=64KiB # and again
    goes_on
    ends_well
}

case_inside() { # in a coroutine
    begin "$LUA" inside.lua
    attach
    goes_on
    report csv
    grep -q 'inside.lua' report.out || fail 'no line'
    detach
    attach --stacks
    detach
    goes_on
    ends_well
}

case_hooked() { # the program's own debug hook stays
    begin "$LUA" hooked.lua
    for i in 1 2 3; do
        attach
        goes_on
        detach
    done
    ends_well
    is "$(cat out)" "$(printf 'hooked\ttrue')" 'its hook'
}

case_waits() { # idle: the command waits, and says so; a line of input wakes the program
    mkfifo input
    exec 9<>input
    echo one >&9
    begin "$LUA" waits.lua <input
    refused 'has not run an instruction of Lua' --wait=1 "$program"
    "$LMP" attach --no-live --wait=60 "$program" >said 2>&1 &
    local command=$!
    echo two >&9
    # it may have been read before the command came
    until_true 'the command' sh -c "echo more >input; ! kill -0 $command 2>/dev/null"
    wait $command
    is $? 0 "attach: $(cat said)"
    report csv
    "$LMP" snapshot "$program" s.heap >taken 2>waits & # as does a snapshot, and says so
    command=$!
    until_true 'a word' grep -q 'waiting, for 30 s at most: the program' waits
    [ ! -e s.heap ] || fail 'nothing could wake the program'
    until_true 'the snapshot' sh -c "echo more >input; ! kill -0 $command 2>/dev/null"
    wait $command
    is $? 0 "snapshot: $(cat waits)"
    detach & # which waits, too
    command=$!
    until_true 'the end' sh -c "echo more >input; ! kill -0 $command 2>/dev/null"
    exec 9>&-
    kill "$program"
}

case_states() { # two states in two threads of a program in C
    sed 's/"COUNT"/"COUNT2"/' head.lua >head2.lua
    sed 's/head.lua/head2.lua/' inside.lua >inside2.lua
    export COUNT2=count2
    begin "$LMP_BUILD/attach_host" busy.lua inside2.lua
    COUNT=count2 goes_on
    attach --stacks
    goes_on
    COUNT=count2 goes_on
    is "$("$LMP" top --list | grep -c "^$program:")" 2 'states'
    detach
    goes_on
    COUNT=count2 goes_on
    ends_well
}

case_rests() { # states that run nothing, and that only memory from malloc leads to
    cat >rests.lua <<'LUA'
local f, n, t = assert(io.open("count", "w")), 0, {}
function turn()
  n = n + 1
  for i = 1, 100 do t[i] = { i } end
  f:seek("set") f:write(n, "\n") f:flush()
end
turn()
LUA
    mkfifo input
    exec 9<>input
    begin "$LMP_BUILD/attach_host" --rests rests.lua rests.lua rests.lua <input 9>&-
    by_turns() { # COMMAND...: while they take turns
        "$@" &
        local job=$!
        over() { echo >&9 && ! kill -0 "$job" 2>/dev/null; }
        until_true "the end of $1" over
        wait "$job" || fail "$1: $(cat said)"
    }
    by_turns attach --wait=60
    is "$("$LMP" top --list | grep -c "^$program:")" 3 'states'
    by_turns detach
    by_turns goes_on
    exec 9>&-
    ends_well
}

case_over() { # [ROUNDS]: states that are gone a moment later
    echo 'K = {}' >short.lua
    mkfifo input
    for ((i = 0; i < ${1:-24}; i++)); do
        LD_PRELOAD=$LMP_PRELOAD "$LMP_BUILD/attach_host" --over short.lua short.lua <input 2>host &
        program=$!
        exec 9>input
        "$LMP" attach --no-live --wait=0.2 "$program" >said 2>&1
        "$LMP" detach --wait=0.2 "$program" >>said 2>&1
        exec 9>&-
        wait "$program"
        is $? 0 "round $i: $(cat said host): status"
    done
}

case_loads() { # Lua in a library that the program has loaded for itself alone
    local library
    library=$(ldd "$LMP_BUILD/attach_host" | awk '/lua/ { print $3; exit }')
    [ -n "$library" ] || exit 77 # Lua is linked into the host
    begin "$LMP_BUILD/attach_loads" "$library" inside.lua
    attach --stacks
    goes_on
    report csv
    grep -q 'inside.lua' report.out || fail 'no line'
    detach
    goes_on
    ends_well
}

case_recorded() {
    begin "$LUA" busy.lua
    refused "process $program cannot write $work/nowhere/x: No such file" --record=nowhere/x "$program"
    attach --record='a run.lmprec'
    goes_on
    detach
    ends_well
    "$LMP" report csv 'a run.lmprec' -o report.out || fail 'the recording'
    grep -q 'busy.lua' report.out || fail 'no line'
}

# Of this file's segment of code the copy says that it goes to the end of its last page: there is no room behind it.
cat >fill.lua <<'LUA'
local from, to, page = ...
local s = io.open(from, "rb"):read "a"
local first, n = string.unpack("<I8", s, 33), string.unpack("<I2", s, 57)
for at = first + 1, first + 56 * n, 56 do
  local kind, flags = string.unpack("<I4I4", s, at)
  local address, size = string.unpack("<I8", s, at + 16), string.unpack("<I8", s, at + 32)
  if kind == 1 and flags & 1 == 1 then
    size = size + -(address + size) % page
    s = s:sub(1, at + 31) .. string.pack("<I8I8", size, size) .. s:sub(at + 48)
  end
end
io.open(to, "wb"):write(s):close()
LUA

case_room() { # where the C library has no room for lmp's code, the loader has; where nothing has, lmp says so
    local file lua
    lua=$(command -v "$LUA")
    mkdir filled
    for file in "$lua" $(ldd "$lua" | grep -o '/[^ ]*'); do
        "$lua" fill.lua "$file" "filled/${file##*/}" "$(getconf PAGESIZE)" || exit 77 # a shell script
    done
    chmod +x filled/*
    begin env LD_LIBRARY_PATH="$work/filled" "filled/${lua##*/}" busy.lua
    attach
    goes_on
    detach
    ends_well
    begin env LD_LIBRARY_PATH="$work/filled" filled/ld-* "filled/${lua##*/}" busy.lua
    refused 'has no room for' "$program"
    ends_well
}

case_left() { # a thread that a killed command has sent somewhere is to come back first
    local place left
    begin "$LUA" inside.lua
    mkfifo hold
    for place in cave lua_sethook; do
        "$LMP_BUILD/attach_left" "$program" $place <hold >left &
        left=$!
        exec 9>hold
        until_true 'a thread there' grep -q sent left
        refused 'no thread of process .* could be used' "$program"
        exec 9>&-
        wait $left
        is $? 0 'the way back'
        goes_on
        attach
        goes_on
        detach
    done
    ends_well
}

case_refused() {
    refused 'takes one process'
    refused 'is not a process' x
    refused 'there is no process' 999999999
    sleep 100 &
    refused 'no functions of Lua' $!
    kill $!
    "$LMP_BUILD/attach_cxx" &
    refused 'compiled as C\+\+' $!
    kill -STOP $!
    until_true 'its stop' grep -q '^State:.T' "/proc/$!/status"
    refused 'is stopped' $!
    kill -9 $!
    mkfifo input
    "$LMP_BUILD/attach_host" --closed <input >out &
    program=$!
    exec 9>input
    until_true 'its line' grep -q closed out
    refused 'no Lua state' "$program"
    exec 9>&-
    wait "$program"
    is $? 0 'status'
    local one others
    others=${LMP_INTERPRETERS:-}
    for one in ${others//:/ }; do # others than those that there are modules for, where there are any
        local version
        version=$("$one" -v 2>&1 | grep -o '5\.[0-9]' | head -1)
        if [ "$version" = "$LMP_LUA" ] || [ -e "$LMP_BUILD/$version/luamemprofiler.so" ]; then continue; fi
        "$one" -e 'while true do end' &
        refused 'runs Lua 5|hides them' $!
        kill $!
    done
}

case_killed() { # [ROUNDS]: attach and detach killed at any moment; the program lives and works on
    local i command
    begin "$LUA" inside.lua
    for ((i = 0; i < ${1:-30}; i++)); do
        setsid "$LMP" attach --no-live --wait=1 "$program" >/dev/null 2>&1 &
        command=$!
        sleep "0.0$((RANDOM % 100))"
        kill -9 -- -$command 2>/dev/null
        wait $command 2>/dev/null
        if ((i % 3 == 0)); then
            setsid "$LMP" detach --wait=1 "$program" >/dev/null 2>&1 &
            command=$!
            sleep "0.0$((RANDOM % 100))"
            kill -9 -- -$command 2>/dev/null
            wait $command 2>/dev/null
        fi
        kill -0 "$program" || fail "round $i: the program is dead"
        ((i % 5)) || goes_on
    done
    "$LMP" detach "$program" >said 2>&1
    attach
    goes_on
    detach
    ends_well
}

"case_$1" "${@:2}"
