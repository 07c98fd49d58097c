#!/bin/sh
# The benchmarks against other engines, interleaved so that a slow minute of the machine hits all of them; the fastest batch counts.
# usage: bench/run.sh FOLDER [ROUNDS [PAGE]]
#   FOLDER: where the programs were built; the table goes to FOLDER/table.md as well
#   PAGE:   a page whose part between the lines "<!-- table -->" and "<!-- end -->" becomes the table
set -eu
here=$(dirname "$0") folder=$1 rounds=${2:-5} page=${3:-}
values=$folder/values results=$folder/results.txt
trees='chain7 chain20 chain100 chain1000 arm7 humanoid30'
export OPENBLAS_NUM_THREADS=1

have() { [ -x "$folder/bench_$1" ]; }
say() { printf '%s\n' "$*" >&2; }
run() { program=$1; shift; "$folder/bench_$program" "$@" >>"$results"; }

rm -rf "$values" "$folder"/callgrind.out*
mkdir -p "$values"
: >"$results"
engines=
for engine in mujoco simbody; do
    if have ${engine}_trees; then engines="$engines $engine"; else say "$engine is not installed: left out"; fi
done

round=1
while [ "$round" -le "$rounds" ]; do
    say "round $round of $rounds"
    for model in $trees; do
        run trees "$values" "$model"
        for engine in $engines; do
            run ${engine}_trees "$values" "$model"
            run trees "$values" "$model"
        done
    done
    for n in 2 40 400 4000; do
        run four_bars acceleration $n
        # mjData of MuJoCo 2 holds dense blocks of all rows: 4000 loops do not fit; Simbody's time grows with the cube of N
        if [ $n -le 400 ] && have mujoco_four_bars; then run mujoco_four_bars "$values" acceleration $n; fi
        if { [ $n -le 40 ] || { [ $n -eq 400 ] && [ "$round" -eq 1 ]; }; } && have simbody_four_bars; then
            run simbody_four_bars acceleration $n
        fi
    done
    round=$((round + 1))
done

say 'ten seconds of the four-bar linkages'
for n in 2 40 400 4000; do
    run four_bars run $n
    if [ $n -le 400 ] && have mujoco_four_bars; then run mujoco_four_bars "$values" run $n; fi
    if [ $n -le 40 ] && have simbody_four_bars; then run simbody_four_bars run $n; fi
    if [ $n -le 40 ]; then run four_bars run $n; fi
done

if command -v valgrind >/dev/null; then
    say 'instructions'
    calls=10
    for model in $trees; do
        valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file="$folder/callgrind.out.$model" \
            "$folder/bench_trees" --count $calls "$model" 2>"$folder/callgrind.log"
    done
    awk -v calls=$calls '
        /^desc: Trigger: Client Request:/ { model = $(NF - 1); quantity = $NF }
        /^desc: Trigger: Program/ { model = "" }
        /^summary:/ && model { print "dalembert", model, quantity "-instructions", $2 / calls }' "$folder"/callgrind.out.* >>"$results"
else
    say 'valgrind is not installed: no instructions'
fi

version() { dpkg-query -W -f "$2 \${Version}, " "$1" 2>/dev/null || true; }
{
    printf 'Measured on %s: %s, ' "$(date +%Y-%m-%d)" "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
    [ -z "$engines" ] || { version libmujoco-dev MuJoCo; version libsimbody-dev Simbody; }
    printf 'rounds: %s.\n\n' "$rounds"
    awk -f "$here/table.awk" "$results"
} | tee "$folder/table.md"

if [ -n "$page" ]; then
    awk -v table="$folder/table.md" '
        /^<!-- end -->/ { inside = 0 }
        !inside
        /^<!-- table -->/ { inside = 1; while ((getline line < table) > 0) print line }' "$page" >"$folder/page.md"
    cat "$folder/page.md" >"$page"
fi
