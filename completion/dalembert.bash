# bash completion for dalembert: commands, the options that --help of a command lists, the words that `dalembert list` knows, and files.

_dalembert()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local kinds='joints forces coordinates formulations stabilizations integrators warnings'
    COMPREPLY=()

    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$(_dalembert_commands)" -- "$word")
        return
    fi
    case $before in
    --coordinates)
        local every=
        [[ $command == compare ]] && every=all
        mapfile -t COMPREPLY < <(compgen -W "$every $(_dalembert_names coordinates)" -- "$word")
        return ;;
    --formulation | --stabilization | --integrator)
        mapfile -t COMPREPLY < <(compgen -W "$(_dalembert_names "${before#--}s")" -- "$word")
        return ;;
    --formulations)
        mapfile -t COMPREPLY < <(compgen -W "all $(_dalembert_names formulations)" -- "$word")
        return ;;
    --state)
        [[ $command == eval ]] && mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return ;;
    --at)
        mapfile -t COMPREPLY < <(compgen -W 'start equilibrium steady' -- "$word"; compgen -f -- "$word")
        return ;;
    -m | --model)
        mapfile -t COMPREPLY < <(compgen -f -X '!*.@(yaml|yml|urdf)' -- "$word"; compgen -d -S / -- "$word")
        return ;;
    -c | --channels | -x | --x)
        mapfile -t COMPREPLY < <(_dalembert_channels "$word")
        return ;;
    -o | --output | --file | --journal)
        [[ $command:$before == response:--output ]] && return
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return ;;
    --sampling)
        mapfile -t COMPREPLY < <(compgen -W 'random latin-hypercube sobol' -- "$word")
        return ;;
    --start)
        mapfile -t COMPREPLY < <(compgen -W 'given equilibrium' -- "$word")
        return ;;
    --undetermined)
        mapfile -t COMPREPLY < <(compgen -W 'refuse derive minimum-norm' -- "$word")
        return ;;
    --parameters)
        mapfile -t COMPREPLY < <(compgen -W 'fixed struct' -- "$word")
        return ;;
    --lanes)
        mapfile -t COMPREPLY < <(compgen -W '4 8' -- "$word")
        return ;;
    --step | --rtol | --atol | --until | --every | --max-step | --event-tolerance | --set | --states | --inputs | --outputs | --time | --random | --digits | --width | --frames | --times | --count | --size | --title | --from | --to | --port | --points | --frequencies | --input | --starts | --seed | --steady | --over | --orders | --vary | --each | --channels | --jobs | --shard | --motions | --record)
        return ;;
    esac
    case $command:$word in
    *:-*)
        mapfile -t COMPREPLY < <(compgen -W "$(_dalembert_options "$command")" -- "$word") ;;
    view:* | plot:* | snapshots:*)
        mapfile -t COMPREPLY < <(compgen -f -X '!*.@(csv|h5|hdf5)' -- "$word"; compgen -d -S / -- "$word") ;;
    merge:*)
        mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    list:*)
        mapfile -t COMPREPLY < <(compgen -W "$kinds" -- "$word") ;;
    help:*)
        mapfile -t COMPREPLY < <(compgen -W "$(_dalembert_commands)" -- "$word") ;;
    *)
        mapfile -t COMPREPLY < <(compgen -f -X '!*.@(yaml|yml|json|urdf)' -- "$word"; compgen -d -S / -- "$word") ;;
    esac
}

# The commands of `dalembert help`, and the options that the help of a command lists.
_dalembert_commands()
{
    "${COMP_WORDS[0]}" help 2>/dev/null | awk '/^    [a-z]+ / && $1 != "dalembert" { print $1 }'
}

_dalembert_options()
{
    "${COMP_WORDS[0]}" "$1" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u
}

# The first words of the lines of `dalembert list KIND`.
_dalembert_names()
{
    "${COMP_WORDS[0]}" list "$1" 2>/dev/null | while read -r name _; do echo "$name"; done
}

# The columns of the CSV file on the command line; in a list, behind its last comma.
_dalembert_channels()
{
    local file head= word=$1
    [[ $word == *,* ]] && head=${word%,*},
    for file in "${COMP_WORDS[@]:2}"; do
        [[ $file == *.csv && -r $file ]] || continue
        head -n 1 "$file" | tr ',' '\n' | while read -r name; do [[ $head$name == "$word"* ]] && echo "$head$name"; done
    done
}

complete -o filenames -F _dalembert dalembert
