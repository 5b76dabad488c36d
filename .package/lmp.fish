# Completion of lmp in fish: `lmp complete` (ui/subcommands/cmd_complete.c) says what may stand there.
function __lmp_complete
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    set -l current (commandline --cut-at-cursor --current-token)
    set -l typed (string unescape -- "$current")
    set -l prefix
    for line in ($words[1] complete -- $words[2..] "$typed" 2>/dev/null)
        switch $line
            case '+prefix *'
                set prefix (string replace -- '+prefix ' '' $line)
            case '+files*'
                set -l ends (string split --no-empty ' ' (string replace -- '+files' '' $line))
                for file in (__fish_complete_path (string replace -- "$prefix" '' "$typed"))
                    if not set -q ends[1]; or string match -rq -- '/(\t|$)|('(string join '|' -- (string escape --style=regex -- $ends))')(\t|$)' $file
                        echo "$prefix$file"
                    end
                end
            case '+command *'
                set -l first (math (string replace -- '+command ' '' $line) + 2)
                complete -C (string join ' ' -- (string escape -- $words[$first..]) "$current")
            case '*'
                echo $line
        end
    end
end
complete -c lmp -f -a '(__lmp_complete)'
