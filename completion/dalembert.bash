# bash completion for dalembert: commands, options, models, and the words that `dalembert list` knows.

_dalembert()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local commands='run watch gallery eval compare check view plot snapshots equations derive generate convert ports equilibrium linearize modes response sweep merge list help version'
    local kinds='joints forces coordinates formulations stabilizations integrators'
    COMPREPLY=()

    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
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
    -o | --output | --file)
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
    --step | --rtol | --atol | --until | --every | --max-step | --event-tolerance | --set | --states | --inputs | --outputs | --time | --random | --digits | --width | --frames | --times | --count | --size | --title | --from | --to | --port | --points | --frequencies | --input | --starts | --seed | --steady | --over | --orders | --vary | --each | --channels | --jobs | --shard)
        return ;;
    esac
    case $command:$word in
    run:-*)
        mapfile -t COMPREPLY < <(compgen -W '--coordinates --formulation --stabilization --integrator --step --rtol
            --atol --until --every --max-step --event-tolerance --undetermined --start --compiled --set --floating --output --record --keep --resume --motion --open --no-equations --frames --units --json --verbose --quiet --help' -- "$word") ;;
    watch:-*)
        mapfile -t COMPREPLY < <(compgen -W '--coordinates --formulation --stabilization --integrator --step --rtol
            --atol --until --every --max-step --event-tolerance --undetermined --start --set --floating --port --open --quiet --help' -- "$word") ;;
    gallery:-*)
        mapfile -t COMPREPLY < <(compgen -W '--output --title --open --no-equations --quiet --help' -- "$word") ;;
    compare:-*)
        mapfile -t COMPREPLY < <(compgen -W '--formulations --coordinates --bodies --json --output --open --no-equations --stabilization --integrator --step
            --rtol --atol --until --max-step --event-tolerance --set --floating --quiet --help' -- "$word") ;;
    view:-*)
        mapfile -t COMPREPLY < <(compgen -W '--model --set --floating --output --open --no-equations --frames --quiet --help' -- "$word") ;;
    plot:-*)
        mapfile -t COMPREPLY < <(compgen -W '--channels --output --x --model --log --from --to --size --title --quiet --help' -- "$word") ;;
    snapshots:-*)
        mapfile -t COMPREPLY < <(compgen -W '--model --output --times --count --size --title --set --floating --quiet --help' -- "$word") ;;
    view:* | plot:* | snapshots:*)
        mapfile -t COMPREPLY < <(compgen -f -X '!*.@(csv|h5|hdf5)' -- "$word"; compgen -d -S / -- "$word") ;;
    check:-*)
        mapfile -t COMPREPLY < <(compgen -W '--along --coordinates --formulation --stabilization --integrator --step --until --set --floating --json
            --quiet --help' -- "$word") ;;
    eval:-*)
        mapfile -t COMPREPLY < <(compgen -W '--state --random --names --inverse --nearest --coordinates --formulation --stabilization --floating
            --set --digits --width --whole --json --help' -- "$word") ;;
    equations:-*)
        mapfile -t COMPREPLY < <(compgen -W '--formulation --coordinates --stabilization --time --state --set --floating --digits --width --json
            --help' -- "$word") ;;
    derive:-*)
        mapfile -t COMPREPLY < <(compgen -W '--formulation --coordinates --steps --output --set --floating --width --help' -- "$word") ;;
    generate:-*)
        mapfile -t COMPREPLY < <(compgen -W '--formulation --coordinates --parameters --lanes --jacobians --output --set --floating --help' -- "$word") ;;
    convert:-*)
        mapfile -t COMPREPLY < <(compgen -W '--output --floating --set --quiet --help' -- "$word") ;;
    ports:-*)
        mapfile -t COMPREPLY < <(compgen -W '--output --json --floating --set --quiet --help' -- "$word") ;;
    equilibrium:-*)
        mapfile -t COMPREPLY < <(compgen -W '--starts --seed --steady --coordinates --formulation --floating --set --digits --json --help' -- "$word") ;;
    linearize:-*)
        mapfile -t COMPREPLY < <(compgen -W '--at --steady --states --inputs --outputs --output --coordinates --formulation --floating --set --digits --width
            --json --help' -- "$word") ;;
    modes:-*)
        mapfile -t COMPREPLY < <(compgen -W '--at --steady --over --orders --output --size --title --coordinates --formulation --floating --set --digits --json --help' -- "$word") ;;
    response:-*)
        mapfile -t COMPREPLY < <(compgen -W '--input --output --from --to --points --frequencies --omega --file --nyquist --size --title --at --steady --coordinates
            --formulation --floating --set --digits --json --help' -- "$word") ;;
    sweep:-*)
        mapfile -t COMPREPLY < <(compgen -W '--vary --random --sampling --seed --each --channels --output --motions --journal --resume --jobs --shard --coordinates --formulation
            --stabilization --integrator --step --rtol --atol --until --every --max-step --event-tolerance --undetermined --start --set --floating --quiet --help' -- "$word") ;;
    merge:-*)
        mapfile -t COMPREPLY < <(compgen -W '--output --motions --model --quiet --help' -- "$word") ;;
    merge:*)
        mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    run:* | watch:* | gallery:* | eval:* | compare:* | check:* | equations:* | derive:* | generate:* | convert:* | ports:* | equilibrium:* | linearize:* | modes:* | response:* | sweep:*)
        mapfile -t COMPREPLY < <(compgen -f -X '!*.@(yaml|yml|urdf)' -- "$word"; compgen -d -S / -- "$word") ;;
    list:-*)
        mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$word") ;;
    list:*)
        mapfile -t COMPREPLY < <(compgen -W "$kinds" -- "$word") ;;
    help:*)
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word") ;;
    esac
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
