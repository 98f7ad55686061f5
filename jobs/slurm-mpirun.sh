#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run a sweep in one Slurm job, with mpirun.
#
# Usage: sbatch jobs/slurm-mpirun.sh GRID.ini [DATABASE] [OPTION...]
#   GRID.ini   the sweep file
#   DATABASE   for the results, on a filesystem that all nodes share (default: results.db)
#   OPTION     of `espalier run`, for example --set epochs=200
#   ESPALIER=/path/to/espalier   in the environment, if espalier is not in PATH
#   REQUEUE=yes   in the environment: requeue a job that stopped early, until the sweep is done
#
# To continue a sweep that stopped, submit the same command again: finished trials never run twice.
# Lines that begin with #SBATCH are options for Slurm. Options of the sbatch command override them.

#SBATCH --job-name=espalier
# Number of ranks. Each trains one trial at a time, so more ranks than trials are useless. They may
# run on any number of nodes, of any kind.
#SBATCH --ntasks=32
# Cores of a rank: the setting `threads` of the sweep file (default 1).
#SBATCH --cpus-per-task=1
# Memory of a core. The ranks on a node share one copy of the data, with a byte for each genotype.
# Plenty: 100 MB for each rank plus 4 bytes for each genotype on each node (reduce = exact needs much
# less).
#SBATCH --mem-per-cpu=1G
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
    echo "usage: sbatch jobs/slurm-mpirun.sh GRID.ini [DATABASE] [OPTION...]" >&2
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
