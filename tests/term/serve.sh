#!/bin/bash
# `lmp serve`: what it answers, whom it refuses, how it ends, and that no client harms it: serve.sh CASE
. "$(dirname "$0")/plain.sh"
command -v curl >/dev/null || { echo "curl is not installed"; exit 77; }
[ -n "${LMP_SERVES:-}" ] || { echo "lmp was built without libmicrohttpd"; exit 77; }

cat >program.lua <<'LUA'
local keep, n = {}, 0
while not io.open "stop" do
    n = n + 1
    keep[n % 5000] = { n, "text " .. n }
    if n % 1000 == 0 then local up = io.open("up", "w") up:write "up" up:close() end
end
LUA

# A program, and a server of it with OPTIONS: $program, $server and $at, where it answers.
program() {
    rm -f stop up
    LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-live --stacks program.lua >run.out 2>run.err </dev/null &
    runs=$!
    wait_file up
    until_true "the program" find_program
}
find_program() {
    local p
    for p in /proc/[0-9]*; do
        [ "$p/cwd" -ef . ] && grep -qz '^program.lua$' "$p/cmdline" 2>/dev/null &&
            [ "$(cat "$p/comm")" != lmp ] && program=${p#/proc/} && return 0
    done
    return 1
}
serve() {
    : >served
    LD_PRELOAD=$LMP_PRELOAD "$LMP" serve "$program" --prometheus=0 "$@" >served 2>err </dev/null &
    server=$!
    until_true "the server" grep -q 'ctrl-C' served
    at=$(sed -n 's|^http://\([^/]*\)/ is.*|\1|p' served)
}
ask() { curl -s --max-time 60 "$@"; }
status_of() { ask -o answer -w '%{http_code}' "$@"; }
metric() { ask "http://$at/metrics" | sed -n "s/^$1 //p"; }
sockets() { find "/proc/$server/fd" -lname 'socket:*' 2>/dev/null | wc -l; }
few_sockets() { [ "$(sockets)" -le "$1" ]; }
ended() { # status of the server, and that it has said how the program is
    wait $server
    is $? 0 "status of lmp serve"
    is "$(cat err)" '' 'what it complains of'
    has served "^program\\.lua \\($program\\), $1: .* live, .* at the peak\$"
}
# What viewers write, all of it but the number of the last repaint.
requests() {
    local fd
    for fd in "/proc/$program/fd/"*; do
        case $(readlink "$fd") in
        /memfd:*) dd if="$fd" bs=4 skip=16384 count=8 && dd if="$fd" bs=4 skip=16393 count=16375 ;;
        esac
    done 2>/dev/null | cksum
}

