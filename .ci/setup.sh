# setup.sh - what ./demo and ./test share; they source it with `root` set to the source tree.
# POSIX sh. Everything here does nothing where nothing is left to do.

: "${root:?the script that sources this sets it}"

# A command run without stdin must not take the first file it opens for it.
{ true <&0; } 2>/dev/null || exec </dev/null

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# One row per need: who needs it (all, test, ci, read: ./test --readers, pack: ./test --part=packages, a
# processor: ./test --part=aarch64), what it is called, Debian's package, how to see it.
needs() {
    cat <<'TABLE'
all  C compiler and make   build-essential    command -v cc && command -v make
all  CMake                 cmake              command -v cmake && command -v ctest
all  pkg-config            pkg-config         command -v pkg-config
all  wide ncurses          libncurses-dev     pkg-config --exists ncursesw
all  LZ4                   liblz4-dev         pkg-config --exists liblz4
all  zlib                  zlib1g-dev         pkg-config --exists zlib
all  Zstandard             libzstd-dev        pkg-config --exists libzstd
all  Lua 5.4               lua5.4             command -v lua5.4 || command -v lua54 || lua -v | grep -F 'Lua 5.4'
all  Lua 5.4 headers       liblua5.4-dev      for p in lua5.4 lua-5.4 lua54; do pkg-config --exists $p && break; done
all  Check                 check              pkg-config --exists check
test tmux                  tmux               command -v tmux
test luacheck              lua-check          command -v luacheck
test LDoc                  lua-ldoc           command -v ldoc
test LuaRocks              luarocks           command -v luarocks
test busted                lua-busted         command -v busted
test luaunit               lua-unit           ls /usr/share/lua/5.4/luaunit.lua
test xmllint               libxml2-utils      command -v xmllint
ci   clang                 clang              command -v clang
ci   clang's fuzzer        libclang-rt-14-dev ls /usr/lib/llvm-14/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a
ci   musl                  musl-tools         command -v musl-gcc
ci   clang-tidy 14         clang-tidy-14      command -v clang-tidy-14
ci   clang-format 14       clang-format-14    command -v clang-format-14
ci   shellcheck            shellcheck         command -v shellcheck
ci   zsh                   zsh                command -v zsh
ci   fish                  fish               command -v fish
ci   mandoc                mandoc             command -v mandoc
read Graphviz              graphviz           command -v dot
read valgrind's tools      valgrind           command -v callgrind_annotate && command -v ms_print
read Go's pprof            golang-go          command -v go
pack debhelper             debhelper          command -v dh
pack lintian               lintian            command -v lintian
pack debootstrap           debootstrap        command -v debootstrap
test jq                    jq                 command -v jq
read npm                   npm                command -v npm && command -v node
read Chromium              chromium           type chromium || type chromium-browser || type google-chrome
aarch64 gcc for it            gcc-aarch64-linux-gnu command -v aarch64-linux-gnu-gcc
aarch64 qemu-user             qemu-user             command -v qemu-aarch64
TABLE
}

# missing WHO: the rows of `all` and of WHO that are not there, as "name (package)".
missing() {
    needs | while read -r who rest; do
        [ "$who" = all ] || [ "$who" = "$1" ] || continue
        name=$(printf '%s' "$rest" | cut -c1-21)
        rest=$(printf '%s' "$rest" | cut -c23-)
        package=${rest%% *}
        sh -c "${rest#"$package"}" >/dev/null 2>&1 </dev/null ||
            printf '%s %s\n' "$package" "$name"
    done
}

# install_missing WHO: gets what is missing through apt, or says what that is and stops.
install_missing() {
    lacking=$(missing "$1")
    [ -n "$lacking" ] || return 0
    list=$(printf '%s\n' "$lacking" | sed 's/^\([^ ]*\) *\(.*[^ ]\) *$/  \2 (Debian: \1)/')
    packages=$(printf '%s\n' "$lacking" | awk '{ printf "%s ", $1 }')
    if [ "$(id -u)" = 0 ]; then
        as_root='env'
    elif command -v sudo >/dev/null; then
        if [ -t 0 ]; then as_root=sudo; else as_root='sudo -n'; fi
    else
        as_root=
    fi
    if [ -z "$as_root" ] || ! command -v apt-get >/dev/null; then
        printf 'These are needed and missing:\n%s\n' "$list" >&2
        if command -v apt-get >/dev/null; then die "please run as root: apt-get install $packages"; fi
        die "please install them with your system's package manager, then run this again"
    fi
    printf 'Installing %s\n' "$packages" >&2
    # word splitting is wanted: a list of packages, and `sudo -n`
    # shellcheck disable=SC2086
    {
        $as_root apt-get update -qq </dev/null >&2 || true # an old list may still do
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
            --no-install-recommends $packages </dev/null >&2 ||
            die "apt-get could not install: $packages"
    }
    lacking=$(missing "$1")
    [ -z "$lacking" ] || die "installed, but still not found: $(printf '%s' "$lacking" | tr -s ' \n' ' ')"
}

# quietly LOG COMMAND...: the command's output goes to a file, and is shown only if it fails.
quietly() {
    log=$1
    shift
    "$@" >"$log" 2>&1 </dev/null || {
        cat "$log" >&2
        return 1
    }
}

# configure DIRECTORY OPTIONS...: only when it was not configured just so.
configure() {
    dir=$root/$1
    shift
    if [ ! -e "$dir/CMakeCache.txt" ] || [ "$(cat "$dir/options" 2>/dev/null)" != "$*" ]; then
        mkdir -p "$dir"
        quietly "$dir/configure.log" cmake -S "$root" -B "$dir" -DCMAKE_RULE_MESSAGES=OFF "$@" || die "CMake failed"
        printf '%s\n' "$*" >"$dir/options"
    fi
}

# build DIRECTORY [TARGETS...]
build() {
    dir=$root/$1
    shift
    jobs=$(nproc 2>/dev/null || echo 2)
    [ $# -eq 0 ] || set -- --target "$@"
    quietly "$dir/build.log" cmake --build "$dir" --parallel "$jobs" "$@" || die "the build failed"
}

# fetch_packages DIRECTORY ARCHITECTURE SUITE PACKAGES...: Debian's, and all that they need, unpacked in
# DIRECTORY/packages by lists of their own; nothing is installed. SUITE "": that of this machine.
fetch_packages() {
    into=$1
    apt=$into/apt
    mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
    : >"$apt/status"
    options="-qq -o APT::Architecture=$2 -o APT::Architectures=$2 -o Dir::State=$apt/state
        -o Dir::State::status=$apt/status -o Dir::Cache=$apt/cache -o Debug::NoLocking=1 -o APT::Sandbox::User="
    if [ -n "$3" ]; then
        # shellcheck disable=SC2016
        mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Component: main' |
            grep -v security | head -n 1)
        printf 'deb [signed-by=%s] %s %s main\n' /usr/share/keyrings/debian-archive-keyring.gpg "$mirror" "$3" \
            >"$apt/sources.list"
        options="$options -o Dir::Etc::SourceList=$apt/sources.list -o Dir::Etc::SourceParts=/dev/null"
    fi
    shift 3
    # word splitting is wanted: a list of options
    # shellcheck disable=SC2086
    apt-get $options update && apt-get $options install -y --download-only --no-install-recommends "$@" || return 1
    rm -rf "$into/packages.new"
    mkdir -p "$into/packages.new"
    for file in "$apt"/cache/archives/*.deb; do
        dpkg-deb -x "$file" "$into/packages.new" || return 1
    done
    rm -rf "$apt/cache"
    mv "$into/packages.new" "$into/packages"
}
