#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run a sweep whose programs use GPUs in one Slurm job, with mpirun.
#
# Usage: sbatch jobs/slurm-gpu.sh GRID.ini [DATABASE] [OPTION...]
#   GRID.ini   the sweep file, with gpus = 1 in [resources] (or 0.5, 2 ...)
#   DATABASE   for the results, on a filesystem that all nodes share (default: results.db)
#   OPTION     of `espalier run`, for example --set gpus=0.5
#   ESPALIER=/path/to/espalier   in the environment, if espalier is not in PATH
#   REQUEUE=yes   in the environment: requeue a job that stopped early, until the sweep is done
#
# To continue a sweep that stopped, submit the same command again: finished trials never run twice.
# Lines that begin with #SBATCH are options for Slurm. Options of the sbatch command override them.

#SBATCH --job-name=espalier
# GPUs of each node. Not --gpus-per-task: mpirun starts one task on each node, which would then see
# the GPUs of that task alone.
#SBATCH --nodes=1
#SBATCH --gres=gpu:4
# Ranks on each node. Each runs one program at a time and needs `gpus` GPUs for it: 4 ranks for gpus =
# 1, 8 for gpus = 0.5, 2 for gpus = 2.
#SBATCH --ntasks-per-node=4
# Cores of a rank: what one program uses, and the setting `threads` of the sweep file.
#SBATCH --cpus-per-task=8
# Memory of a core: what one program uses, divided by its cores.
#SBATCH --mem-per-cpu=4G
# Walltime. The sweep need not finish in this time.
# No trial starts in the last two minutes (--signal), so ask for at least ten.
#SBATCH --time=04:00:00
# Slurm sends signal USR2 two minutes before the walltime ends ("B:": to this script, not to ranks).
#SBATCH --signal=B:USR2@120
# If a node fails, Slurm puts the job back into the queue.
#SBATCH --requeue
# One log for each job, named after job and number. A job that runs again appends to it.
#SBATCH --output=%x-%j.log
#SBATCH --open-mode=append

if [ $# -eq 0 ] || [ -z "${SLURM_NTASKS:-}" ]; then
    echo "usage: sbatch jobs/slurm-gpu.sh GRID.ini [DATABASE] [OPTION...]" >&2
    exit 2
fi
# A word that is no option names the database, and so does --db. The options go to `run`.
grid=$1 database=results.db # only rank 0 writes to it
shift
case ${1:--} in
-*) ;;
*)
    database=$1
    shift
    ;;
esac
previous=''
for word; do
    case $previous,$word in
    --db,*) database=$word ;;
    *,--db=*) database=${word#--db=} ;;
    esac
    previous=$word
done
requeue=${REQUEUE:-no}
espalier=${ESPALIER:-espalier}
if ! command -v "$espalier" >/dev/null; then
    echo "$espalier is not in PATH; set ESPALIER=/path/to/espalier" >&2
    exit 1
fi

# One thread for each matrix product, since the ranks run in parallel.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# Print how far the sweep is: the number of finished trials, and the checkpoints of others.
progress() {
    "$espalier" export "$database" 2>/dev/null | grep -c -e ',done,' -e ',diverged,' -e ',failed,'
    "$espalier" status "$database" --section checkpoints --format csv 2>/dev/null | sed 1d
}
before=$(progress)

# espalier starts mpirun, which gets the hosts from Slurm. If a rank dies, the others continue. It runs
# in the background, so that this script can react to signals. --grace: let running trials finish;
# they are expected to end half a minute before the walltime.
"$espalier" run "$grid" --db "$database" -n "$SLURM_NTASKS" --grace 90s --progress plain "$@" &
pid=$!
# --signal sends USR2; so may you, with scancel --batch --signal=USR2.
trap 'echo "USR2 has come (#SBATCH --signal): no new trials start"; kill -USR2 "$pid"' USR1 USR2
# scancel kills the job soon, so send a second signal after a second: it ends running trials at once.
trap 'kill -USR2 "$pid"; sleep 1; kill -USR2 "$pid" 2>/dev/null' TERM

# `wait` returns early at each signal; the last `wait` gives the true exit status.
wait "$pid"
status=$?
while kill -0 "$pid" 2>/dev/null; do
    wait "$pid"
    status=$?
done

# Exit status 0: all trials are finished. 3: finished, some trials failed. 75: stopped early. The job
# is requeued only if there was progress; otherwise it might be requeued forever.
if [ "$status" -eq 75 ] && [ "$requeue" = yes ] && [ "$(progress)" != "$before" ]; then
    exec scontrol requeue "$SLURM_JOB_ID"
fi
[ "$status" -ne 75 ] || echo "not finished: submit the same command again, or scontrol requeue $SLURM_JOB_ID"
exit "$status"
