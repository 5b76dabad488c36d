#!/bin/sh
# release.sh - what several files say of a release agrees: the version of CMakeLists.txt is that of Debian's changelog,
# of the news and of the manual (and TAG is v and this version); every part of ./test that a workflow names is there;
# the site has every page of docs/.
#
#     release.sh SOURCES [TAG]
set -eu
cd "$1"
status=0
wrong() {
    echo "$1"
    status=1
}

version=$(sed -n 's/^project(lmp VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
[ -n "$version" ] || wrong "CMakeLists.txt names no version"
head -n 1 .package/debian/changelog | grep -qF "lmp ($version-" || wrong "debian/changelog is not of $version"
grep -m 1 '^## ' docs/NEWS.md | grep -q "^## $version\( \|\$\)" || wrong "NEWS.md begins with another version"
grep -qF "\"lmp $version\"" docs/lmp.1 || wrong "docs/lmp.1 is of another version"
[ "${2:-v$version}" = "v$version" ] || wrong "the tag $2 is not v$version"

parts=$(sed -n '/case \$part in/{n;s/[|);]//gp;q}' test)
named=$(sed -n 's/.*part[:=] *\([a-z0-9,]*\).*/\1/p' .github/workflows/*.yml | tr , '\n' | sort -u)
for part in $named; do
    case " $parts " in *" $part "*) ;; *) wrong "a workflow names a part '$part', which ./test has not" ;; esac
done
[ "$(echo "$named" | wc -w)" -gt 8 ] || wrong "too few parts in workflows: $named"

for page in docs/*.md; do
    grep -q ": $page\$" docs/mkdocs.yml || wrong "docs/mkdocs.yml lacks $page"
done
exit $status
