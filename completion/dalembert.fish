# fish completion for dalembert: commands, the options that --help of a command lists, the words that `dalembert list` knows, and files.

function __dalembert_commands
    dalembert help 2>/dev/null | string match -rg '^    ([a-z]+ +\S.*)$' | string match -v 'dalembert *' | string replace -r ' +' \t
end

function __dalembert_command
    set -l words (commandline -opc)
    set -q words[2]; and echo $words[2]
end

function __dalembert_options
    dalembert (__dalembert_command) --help 2>/dev/null | string match -ra -- '--[a-z][a-z-]*' | sort -u
end

complete -c dalembert -n 'not __dalembert_command' -f -a '(__dalembert_commands)'
complete -c dalembert -n '__dalembert_command; and string match -q -- "-*" (commandline -ct)' -f -a '(__dalembert_options)'
complete -c dalembert -n 'test "$(__dalembert_command)" = list' -f -a 'joints forces coordinates formulations stabilizations integrators warnings'
complete -c dalembert -n 'test "$(__dalembert_command)" = help' -f -a '(__dalembert_commands)'
for choice in coordinates:coordinates formulation:formulations stabilization:stabilizations integrator:integrators
    set -l pair (string split : $choice)
    complete -c dalembert -l $pair[1] -x -a "(dalembert list $pair[2] 2>/dev/null | string match -rg '^([a-z]\\S*)')"
end
complete -c dalembert -l sampling -x -a 'random latin-hypercube sobol'
complete -c dalembert -l start -x -a 'given equilibrium'
complete -c dalembert -l undetermined -x -a 'refuse derive minimum-norm'
complete -c dalembert -l parameters -x -a 'fixed struct'
complete -c dalembert -l lanes -x -a '4 8'
