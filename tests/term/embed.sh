#!/bin/bash
# Hosts of Lua that use lmp.h as it is installed, and hosts that do not, under liblmp-preload.so: embed.sh CASE
# shellcheck disable=SC2046 # what pkg-config says are words
. "$(dirname "$0")/plain.sh"
unset LUA_CPATH LUA_PATH LUA_INIT LUA_INIT_5_4 LMP_START
tests=$LMP_SOURCE/tests/term
[ "${LMP_LUA:-5.4}" = 5.4 ] && pkg-config --exists lua5.4 || {
    echo "skipped: hosts here are built with lua5.4.pc"
    exit 77
}

# What users have: a prefix with the module, the library, its header and lmp.pc. As a component, so that
# install_manifest.txt stays that of whoever has installed this build.
cmake --install "$LMP_BUILD" --component Unspecified --prefix "$work/prefix" >log 2>&1 ||
    fail "cmake --install: $(cat log)"
export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
lib=$work/prefix/lib

# build COMPILER SOURCE PROGRAM [PACKAGES]: as lmp.h's users do.
build() {
    "$1" -Wall -Wextra -Werror -pedantic "$2" -o "$3" -pthread \
        $(pkg-config --cflags --libs lmp ${4:-lua5.4}) >log 2>&1 || fail "$1 $2: $(cat log)"
}
# host PROGRAM ARGS...: files out and err, and $status.
host() {
    LD_PRELOAD=$LMP_PRELOAD LD_LIBRARY_PATH=$lib timeout 100 "$@" >out 2>err </dev/null
    status=$?
}

case_game() {
    build cc "$LMP_SOURCE/lua/example/host/game.c" ./game
    host ./game 600
    is "$status" 0 status
    lines err 0
    has out '^[0-9]+ kB live, the limit is 200 kB'
    has out '^  game.lua:7  [0-9]+ kB$'
    has out '^frame [1-6]?[05]0 made most: [0-9]+ kB in [0-9]+ allocations$'
    has out '^[0-9]+ kB at most, [0-9]+ collections$'
    host ./game 600 "record='the game.lmprec' stacks=true name='a game'"
    is "$status$(cat err)" 0 'status, errors'
    closed() { lmp report json 'the game.lmprec' && [ $status = 0 ] && grep -q '"frames":600' out; }
    until_true 'the recording' closed
    has out '"program":"a game"'
    has out '"frames":600'
    has out '"short_src":"game.lua","line":7'
    lmp report csv 'the game.lmprec@limit'
    has out 'game.lua'
    host ./game 10 record=/dev/full/x.lmprec # and the game goes on
    is "$status" 0 'status without a profile'
    has err '^game: /dev/full/x.lmprec: cannot write the file: Not a directory \(FILE\)$'
    lines out 0
    host ./game 10 'stack=true'
    has err "unknown option 'stack'; there are: live"
}

case_server() {
    build cc "$LMP_SOURCE/lua/example/host/server.c" ./server
    for options in '' stacks=true sample=1KiB lines=false; do
        host ./server 2000 "$options summary='$work/summary'"
        is "$status$(cat err)" 0 "status and errors with $options"
        is "$(grep -c ': 2000 requests, [1-9][0-9]* kB live' out)" 2 workers
    done
}

case_cxx() {
    local some='' named=no # Debian's library for C++, which from 13 on exports no names of C
    echo 'extern "C" int lua_gettop(void *); int main() { return lua_gettop(nullptr); }' >names.cpp
    # shellcheck disable=SC2046 # a list
    ! c++ names.cpp -o names $(pkg-config --libs lua5.4-c++) 2>/dev/null || named=yes
    for compiler in g++ clang++; do
        command -v $compiler >/dev/null || continue
        some=yes
        [ $named = yes ] || continue
        build $compiler "$tests/embed.cpp" ./embed lua5.4-c++
        host ./embed
        is "$(cat out err)" "done" "what a program of $compiler says"
        is "$status" 0 "status of what $compiler has made"
    done
    [ $some ] || { echo 'skipped: no C++ compiler' && exit 77; }
    [ $named = yes ] || echo 'no library of Lua for C++ that has names of C: the header alone was tried'
    for standard in c99 c11 c17; do # the header alone, by whoever includes it first
        echo '#include <lmp.h>' | cc -std=$standard -pedantic -Wall -Wextra -Werror -fsyntax-only -x c \
            -I"$work/prefix/include" - || fail "lmp.h in $standard"
    done
}

