# steps.sh - real programs and what they are given to do, for scripts that run them; sourced with the
# program's name in $1. Defines steps; the caller defines step. What is not there ends it with 77.
# shellcheck shell=bash disable=SC2034 # what the caller uses
# Debian's programs stand in Lua 5.1's directories; most of them run in 5.4 all the same.
export LUA_PATH="/usr/share/lua/5.1/?.lua;/usr/share/lua/5.1/?/init.lua;$LMP_SOURCE/lua/example/?.lua;;"
unset LUA_INIT LUA_INIT_5_4 LUA_PATH_5_4
here=$LMP_SOURCE/tests/programs
form=--json
lua=$LUA

need() {
    [ -e "$1" ] || { echo "skipped: $1 is not there (./test installs it)"; exit 77; }
}

# steps RUN...: the program's commands, each run through RUN; they work in the current directory.
case $1 in
luacheck)
    need /usr/bin/luacheck && need /usr/share/lua/5.1/pl
    steps() {
        step "$@" "$lua" /usr/bin/luacheck --no-config --no-cache /usr/share/lua/5.1/pl
        step "$@" "$lua" /usr/bin/luacheck --no-config --no-cache --std lua54 "$LMP_SOURCE/lua/example"
    }
    ;;
ldoc)
    need /usr/bin/ldoc && need /usr/share/lua/5.1/pl
    steps() {
        step "$@" "$lua" /usr/bin/ldoc --date today -d doc /usr/share/lua/5.1/pl
    }
    ;;
luarocks)
    need /usr/bin/luarocks && need /usr/include/lua5.4/lua.h
    steps() {
        cp -r "$LMP_SOURCE/lua/example/pricing" "$here"/rock/*.rockspec .
        cat >config.lua <<END
lua_interpreter = "lua5.4"
variables = { LUA_BINDIR = "/usr/bin", LUA_INTERPRETER = "lua5.4", LUA_INCDIR = "/usr/include/lua5.4" }
END
        export LUAROCKS_CONFIG=config.lua HOME=$work/same/home
        for what in 'make pricing-1.0-1.rockspec' list 'show pricing' 'lint pricing-1.0-1.rockspec' \
            'remove pricing' 'show pricing' 'help install'; do
            # shellcheck disable=SC2086 # words are wanted
            step "$@" "$lua" /usr/bin/luarocks --tree "$work/same/tree" $what
        done
    }
    ;;
busted)
    need /usr/bin/busted
    steps() {
        step "$@" "$lua" /usr/bin/busted -o TAP "$here/spec"
        step "$@" "$lua" /usr/bin/busted --list "$here/spec"
    }
    ;;
options)
    steps() {
        step "$@" "$lua" "$LMP_SOURCE/lua/example/options.lua" 0.02
        step "$@" "$lua" "$LMP_SOURCE/lua/example/options.lua" nonsense
    }
    ;;
stress) # seeds for all of its ways to end; SEED=clock in the environment for a new one, besides
    steps() {
        for seed in 1 2 3 4 5 6 $more; do
            step "$@" "$lua" "$here/stress.lua" "$seed"
        done
    }
    form= # a million call paths make hundreds of megabytes of JSON
    more=${SEED:-7}
    [ "$more" != clock ] || more=$(date +%s)
    echo "seed: $more"
    ;;
*)
    echo "${0##*/}: unknown program $1" >&2
    exit 2
    ;;
esac
