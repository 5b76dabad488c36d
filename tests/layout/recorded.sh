#!/bin/bash
# recorded.sh ROOT COMPILER: the build refuses a new field of the shared state of which nobody has said whether
# it is recorded, in each struct that recordings have, and one for another's spare room.
root=$1 compiler=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp -r "$root/src/shared" "$root/src/recording" "$root/src/base" "$work"
compiles() {
    "$compiler" -std=c11 -fsyntax-only -I"$work" -I"$root/src" "$work/recording/format/fields.c" 2>"$work/err"
}
compiles || { cat "$work/err"; exit 1; }
structs=$(sed -n 's/^COVERS(\(Lmp[A-Za-z]*\),.*/\1/p' "$root/src/recording/format/fields.c")
[ "$(wc -w <<<"$structs")" -gt 20 ] || exit 1
for s in $structs; do
    header=$(cd "$root/src" && grep -l "^} $s;" shared/*.h) || { echo "where is $s?"; exit 1; }
    sed "s/^} $s;/    uint64_t added;\n&/" "$root/src/$header" >"$work/$header"
    ! compiles && grep -q "a member of $s is in no list" "$work/err" ||
        { echo "a new field of $s is accepted"; exit 1; }
    cp "$root/src/$header" "$work/$header"
done
sed -i 's/uint32_t spare0;/uint32_t added;/' "$work/shared/rows.h"
! compiles || { echo 'a field in the place of `spare0` is accepted'; exit 1; }
echo "ok: $(wc -w <<<"$structs") structs"
