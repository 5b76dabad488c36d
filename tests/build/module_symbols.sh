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

shown=$(nm -D --defined-only "$module" | awk '{ print $NF }' |
    grep -v -e '^luaopen_' -e '^lmp_attach_enter$' -e '^_\(init\|fini\)$' || true)
if [ -n "$shown" ]; then
    echo "the module shows other symbols than its own: $shown"
    status=1
fi
nm -D --defined-only "$module" | grep -q luaopen_luamemprofiler || {
    echo "nm shows nothing of the module"
    status=1
}
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
