#!/bin/sh
# lto.sh - the module as distributions build it, by -O3 -flto, loads, and all that it says is right.
#
#     lto.sh CMAKE SOURCE COMPILER
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
quietly() {
    "$@" >"$dir/log" 2>&1 || {
        cat "$dir/log"
        exit 1
    }
}
printf '%s\n' 'int main(void) { return 0; }' >"$dir/a.c"
"$3" -flto "$dir/a.c" -o "$dir/a" 2>"$dir/log" || {
    cat "$dir/log"
    echo "$3 cannot link with -flto here: skipped"
    exit 77
}
quietly "$1" -S "$2" -B "$dir" -DLMP_TESTS=OFF -DCMAKE_C_COMPILER="$3" \
    -DCMAKE_C_FLAGS='-O3 -flto' -DCMAKE_BUILD_TYPE=None
quietly "$1" --build "$dir" --parallel 2 --target luamemprofiler
cp "$LMP_BUILD/lmp" "$dir"
"$dir/lmp" doctor "$LUA"
