#!/bin/sh
# The cost of one acceleration of a planar chain of ten bodies, under every formulation that applies, as a table.
# usage: bench/formulations.sh build/bench_formulations build/dalembert
bench=$1 program=$2
count() { # instructions of a run with $3 evaluations
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" "$1" "$2" "$3" 2>&1 >/dev/null | sed -n 's/.*Collected : //p'
}
printf '%-10s %-18s %12s %14s\n' family formulation 'us' instructions
for family in joint angle euler natural; do
    for formulation in $("$program" list formulations | awk 'NF && !/^[A-Z]/ {print $1}'); do
        if time=$("$bench" $family "$formulation" 2000); then
            instructions=-
            if command -v valgrind >/dev/null; then
                few=$(count $family "$formulation" 10) many=$(count $family "$formulation" 110)
                instructions=$(((many - few) / 100))
            fi
            printf '%-10s %-18s %12s %14s\n' $family "$formulation" "$(awk "BEGIN {printf \"%.2f\", 1e6 * $time}")" "$instructions"
        else
            printf '%-10s %-18s %s\n' $family "$formulation" "$time"
        fi
    done
done
