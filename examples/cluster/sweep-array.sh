#!/bin/sh
# A study as an array of jobs under SLURM: each job makes one part of the runs, and the job behind them joins the parts.
#
#     jobs=$(sbatch --parsable examples/cluster/sweep-array.sh)
#     sbatch --dependency=afterok:$jobs --array=0 examples/cluster/sweep-array.sh merge
#
# A job that was ended by its time limit is started again by the same first line: it continues where it was.
# STUDY is the file of the study, NAME what results are called. Parts share a folder, and nothing else.
#SBATCH --job-name=sweep
#SBATCH --array=1-20
#SBATCH --cpus-per-task=4
#SBATCH --time=01:00:00
set -eu
study=${STUDY:-study.yaml} name=${NAME:-study} parts=${PARTS:-20}
if [ "${1:-}" = merge ]; then
    exec dalembert merge "$name".csv.journal.*-of-"$parts" -o "$name.csv" -o "$name.h5"
fi
exec dalembert sweep "$study" -o "$name.csv" --shard "$SLURM_ARRAY_TASK_ID/$parts" --jobs "${SLURM_CPUS_PER_TASK:-1}" --resume -q