cat >small.c <<'C'
#include <lmp.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
static void say(const char *what, int err) { printf("%s %s %s\n", what, err ? lmp_error_name(err) : "0", lmp_why()); }
int main(int argc, char **argv) {
    lua_State *L = luaL_newstate();
    lmp_Figures f = {.seconds = -1};
    if (!getenv("NO_LIBS")) luaL_openlibs(L);
    if (argc > 1 && luaL_dostring(L, argv[1])) printf("%s\n", lua_tostring(L, -1));
    say("mark", lmp_mark(L, "one"));
    say("start", lmp_start(L, getenv("OPTIONS")));
    say("figures", lmp_figures(L, &f));
    if (argc > 2 && luaL_dostring(L, argv[2])) printf("%s\n", lua_tostring(L, -1));
    printf("running %d, known %d, version %d\n", lmp_running(L), f.seconds >= 0, lmp_api_version());
    say("stop", lmp_stop(L, NULL));
    lua_close(L);
    return 0;
}
C

case_one_copy() { # of the module, whoever loads it
    build cc small.c ./small
    copies="local n, f = 0, io.open '/proc/self/maps'
        for l in f:lines() do if l:find 'r%-xp.*luamemprofiler%.so' then n = n + 1 end end print('copies', n)"
    host ./small "package.cpath = '' print(pcall(require, 'luamemprofiler'))" \
        "package.cpath = '' local lmp = require 'luamemprofiler' require 'luamemprofiler.busted'
        print(lmp.stats().live_bytes > 0) $copies"
    has out '^false'
    has out '^true$'
    has out '^copies	1$'
    has out 'running 1, known 1, version 1'
    cp "$lib/lua/5.4/luamemprofiler.so" . # a script loads its own
    host ./small "package.cpath = './?.so' print(require 'luamemprofiler'.start())" "$copies"
    is "$(head -n 2 out)" "true
mark 0 " 'what a script has started is running for the host'
    has out '^start STARTED the profiler is already running'
    has out '^copies	1$'
    LD_LIBRARY_PATH=$lib ends 0 run --no-live -- ./small '' "$copies"
}

case_absent() { # without the module the host runs on
    build cc small.c ./small
    mv "$lib/lua" "$lib/away"
    host ./small 'print "works"'
    is "$status$(grep -c 'NOMODULE' out)" 04 'status, refusals'
    has out '^works$'
    has out '^start NOMODULE the module luamemprofiler cannot be loaded: there is no luamemprofiler.so for Lua 5.4$'
    mkdir -p "$lib/lua/5.4"
    echo text >"$lib/lua/5.4/luamemprofiler.so"
    host ./small
    has out '^start NOMODULE the module .*: .*luamemprofiler.so: (file too short|invalid ELF header)'
    echo 'int lmp_host[2] = {77, 8};' | cc -shared -fPIC -x c - -o "$lib/lua/5.4/luamemprofiler.so"
    host ./small
    has out '^start NOMODULE .*luamemprofiler.so is of another version of lmp$'
    rm -r "$lib/lua"
    mv "$lib/away" "$lib/lua"
    # Lua inside, and hidden: no module of Lua can be loaded there.
    cc small.c -o ./hidden -I"$work/prefix/include" $(pkg-config --cflags lua5.4) -L"$lib" -llmp -l:liblua5.4.a -lm -ldl
    host ./hidden 'print "works"'
    is "$status" 0 status
    has out '^works$'
    has out '^start NOMODULE .*no functions of Lua 5.4 or 5.5 can be seen \(linked statically and hidden\?\)$'
    cc small.c -o ./shown -I"$work/prefix/include" $(pkg-config --cflags lua5.4) -L"$lib" -llmp -l:liblua5.4.a \
        -Wl,-E -lm -ldl
    host ./shown
    has out '^start 0 $'
    # Another Lua.
    pkg-config --exists lua5.1 || return 0
    echo '#include <lmp.h>
        #include <lauxlib.h>
        int main(void) { return lmp_start(luaL_newstate(), NULL) == LMP_ERR_NOMODULE ? 0 : 1; }' >other.c
    build cc other.c ./other lua5.1
    host ./other
    is "$status" 0 'refusal of Lua 5.1'
}

case_local() { # Lua was loaded for a plug-in alone
    cc -shared -fPIC small.c -Dmain=plugin -o plugin.so $(pkg-config --cflags --libs lmp lua5.4)
    echo '#include <dlfcn.h>
        #include <stddef.h>
        int main(void) { char *argv[] = {"x", NULL}; int (*f)(int, char **);
            *(void **)&f = dlsym(dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL), "plugin"); return f(1, argv); }' >opens.c
    cc opens.c -o opens -ldl
    host ./opens
    is "$status" 0 status
    has out '^start 0 $'
    has out 'running 1, known 1'
}

