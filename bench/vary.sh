#!/bin/sh
# What a varied system costs beside one that is compiled, or read and compiled: instructions, counted by callgrind.
# usage: bench/vary.sh build/bench_vary [model name from to]
bench=$1 model=${2:-models/four-bar.yaml} name=${3:-L} from=${4:-4} to=${5:-6}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GLIBC_TUNABLES=glibc.cpu.x86_rep_stosb_threshold=100000000 # the tool counts each byte that `rep stosb` clears
count() { # what n
    valgrind --tool=callgrind --callgrind-out-file="$work/$1.$2" "$bench" "$1" "$model" "$name" "$from" "$to" "$2" 2>&1 >/dev/null |
        sed -n 's/.*Collected : //p'
}
each() { echo $((($(count "$1" 220) - $(count "$1" 20)) / 200)); }
inclusive() { # function file: its instructions with all that it calls
    callgrind_annotate --inclusive=yes --threshold=100 "$2" | grep ":$1 " | head -1 | sed 's/(.*//; s/[ ,]//g'
}
part() { echo $((($(inclusive "$1" "$work/vary.220") - $(inclusive "$1" "$work/vary.20")) / 200)); }

vary=$(each vary) compile=$(each compile) read=$(each read)
assembly=$(part dal_build_assemble) state=$(part dal_state_create) first=$(part dal_build_first)
values=$((vary - assembly - state - first))
echo "$model, another $name, in instructions"
printf '%-26s %9d\n' varied "$vary" '  assembly' "$assembly" '  state' "$state" '  rank, accelerations' "$first" '  values' "$values" \
    compiled "$compile" 'read and compiled' "$read"
awk "BEGIN {
    printf \"values: %.1f %% of a compile, %.1f %% of reading and compiling\\n\", 100 * $values / $compile, 100 * $values / $read
    printf \"varied: %.1f times fewer than reading and compiling\\n\", $read / $vary
}"
