# Completion of lmp in bash: `lmp complete` (ui/subcommands/cmd_complete.c) says what may stand there.
_lmp() {
    local i piece word help prefix='' head line
    local -a words=() first=() files=()
    # Bash parts words at "=" and ":", too. `first`: where each of lmp's words begins.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        piece=${COMP_WORDS[i]}
        ((i < COMP_CWORD)) || piece=${piece#[\"\']}
        if ((${#words[@]})) && [[ $piece == [=:]* || ${words[-1]} == *[=:] ]]; then
            words[-1]+=$piece
        else
            words+=("$piece") first+=("$i")
        fi
    done
    # What readline does not replace of the last word.
    head=${words[-1]}
    [[ $piece == [=:]* ]] || head=${head%"$piece"}
    COMPREPLY=()
    while IFS=$'\t' read -r word help; do
        line=${word#* }
        case $word in
        '+prefix '*) prefix=$line ;;
        '+files'*)
            compopt -o filenames
            while IFS= read -r word; do
                [[ -d $word || $line == +files || " $line " == *" .${word##*.} "* ]] && files+=("$prefix$word")
            done < <(compgen -f -- "${words[-1]#"$prefix"}")
            ;;
        '+command '*)
            if declare -F _command_offset >/dev/null; then
                _command_offset "${first[line]}"
            else
                compopt -o default
            fi
            return
            ;;
        *)
            if [[ $word == *\  && ${COMP_WORDS[COMP_CWORD]} != [\"\']* ]]; then word=${word% }'\ '; fi
            # Listed, the number of a process has its name.
            if [[ $word == [0-9]* && $COMP_TYPE != 9 ]]; then word+=" ($help)"; fi
            COMPREPLY+=("$word")
            ;;
        esac
    done < <("${1/#'~/'/$HOME/}" complete -- "${words[@]}" 2>/dev/null)
    COMPREPLY+=("${files[@]}")
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=:\ ] ]]; then compopt -o nospace; fi
    for i in "${!COMPREPLY[@]}"; do
        COMPREPLY[i]=${COMPREPLY[i]#"$head"}
    done
}
complete -F _lmp lmp
