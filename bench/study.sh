#!/bin/sh
# What a study costs: threads, the loop in C that does the same, and the memory of a million rows.
# usage: bench/study.sh build/bench_study build/dalembert [runs of the four-bar] [rows]
# Wall times mean something on a quiet machine only; CPU times and instructions nearly always do.
bench=$1 program=$2 runs=${3:-10000} rows=${4:-1000000}
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{ cat "$here/models/four-bar.yaml"; echo 'record: [A.angle]'; } >"$work/four-bar.yaml"
measure() { "$bench" "$work/four-bar.yaml" m 2 4 A.angle "$1" "$2" "$work/journal"; }

echo "$runs runs of the four-bar, 1 s each; for each run"
for jobs in 0 1 2 0 1 2; do measure "$runs" $jobs; done

if command -v valgrind >/dev/null; then
    count() { # instructions of $1 runs
        valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" "$work/four-bar.yaml" m 2 4 A.angle "$1" "$2" "$work/journal" 2>&1 >/dev/null |
            sed -n 's/.*Collected : //p'
    }
    loop=$((($(count 30 0) - $(count 10 0)) / 20)) study=$((($(count 30 1) - $(count 10 1)) / 20))
    echo "instructions of a run: loop $loop, study $study: $(awk "BEGIN {printf \"%.2f\", 100 * ($study - $loop) / $loop}") % above it"
fi

cat >"$work/oscillator.yaml" <<'END'
dalembert: 1
space: planar
parameters: {w: 3, a: 1}
ground: {points: {O: {at: [0, 0], x: [1, 0]}}}
bodies: {m: {mass: 1.3, inertia: 0.1, points: {P: {at: [0, 0], x: [1, 0]}}}}
joints: {A: {type: prismatic, connect: [ground.O, m.P], start: {distance: a}}}
forces: {k: {type: motor, joint: A, value: -1.3*w^2*A.distance}}
record: [A.distance]
simulate: {until: 0.02, every: 0.01, coordinates: joint, formulation: recursive, integrator: rk4, step: 0.01}
END
peak() { # the largest memory of a command, MB
    /usr/bin/env python3 -c 'import resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
print("%-28s %6.1f MB%s" % (sys.argv[1], resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, "" if code == 0 else "  failed"))' "$@"
}
side=$(awk "BEGIN {printf \"%d\", sqrt($rows)}")
echo "$((side * side)) rows of two summaries: the largest memory"
peak 'runs and .csv' "$program" sweep "$work/oscillator.yaml" --vary w=1:10:$side --vary a=0.1:1:$side --each 'x=final(A.distance)' \
    --each 'f=max(A.force.x)' --journal "$work/journal" -o "$work/study.csv" -q
for type in h5 html; do peak ".$type" "$program" merge "$work/journal" -o "$work/study.$type" -q; done