# A host that has never heard of lmp.
cat >plain.c <<'C'
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    lua_State *L = luaL_newstate();
    if (getenv("NO_LIBS")) luaL_requiref(L, "_G", luaopen_base, 1), luaL_requiref(L, "package", luaopen_package, 1);
    else luaL_openlibs(L);
    lua_settop(L, 0);
    luaL_dostring(L, "package.cpath = ''");
    if (argc > 1 && luaL_dostring(L, argv[1])) printf("%s\n", lua_tostring(L, -1));
    printf("top %d\n", lua_gettop(L));
    lua_close(L);
    return 0;
}
C
preload=$(pkg-config --variable=preload lmp)
preloaded() {
    LD_PRELOAD="$LMP_PRELOAD $preload" timeout 100 "$@" >out 2>err </dev/null
    status=$?
}

case_preload() {
    cc plain.c -o plain $(pkg-config --cflags --libs lua5.4)
    local asks="local ok, lmp = pcall(require, 'luamemprofiler') print(ok, ok and pcall(lmp.stats))"
    host ./plain "$asks"
    has out '^false'
    for libs in '' 1; do
        export NO_LIBS=$libs
        [ $libs ] || unset NO_LIBS
        preloaded ./plain "$asks"
        has out '^true	false'
        has out '^top 0$'
        preloaded ./plain "require 'luamemprofiler'.start() local t = {} for i = 1, 100 do t[i] = {i} end"
        summary
        mkdir "empty$libs" # lmp learns anew, in states of its own, which are offered to nobody
        LMP_CACHE=$PWD/empty$libs LMP_START='' preloaded ./plain "$asks"
        has out '^true	true$'
        LMP_START='summary=true stacks=true' preloaded ./plain 't = {} for i = 1, 100 do t[i] = {i} end'
        summary
        LMP_START='stacks=perhaps' preloaded ./plain "$asks"
        has out '^true	false'
        is "$(cat err)" "lmp: option 'stacks' must be a boolean, got 'perhaps'" 'what is said'
    done
    unset NO_LIBS
    # Lua in a library that a plug-in of the host has for itself.
    cc -shared -fPIC -Dmain=plugin plain.c -o plugin.so $(pkg-config --cflags --libs lua5.4)
    cat >plugged.c <<'C'
#include <dlfcn.h>
int main(int argc, char **argv) {
    void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
    return plugin ? ((int (*)(int, char **))dlsym(plugin, "plugin"))(argc, argv) : 9;
}
C
    cc plugged.c -o plugged -ldl
    LMP_START='' preloaded ./plugged 'print "works"'
    is "$status$(head -n 1 out)" 0works 'in a plug-in'
    # lmp run, on a host that looks at no LUA_INIT, by itself; below a shell, too.
    for words in './plain "$0"' './plain "$0"; true'; do
        LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-live --json=r.json -- sh -c "$words" \
            't = {} for i = 1, 100 do t[i] = {i} end' >out 2>err
        has r.json '"program":"plain"'
        has r.json '"line":1'
        rm r.json
    done
    LD_PRELOAD=$LMP_PRELOAD "$LMP" run --no-live -- ./plain 't = {} for i = 1, 100 do t[i] = {i} end' >out 2>err
    summary
    # And on one that does.
    LD_PRELOAD="$LMP_PRELOAD $preload" "$LMP" run --no-live -- "$LUA" \
        -e "assert(require 'luamemprofiler'.start())" >out 2>err
    is $? 0 'status of an interpreter'
    summary
    mv "$lib/lua" "$lib/away"
    preloaded ./plain 'print "works"'
    is "$status$(head -n 1 out)" 0works 'without the module'
    is "$(cat err)" 'lmp: the module luamemprofiler cannot be loaded: there is no luamemprofiler.so for Lua 5.4' said
    preloaded true # a program without Lua
    is "$status$(cat err)" 0 'status of a program without Lua'
}

case_attached() { # what lmp attach has loaded, the host's calls find
    build cc small.c ./small
    LD_PRELOAD=$LMP_PRELOAD LD_LIBRARY_PATH=$lib ./small "io.open('ready', 'w'):write('yes'):close()
        local t repeat t = {} local f = io.open 'go' until f" '' >said 2>&1 &
    wait_file ready
    lmp attach --no-live $!
    touch go
    wait
    if grep -Eq 'not permitted|lets a process|seccomp|aarch64 only' err; then
        echo "skipped: $(cat err)" && exit 77
    fi
    is $status 0 "status of attach"
    has said '^mark 0 $'
    has said '^start STARTED '
}

"case_$1"
