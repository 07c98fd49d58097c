#!/bin/sh
# A study on several nodes at once under SLURM: the first process has the journal, the others ask it for runs.
#
#     sbatch examples/cluster/sweep-mpi.sh
#
# Started again it continues where it was. LAUNCHER is what starts processes here: srun, or mpirun with its options.
#SBATCH --job-name=sweep
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=32
#SBATCH --time=01:00:00
set -eu
study=${STUDY:-study.yaml} name=${NAME:-study}
# shellcheck disable=SC2086
exec ${LAUNCHER:-srun} dalembert sweep "$study" -o "$name.csv" -o "$name.h5" --resume -q