case_answers() {
    program
    before=$(requests)
    [ "${before#* }" = 65532 ] || fail "the program's shared state was not found"
    serve
    is "$(status_of "http://$at/metrics")" 200 metrics
    has answer '^lmp_running 1$'
    has answer '^lmp_type_live_bytes\{type="table"\} [1-9]'
    has answer '^lmp_line_live_bytes\{source="program.lua",line="4",function="main chunk"\} [1-9]'
    is "$(tail -n 1 answer)" '# EOF' 'the last line'
    is "$(awk '/^lmp_live_bytes /{ all = $2 } /^lmp_type_live_bytes/{ sum += $2 } END { print all - sum }' answer)" 0 \
        'what types lack'
    ask -D head -o answer "http://$at/metrics"
    has head '^Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8'
    is "$(status_of -I "http://$at/metrics")" 200 HEAD
    is "$(status_of "http://$at/")" 200 'the page'
    has answer '"program":"program.lua"'
    has answer "connect-src 'self'"
    hasnt answer 'while not io' # no lines of source
    grep -m 2 '^data: {"program":"program.lua",' < <(ask -N "http://$at/events") >events
    is "$(wc -l <events)" 2 events
    so_far=$(metric lmp_allocations_total)
    goes_on() { [ "$(metric lmp_allocations_total)" -gt "$so_far" ]; }
    until_true 'figures that go on' goes_on
    # and nothing else
    for path in favicon.ico ..%2f..%2fetc/passwd program.lua metrics/ control/mark; do
        [ "$(status_of "http://$at/$path")" -ge 404 ] || fail "$path is answered"
    done
    is "$(status_of -X POST "http://$at/metrics")" 405 'POST of metrics'
    is "$(status_of -X DELETE "http://$at/")" 405 DELETE
    is "$(status_of -X POST "http://$at/control/mark")" 403 'a request, read-only'
    is "$(status_of -H 'Host: evil.example' "http://$at/metrics")" 421 'another host'
    hasnt answer lmp_
    is "$(status_of -H 'Host: evil.example:80' "http://$at/events")" 421 'another host, events'
    is "$(status_of -H 'Host: localhost:9' "http://$at/metrics")" 200 localhost
    as_before() { [ "$(requests)" = "$before" ]; } # but for what a program that seems to sleep is woken by
    until_true 'requests as before' as_before
    kill -INT $server
    ended 'still running'
    touch stop
    wait $runs
    is $? 0 "status of the program"
}

case_controls() {
    umask 077
    echo 'a token of this test' | tr ' ' - >token
    program
    serve --control=token
    hasnt served a-token
    bearer='Authorization: Bearer a-token-of-this-test'
    do_it() { is "$(status_of -X POST -H "$bearer" "http://$at/control/$1")" 200 "$1"; }
    is "$(status_of -X POST "http://$at/control/pause")" 401 'without a token'
    is "$(status_of -X POST -H "${bearer}s" "http://$at/control/pause")" 401 'with another one'
    is "$(status_of -H "$bearer" "http://$at/control/pause")" 405 'by GET'
    is "$(status_of -X POST -H "$bearer" "http://$at/control/kill")" 404 'what there is not'
    do_it mark
    do_it collect
    do_it pause
    paused() { "$LMP" top --list 2>/dev/null | grep -q "^$program .*PAUSED"; }
    until_true 'the pause' paused
    steps=$(metric lmp_allocations_total)
    do_it step
    sleep 1.1 # an answer may be a second old, and nothing is to come
    [ "$(metric lmp_allocations_total)" -le $((steps + 1)) ] || fail "a step is more than one operation"
    do_it resume
    runs_on() { "$LMP" top --list 2>/dev/null | grep -q "^$program .*RUNNING"; }
    until_true 'going on' runs_on
    # a pause ends with the server, however that ends
    for signal in TERM KILL; do
        do_it pause
        until_true 'the pause' paused
        kill -$signal $server
        wait $server 2>/dev/null
        until_true "going on after $signal" runs_on
        serve --control=token
    done
    kill $server
    ended 'still running'
    serve --control
    has served "^to pause, collect and mark: http://$at/#[0-9a-f]{32}\$"
    kill $server
    wait $server
    chmod 644 token
    refuses 1 'no token: token: others than its owner may read' serve "$program" --control=token
    touch stop
    wait $runs
}

case_ends() { # with the program: who listens has the last figures
    for how in stop kill; do
        program
        serve
        : >events
        curl -sN --max-time 60 "http://$at/events" >events &
        listener=$!
        until_true 'an event' grep -q '^data: ' events
        if [ $how = stop ]; then touch stop; else kill -9 "$program"; fi
        wait $listener
        is $? 0 'the stream comes to its end'
        is "$(grep -c '^event: end' events)" 1 'last events'
        if [ $how = stop ]; then ended finished; else ended 'killed by signal 9 \(SIGKILL\)'; fi
        wait $runs
        has events '"ending":"(finished|killed by signal 9 \(SIGKILL\))"'
    done
    # one that has ended before, which `lmp run` still knows, is served until ctrl-C
    rm -f stop up
    cat >ended.sh <<'SH'
"$1" -e 'keep = { {}, {} }' &
echo $! >program.pid
wait
echo up >up
while [ ! -e stop ]; do sleep 0.1; done
SH
    LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-live -- sh ended.sh "$LUA" >run.out 2>run.err </dev/null &
    runs=$!
    wait_file up
    program=$(cat program.pid)
    serve
    stands() { [ "$(metric lmp_running)" = 0 ]; }
    until_true 'its end' stands
    sleep 1 # nothing is to come: it stays
    curl -sN --max-time 60 "http://$at/events" >events
    is $? 0 'the stream comes to its end'
    is "$(grep -c '^event: end' events)" 1 'last events'
    kill -INT $server
    wait $server
    is $? 0 status
    touch stop
    wait $runs
}

case_wrong() { # what is typed
    program
    for wrong in 'x' '1:0' '1 2' "$program --prometheus=x" "$program --prometheus=example.org:80" \
        "$program --prometheus=70000" "--nothing"; do
        # shellcheck disable=SC2086 # words
        refuses 2 '' serve $wrong
    done
    ends 1 serve 999999999
    serve
    refuses 1 "cannot listen at $at: Address already in use" serve "$program" --prometheus="$at"
    kill $server
    wait $server
    # without PID: the only one, or none is chosen
    : >served
    LD_PRELOAD=$LMP_PRELOAD "$LMP" serve >served 2>err </dev/null &
    one_or_several() { grep -q "^program.lua ($program)" served || grep -q 'which of the [0-9]* profiled' err; }
    until_true 'the only one' one_or_several
    kill $! 2>/dev/null
    LD_PRELOAD=$LMP_PRELOAD "$LMP" serve "$program" --prometheus='[::1]:0' >six 2>err </dev/null &
    until_true 'IPv6, or that there is none' grep -q 'http://\[::1\]:[0-9]*/metrics\|cannot listen' six err
    kill $! 2>/dev/null
    touch stop
    wait $runs
}

# say TEXT: a connection of its own, which stays open as long as this shell: $connection.
say() {
    exec {connection}<>"/dev/tcp/${at%:*}/${at#*:}" || fail "no connection"
    { printf '%b' "$1" >&"$connection"; } 2>/dev/null
}
said_back() { # STATUS: what the connection answers first
    IFS= read -r -t 30 line <&"$connection"
    case $line in
    "HTTP/1."?" $1"*) ;;
    *) fail "got '$line', expected status $1" ;;
    esac
    exec {connection}>&-
}
trap '' PIPE
case_clients() { # none harms the server, and each is gone in time
    program
    files=$(ulimit -Sn)
    ulimit -Sn 40
    serve # before there are connections, which it would have, too
    ulimit -Sn "$files"
    few=$server few_at=$at
    serve
    own=$(sockets)
    huge=$(head -c 100000 /dev/zero | tr '\0' x)
    say "GET /$huge HTTP/1.1\r\nHost: localhost\r\n\r\n"
    said_back 4
    say "GET / HTTP/1.1\r\nHost: localhost\r\nX: $huge\r\n\r\n"
    said_back 4
    say 'GET / HTTP/1.1\r\n\r\n'
    said_back 4
    say '\0\0\0garbage\377\376\r\n\r\n'
    exec {connection}>&-
    for _ in 1 2 3; do
        head -c 20000 /dev/urandom | timeout 5 bash -c "cat >/dev/tcp/${at%:*}/${at#*:}" 2>/dev/null
    done
    is "$(status_of "http://$at/metrics")" 200 'metrics after garbage'
    # slow to ask: a byte now and then; and silent
    say 'GET / HT'
    slow=$connection
    say ''
    began=$SECONDS
    # more than there may be: whoever asks is answered all the same, be there 300 who say nothing or 300 who ask at once
    for _ in $(seq 300); do say ''; done
    is "$(ask --max-time 5 -o /dev/null -w '%{http_code}' "http://$at/metrics")" 200 'metrics among 300 who say nothing'
    [ "$(sockets)" -le $((own + 128)) ] || fail "$(sockets) connections"
    kill -STOP $server
    asked=()
    for _ in $(seq 300); do
        say 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'
        asked+=("$connection")
    done
    kill -CONT $server
    for connection in "${asked[@]}"; do said_back 200; done
    while [ $((SECONDS - began)) -lt 25 ] && ! few_sockets "$own"; do
        { printf 'T' >&"$slow"; } 2>/dev/null
        sleep 0.5
    done
    few_sockets "$own" || fail "$(sockets) connections are open after $((SECONDS - began)) s"
    # who listens and reads nothing is dropped; who reads is not kept waiting, until nearly all do not read
    for _ in $(seq 70); do say 'GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n'; done
    is "$(status_of "http://$at/events")" 503 'one listener more'
    is "$(cat answer)" 'Too many listen already.' 'what it is told'
    is "$(status_of "http://$at/metrics")" 200 'metrics among 64 who do not read'
    # the page so often is more than the system keeps for who does not read
    pages=$(printf 'GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n%.0s' {1..50})
    for _ in $(seq 48); do say "$pages"; done
    too_many() { [ "$(status_of "http://$at/metrics")" = 503 ]; }
    until_true 'the answer that there are too many' too_many
    is "$(cat answer)" 'Too many are being answered: ask again later.' 'what it is told'
    until_true 'the end of who does not read' few_sockets "$own"
    memory=$(awk '/^VmRSS/{ print $2 }' "/proc/$server/status")
    echo "the server has $memory KiB"
    kill -INT $server
    ended 'still running'
    # and so it is where there are few descriptors
    at=$few_at
    for _ in $(seq 50); do say ''; done
    is "$(ask --max-time 5 -o /dev/null -w '%{http_code}' "http://$at/metrics")" 200 'metrics, with 40 descriptors'
    kill -INT $few
    wait $few
    is $? 0 'status with 40 descriptors'
    touch stop
    wait $runs
    is $? 0 "status of the program"
}

"case_$1"
