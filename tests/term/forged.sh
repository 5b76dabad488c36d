#!/bin/bash
# Texts of a program are an attack: nothing that a terminal, a shell or a browser obeys comes
# through any command, from files (tests/damage/forged.c) or from a program that runs.
cd "$(dirname "$0")" && . ./lib.sh

cat >"$work/clean.lua" <<'LUA'
-- clean.lua NAME < what was printed: controls, what turns writing round, bytes that are no UTF-8;
-- of pages, markup and quotes of the program. NAME "screen": what a terminal got, where controls
-- are lmp's, but none of the program's may be.
local name, text = arg[1], io.read "a"
local function bad(what, at)
    if at then
        print(("%s: %s at byte %d: %q"):format(name, what, at, text:sub(math.max(1, at - 60), at + 60)))
        os.exit(1)
    end
end
for _, what in ipairs { "\27%]0;", "\27%[31mf", "\27%[32m\r", "\7", "\226\128\174", "\194\155", "\255" } do
    bad("forged", text:find(what))
end
if name == "screen" then os.exit(0) end
bad("control", text:find "[\0-\8\11-\31\127]")
bad("no UTF-8", not utf8.len(text) and select(2, utf8.len(text)))
for at, c in utf8.codes(text) do
    bad("control", (c >= 0x80 and c < 0xa0 or c == 0x61c or c >= 0x200b and c <= 0x200f or c >= 0x2028 and c <= 0x202e
        or c >= 0x2060 and c <= 0x206f or c == 0xfeff) and at)
end
if name:find "html" or name:find "xml" then
    bad("markup", text:find "<forged")
    bad("end of script", text:find "</script>[^\n<]")
    bad("attribute", text:find '[^\\]" forged=')
end
-- what is to be pasted: words, plain or in single quotes
for line in (text:find "<!DOCTYPE" and "" or text):gmatch "(lmp run %-[^\n]*)" do
    local command = line:gsub("  .*", ""):gsub("'[^']*'", ""):gsub("\\'", "")
    bad("a shell's characters in " .. line, command:find "[;&|<>$`\"'()*?]" and 1)
end
LUA
clean() { "$LUA" "$work/clean.lua" "$1" <"$2" || fail "$1: $(cat "$work/err")"; }

# check NAME COMMAND...: what it prints, and what it complains of.
check() {
    local name=$1
    shift
    "$@" >"$work/out" 2>"$work/err" </dev/null
    case $? in
    0) [ -s "$work/out" ] || fail "$name: nothing: $(cat "$work/err")" ;;
    1 | 2 | 3 | 127) [ -s "$work/err" ] || fail "$name: nothing is said" ;;
    *) fail "$name: status $?: $(cat "$work/err")" ;;
    esac
    case $name in *pb.gz) ;; *) clean "$name" "$work/out" ;; esac
    clean "$name-err" "$work/err"
}

formats() { "$LMP" report --list | awk -v of="$1" '/^Of/ { on = $0 ~ of } on && /^ / { print $1 }'; }

forge_files() { "$LMP_BUILD/forged" "$work" || fail "no forged files"; }

# tour COMMAND TITLE: shows it, then every panel, what lies below its rows, and lists; a picture of each.
tour() {
    local k
    type_line "clear; $LMP $1" "$2"
    key ':' && type_text 'end' && key Enter
    for k in 1 2 3 4 5 6 7 8 9 0 Tab Tab Tab Tab Tab Tab Tab Tab; do
        key "$k" Down Down Enter && stands_still 0.1
        key F p Down I && stands_still 0.1
        key Escape Escape Escape
    done
    for k in L b A; do
        key "$k" Down && stands_still 0.1
        key Escape Escape Escape
    done
    press Q '^ready>'
}

