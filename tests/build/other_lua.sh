#!/bin/sh
# other_lua.sh - another Lua than 5.4 and 5.5 is refused by CMake, in one clear message; either is taken.
#
#     other_lua.sh CMAKE SOURCE
set -eu
cmake=$1 source=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0

# refused VERSION WHAT: of a machine whose only Lua is that version ("": it has none)
refused() {
    rm -rf "$dir/pc" "$dir/build"
    mkdir "$dir/pc"
    [ -z "$1" ] || printf 'Name: Lua\nDescription: Lua\nVersion: %s\nLibs: -llua\n' "$1" >"$dir/pc/lua.pc"
    if PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR="$dir/pc" "$cmake" -S "$source" -B "$dir/build" >"$dir/out" 2>&1; then
        echo "Lua '$1' was taken"
        status=1
    elif ! tr -s ' \n' '  ' <"$dir/out" | grep -qF "lmp is for Lua 5.4 and 5.5, and pkg-config has $2:"; then
        echo "Lua '$1' was refused in other words:"
        cat "$dir/out"
        status=1
    fi
}

# taken VERSION SAYS: of a machine that has that version, and no terminal's library, which is asked for next
taken() {
    rm -rf "$dir/pc" "$dir/build"
    mkdir "$dir/pc"
    for version in $1; do
        printf 'Name: Lua\nDescription: Lua\nVersion: %s\nLibs: -llua\n' "$version" >"$dir/pc/lua${version%.*}.pc"
    done
    PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR="$dir/pc" "$cmake" -S "$source" -B "$dir/build" >"$dir/out" 2>&1 || :
    grep -qF -- "-- modules for Lua $2" "$dir/out" && return
    echo "Lua $1 was not taken:"
    cat "$dir/out"
    status=1
}

taken 5.4.8 '5.4, tests on Lua 5.4'
taken 5.5.0 '5.5, tests on Lua 5.5'
taken '5.4.4 5.5.1' '5.4;5.5, tests on Lua 5.4'
refused 5.6.0 'Lua 5.6.0'
refused 5.3.6 'Lua 5.3.6'
refused '' 'no Lua'
exit $status
