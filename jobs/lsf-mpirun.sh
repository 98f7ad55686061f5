#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run a sweep in one LSF job, with mpirun.
#
# Usage: GRID=grid.ini bsub < jobs/lsf-mpirun.sh
# LSF passes the environment of bsub to the job:
#   GRID=grid.ini        the sweep file
#   DATABASE=results.db  for the results, on a filesystem that all hosts share
#   OPTIONS="--set epochs=200"   for `espalier run`, separated by blanks
#   ESPALIER=/path/to/espalier   if espalier is not in PATH
#
# To continue a sweep that stopped, submit the same command again: finished trials never run twice.
# Lines that begin with #BSUB are options for LSF. Options of the bsub command override them.

#BSUB -J espalier
# Number of ranks. Each trains one trial at a time, so more ranks than trials are useless. They may
# run on any number of hosts, of any kind.
#BSUB -n 32
# Ranks on each host (without this line LSF decides), with one core for each rank. If the sweep file
# sets `threads` above 1, write core(THREADS).
#BSUB -R "span[ptile=16]"
#BSUB -R "affinity[core(1)]"
# Memory of a rank, in the unit of your site, mostly MB. The ranks on a host share one copy of the
# data, with a byte for each genotype. Plenty: 100 MB for each rank plus 4 bytes for each genotype on
# each host.
#BSUB -R "rusage[mem=1000]"
# Walltime, hours:minutes. The sweep need not finish in this time.
#BSUB -W 4:00
# LSF sends signal USR2 two minutes before the walltime ends.
#BSUB -wa USR2
#BSUB -wt 2
# LSF puts the job back into the queue if it stopped early (status 75) or a host failed (-r).
#BSUB -Q 75
#BSUB -r
# One log for each job, named after its number. A job that runs again appends to it.
#BSUB -o %J.log

if [ -z "${GRID:-}" ] || [ -z "${LSB_DJOB_NUMPROC:-}" ]; then
    echo "usage: GRID=grid.ini bsub < jobs/lsf-mpirun.sh" >&2
    exit 2
fi
grid=$GRID
database=${DATABASE:-results.db} # only rank 0 writes to it
espalier=${ESPALIER:-espalier}
if ! command -v "$espalier" >/dev/null; then
    echo "$espalier is not in PATH; set ESPALIER=/path/to/espalier" >&2
    exit 1
fi

# One thread for each matrix product, since the ranks run in parallel.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# An Open MPI built for LSF gets the hosts from LSF. For any other, these variables (for versions 4
# and 5) name the list of hosts and the program that starts a process on them.
export OMPI_MCA_orte_default_hostfile="$LSB_DJOB_HOSTFILE" OMPI_MCA_plm_rsh_agent=blaunch
export PRTE_MCA_prte_default_hostfile="$LSB_DJOB_HOSTFILE" PRTE_MCA_plm_ssh_agent=blaunch

# Print how far the sweep is: the number of finished trials, and the checkpoints of others.
progress() {
    "$espalier" export "$database" 2>/dev/null | grep -c -e ',done,' -e ',diverged,' -e ',failed,'
    "$espalier" status "$database" --section checkpoints --format csv 2>/dev/null | sed 1d
}
before=$(progress)

# espalier starts mpirun. If a rank dies, the others continue. It runs in the background, so that this
# script can react to signals. --grace: let running trials finish; they are expected to end half a
# minute before the walltime.
# shellcheck disable=SC2086
"$espalier" run "$grid" --db "$database" -n "$LSB_DJOB_NUMPROC" --grace 90s --progress plain ${OPTIONS:-} &
pid=$!
trap 'kill -USR2 "$pid"' USR1 USR2
# bkill kills the job soon, so send a second signal after a second: it ends running trials at once.
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
if [ "$status" -eq 75 ] && [ "$(progress)" = "$before" ]; then
    echo "stopped without progress: not requeued; submit the same command again"
    exit 1
fi
exit "$status"
