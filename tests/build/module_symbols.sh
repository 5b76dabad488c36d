#!/bin/sh
# module_symbols.sh - the module goes into programs of others: it shows them its own functions and
# nothing else, and brings no library along that they might have in another version.
#
#     module_symbols.sh MODULE LZ4      the library that it was linked with, a file
set -eu
module=$1 lz4=$2
status=0
for tool in nm readelf; do
    command -v $tool >/dev/null || {
        echo "$tool is not there: skipped"
        exit 77
    }
done

# shows FILE PATTERN: symbols of these names and no others.
shows() {
    shown=$(nm -D --defined-only "$1" | awk '{ print $NF }' | grep -v '^_\(init\|fini\)$')
    others=$(echo "$shown" | grep -Ev "^($2)\$" || true)
    [ -n "$shown" ] && [ -z "$others" ] && return
    echo "$1 shows other symbols than its own: $others"
    status=1
}
shows "$module" 'luaopen_.*|lmp_attach_enter|lmp_host'
shows "$LMP_BUILD/liblmp.so" 'lmp_.*'
shows "$LMP_BUILD/liblmp-preload.so" 'luaL_(requiref|openlibs|openselectedlibs)'
# What is linked into it has its notice, and that is installed with it.
for file in LICENSE docs/notices.txt; do
    find "$LMP_BUILD" -name cmake_install.cmake -exec grep -F "/$file" {} + | grep -q . || {
        echo "$file is not installed"
        status=1
    }
done
for name in LZ4 Zstandard zlib ncurses; do
    grep -q "^==== $name " "$LMP_SOURCE/docs/notices.txt" || {
        echo "docs/notices.txt does not have $name"
        status=1
    }
done
case $lz4 in
*.a)
    if readelf -d "$module" | grep NEEDED | grep -q lz4; then
        echo "the module needs liblz4, though it was there to be linked statically"
        status=1
    fi
    ;;
*) echo "there is no static liblz4 here: the module needs the shared one" ;;
esac
exit $status