case ${1:?} in
files)
    forge_files
    cd "$work" || exit
    for format in $(formats recording); do
        name=$format
        [ "$format" != pprof ] || name=pb.gz
        check "$name" "$LMP" report "$format" forged.lmprec
        check "$name" "$LMP" report "$format" --from=2s --to=6s forged.lmprec
    done
    check memprof "$LMP" report memprof --leak-only forged.lmprec
    for format in $(formats heap); do
        name=$format
        [ "$format" != pprof ] || name=pb.gz
        case $format in icicle | treemap) name=$format-html ;; esac
        check "$name" "$LMP" report "$format" forged-2.heap
        check "$name" "$LMP" report "$format" --redact forged-2.heap
    done
    check summary "$LMP" report summary --older=forged-1.heap forged-2.heap
    check json "$LMP" report json --older=forged-1.heap forged-2.heap
    for file in forged.lmprec forged-2.heap; do
        check dump "$LMP" dump $file
        check dump "$LMP" dump --parts $file
    done
    "$LMP" record cut --from=2s -o cut.lmprec forged.lmprec >out || fail "no cut"
    "$LMP" record cut --redact -o hidden.lmprec forged.lmprec >out || fail "no cut"
    check dump "$LMP" dump cut.lmprec
    for new in cut.lmprec hidden.lmprec forged.lmprec@mark; do
        check diff "$LMP" diff --noise=0 forged.lmprec@2s $new
        check json "$LMP" diff --json --noise=0 forged.lmprec@2s $new
        check html "$LMP" diff --html --noise=0 forged.lmprec@2s $new
    done
    check diff "$LMP" diff forged-1.heap forged-2.heap
    check json "$LMP" diff --json forged-1.heap forged-2.heap
    # names of files, and what is no file of ours
    evil=$(printf 'e\033]0;x\007\302\233\r\342\200\256\377')
    cp forged.lmprec "$evil.lmprec" && cp forged-2.heap "$evil.heap" && echo x >"$evil"
    for file in "$evil.lmprec" "$evil.heap" "$evil" "$evil.none"; do
        for command in report dump replay heap "record cut" "diff forged.lmprec" "diff forged-1.heap" \
            "report --older=$evil" \
            "report --from=$evil" "report json" "report html" "report csv -o /dev/full" "report -o $evil/a/b"; do
            name=${command%% *}-err
            check "$name" "$LMP" $command "$file"
        done
        check report-err "$LMP" report "$file@$evil"
        check run-err "$LMP" run --no-live -- "$evil.none"
        check unknown-err "$LMP" "$evil"
    done
    check option-err "$LMP" report "--$evil" forged.lmprec
    ;;
display)
    # Every panel, page and question of the displays on a recording, two of them, and on heaps.
    forge_files
    open 160 40
    tour "replay forged.lmprec" 'REPLAY'
    tour "diff --show forged.lmprec@2s forged.lmprec" 'COMPARED'
    tour "heap forged-2.heap forged-1.heap" '^ Heap'
    grep -q 'forged' "$work/raw" || fail "nothing was shown"
    clean screen "$work/raw"
    for picture in "$work"/*.svg; do clean xml "$picture"; done
    ;;
program)
    # One that runs: whoever looks at it from outside, and what `lmp run` says of it at the end.
    printf -v evil 'e\033]0;forged\007\302\23331m\033[31mf\r\342\200\256\377<forged a="'
    cat >"$work/$evil.lua" <<'LUA'
local lmp = require "luamemprofiler"
local evil, kept = arg[0]:gsub("%.lua$", ""), {}
local function again(name)
    local made = assert(load("local n, kept = ... kept[n] = {} kept[-n] = function() return kept end", name))
    for n = 1, 3000 do made(n, kept) end
    kept[name] = setmetatable({}, { __name = name })
end
local file <close> = assert(io.open("program.pid", "w"))
file:write(io.open("/proc/self/stat"):read "n", "\n")
file:close()
for _, name in ipairs { evil, "@" .. evil, "=" .. evil } do
    _G[name] = again
    lmp.mark(name)
    lmp.tag(name)
    _G[name](name)
    lmp.frame(name)
end
local stop = os.time() + 1200
while arg[1] and not io.open(arg[1]) and os.time() < stop do lmp.frame(evil) lmp.mark(evil) again(evil) end
LUA
    cd "$work" || exit
    env LUA_CPATH="$LMP_BUILD/?.so" LD_PRELOAD="$LMP_PRELOAD" \
        "$LMP" run --no-live --stacks "$evil.lua" stop >first 2>&1 &
    job=$!
    wait_program
    check top "$LMP" top --list
    check snapshot "$LMP" snapshot "$program"
    check record-err timeout --preserve-status -s INT 2 "$LMP" record "$program"
    for format in summary json flat tree folded csv html; do check $format "$LMP" report $format "$program"; done
    open 160 40
    tour "top $program" 'RUNNING'
    : >stop
    clean screen "$work/raw"
    wait $job
    clean summary first
    LUA_CPATH="$LMP_BUILD/?.so" LD_PRELOAD="$LMP_PRELOAD" check run-err "$LMP" run --no-live --stacks --record \
        --snapshot=own.heap --limit='peak 1KiB' --limit="tag $evil live 1" \
        --junit=gate.xml --report=json:a.json --report=html:a.html "$evil.lua"
    for file in *.xml *.json *.html; do clean "$file" "$file"; done
    ;;
esac
echo ok
