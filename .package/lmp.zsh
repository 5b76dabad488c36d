#compdef lmp
# Completion of lmp in zsh: `lmp complete` (ui/subcommands/cmd_complete.c) says what may stand there.
local word help prefix files i
local -a typed ended shown open shown_open
typed=("${(Q@)words[2,CURRENT-1]}" "${(Q)PREFIX}")
while IFS=$'\t' read -r word help; do
    case $word in
    '+prefix '*) prefix=${word#* } ;;
    '+files'*) files=$word ;;
    '+command '*)
        i=$((${word#* } + 1))
        shift $i words
        ((CURRENT -= i))
        _normal
        return
        ;;
    *[=:\ ]) open+=("$word") shown_open+=("$word${help:+  -- $help}") ;;
    *) ended+=("$word") shown+=("$word${help:+  -- $help}") ;;
    esac
done < <(${~words[1]} complete -- "${typed[@]}" 2>/dev/null)
i=1
compadd -l -d shown -a ended && i=0
compadd -l -S '' -d shown_open -a open && i=0
if [[ -n $files ]]; then
    compset -P "${(b)prefix}"
    files=${${files#+files}// ./ *.}
    _files ${files:+-g} ${files:+"$files"} && i=0
fi
return i
