# setup.sh - what ./demo and ./test share; they source it with `root` set to the source tree.
# POSIX sh. Everything here does nothing where nothing is left to do.

: "${root:?the script that sources this sets it}"

# A command run without stdin must not take the first file it opens for it.
{ true <&0; } 2>/dev/null || exec </dev/null

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# One row per need: who needs it (all, test, ci, or a part of ./test: read, pack, site, aarch64, riscv64; machine), what
# it is called, the packages of Debian, Fedora and Alpine (-: none there, so it is done without), how to see it.
needs() {
    cat <<'TABLE'
all |C compiler and make|build-essential   |gcc make     |build-base linux-headers|command -v cc && command -v make
all |CMake              |cmake             |cmake        |cmake       |command -v cmake && command -v ctest
all |pkg-config         |pkg-config        |pkgconf-pkg-config|pkgconf     |command -v pkg-config
all |wide ncurses       |libncurses-dev    |ncurses-devel|ncurses-dev |pkg-config --exists ncursesw
all |LZ4                |liblz4-dev        |lz4-devel    |lz4-dev     |pkg-config --exists liblz4
all |zlib               |zlib1g-dev        |zlib-devel   |zlib-dev    |pkg-config --exists zlib
all |Zstandard          |libzstd-dev       |libzstd-devel|zstd-dev    |pkg-config --exists libzstd
all |libmicrohttpd      |libmicrohttpd-dev |libmicrohttpd-devel|libmicrohttpd-dev|pkg-config --exists libmicrohttpd
all |Lua 5.4            |lua5.4            |lua          |lua5.4      |lua5.4 -v || lua54 -v || lua -v | grep 'Lua 5\.4'
all |Lua 5.4 headers    |liblua5.4-dev     |lua-devel    |lua5.4-dev  |pkg-config --list-all | grep -E '^lua(-?5\.?4)? '
all |Check              |check             |check-devel  |check-dev   |pkg-config --exists check
test|bash               |bash              |bash         |bash        |command -v bash
test|tmux               |tmux              |tmux         |tmux        |command -v tmux
test|curl               |curl              |curl         |curl        |command -v curl
test|jq                 |jq                |jq           |jq          |command -v jq
test|xmllint            |libxml2-utils     |libxml2      |libxml2-utils|command -v xmllint
test|luacheck           |lua-check         |-|-|command -v luacheck
test|LDoc               |lua-ldoc          |-|-|command -v ldoc
test|LuaRocks           |luarocks          |-|-|command -v luarocks
test|busted             |lua-busted        |-|-|command -v busted
test|gringo             |gringo            |-|-|command -v gringo
test|lighttpd with Lua  |lighttpd-modules-lua|-|-|ls /usr/lib/lighttpd/mod_magnet.so
test|luaunit            |lua-unit          |-|-|ls /usr/share/lua/5.4/luaunit.lua
ci,clang|clang          |clang             |clang        |clang       |command -v clang
ci  |clang's fuzzer     |libclang-rt-14-dev|-|-|ls /usr/lib/llvm-14/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a
ci  |musl               |musl-tools        |-|-|command -v musl-gcc
ci  |clang-tidy 14      |clang-tidy-14     |-|-|command -v clang-tidy-14
ci  |clang-format 14    |clang-format-14   |-|-|command -v clang-format-14
ci  |shellcheck         |shellcheck        |-|-|command -v shellcheck
ci  |zsh                |zsh               |zsh          |zsh         |command -v zsh
ci  |fish               |fish              |fish         |fish        |command -v fish
ci  |mandoc             |mandoc            |-|-|command -v mandoc
read|Graphviz           |graphviz          |-|-|command -v dot
read|valgrind's tools   |valgrind          |-|-|command -v callgrind_annotate && command -v ms_print
read|Go's pprof         |golang-go         |-|-|command -v go
read|Prometheus         |prometheus        |-|-|command -v promtool && command -v prometheus
read,site|npm           |npm               |-|-|command -v npm && command -v node
read,site|Chromium      |chromium          |-|-|type chromium || type chromium-browser || type google-chrome
site|MkDocs             |mkdocs            |-|-|command -v mkdocs
site|its theme          |mkdocs-material   |-|-|ls /usr/share/mkdocs/themes/material
pack|debhelper          |debhelper         |-|-|command -v dh
pack|lintian            |lintian           |-|-|command -v lintian
pack|autopkgtest        |autopkgtest       |-|-|command -v autopkgtest
pack|debootstrap        |debootstrap       |-|-|command -v debootstrap
aarch64|gcc for it         |gcc-aarch64-linux-gnu|-|-|command -v aarch64-linux-gnu-gcc
aarch64,riscv64|qemu-user  |qemu-user         |-|-|command -v qemu-aarch64
riscv64|gcc for it         |gcc-riscv64-linux-gnu|-|-|command -v riscv64-linux-gnu-gcc
machine|qemu for whole machines|qemu-system-arm|-|-|command -v qemu-system-aarch64
machine|cpio               |cpio              |-|-|command -v cpio
TABLE
}

# installer: how packages are got here: apt-get, dnf, apk or nothing.
installer() {
    for tool in apt-get dnf apk; do
        ! command -v $tool >/dev/null || { echo $tool && break; }
    done
}

# missing WHO: the rows of `all` and of WHO that are not there, as "packages|name".
missing() {
    needs | while IFS='|' read -r who name debian fedora alpine seen; do
        case ",${who%% *}," in *,all,* | *,"$1",*) ;; *) continue ;; esac
        case $(installer) in dnf) packages=$fedora ;; apk) packages=$alpine ;; *) packages=$debian ;; esac
        # word splitting is wanted: without the blanks that make columns
        # shellcheck disable=SC2086
        [ "$packages" = - ] || sh -c "$seen" >/dev/null 2>&1 </dev/null || echo "$(echo $packages)|"$name
    done
}

# install_missing WHO: gets what is missing through the system's installer, or says what that is and stops.
install_missing() {
    lacking=$(missing "$1")
    [ -n "$lacking" ] || return 0
    packages=$(printf '%s\n' "$lacking" | cut -d'|' -f1 | tr -s ' \n' ' ')
    case $(installer) in
    apt-get) by='env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends' ;;
    dnf) by='dnf install -y -q' ;;
    apk) by='apk add -q' ;;
    *)
        printf 'These are needed and missing:\n%s\n' \
            "$(printf '%s\n' "$lacking" | sed 's/\(.*\)|\(.*\)/  \2 (Debian: \1)/')" >&2
        die "please install them with your system's package manager, then run this again"
        ;;
    esac
    as_root='env'
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || die "please run as root: ${by#*noninteractive } $packages"
        if [ -t 0 ]; then as_root=sudo; else as_root='sudo -n'; fi
    fi
    printf 'Installing %s\n' "$packages" >&2
    # word splitting is wanted: a list of packages, and `sudo -n`
    # shellcheck disable=SC2086
    {
        [ "${by#*apt-get}" = "$by" ] || $as_root apt-get update -qq </dev/null >&2 || true # an old list may still do
        $as_root $by $packages </dev/null >&2 || die "these could not be installed: $packages"
    }
    lacking=$(missing "$1")
    [ -z "$lacking" ] || die "installed, but still not found: $(printf '%s' "$lacking" | tr '\n' ' ')"
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
