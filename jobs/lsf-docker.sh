#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A sweep in one LSF job whose hosts run a container each, where LSF offers `bsub -a 'docker(IMAGE)'`.
#
#     jobs/lsf-docker.sh IMAGE GRID.ini [DATABASE]         submits it
#
# IMAGE is built as containers/Dockerfile says. The same line again goes on where this one stopped:
# finished trials are never run twice. Lines that begin with #BSUB are for LSF; add what your site
# wants, -q and -G for example.

#BSUB -J espalier
# Ranks. Each trains one trial at a time, so more ranks than trials are of no use; they may lie on
# any number of hosts, of any kind.
#BSUB -n 32
# As many of them on each host (leave it out: as LSF likes), and a core for each. With `threads` in
# the sweep file above 1: core(THREADS).
#BSUB -R "span[ptile=16]"
#BSUB -R "affinity[core(1)]"
# Memory of a rank, in the unit of your site, mostly MB. Ranks of a host share one copy of the data,
# a byte for each genotype; 100 MB for each rank and 4 bytes for each genotype and host are plenty.
#BSUB -R "rusage[mem=1000]"
# Walltime, hours:minutes. It need not be enough for the whole sweep.
#BSUB -W 4:00
# Two minutes before the walltime LSF sends USR2.
#BSUB -wa USR2
#BSUB -wt 2
# Back into the queue when it was stopped early (75) and when a host fails (-r).
#BSUB -Q 75
#BSUB -r
# One log for each job, its number in its name. A job that runs again adds to it.
#BSUB -o %J.log

# Called by hand: submit this file.
if [ $# -gt 0 ]; then
    # The sweep file, and the database that takes the results; LSF hands on the environment.
    image=$1
    GRID=${2:?"usage: $0 IMAGE GRID.ini [DATABASE]"}
    DATABASE=${3:-results.db}
    # Ranks of several hosts find each other in the network of the hosts; those of one host share
    # its /dev/shm, which is that of the host with its IPC.
    LSF_DOCKER_NETWORK=host
    LSF_DOCKER_IPC=host
    # Folders the containers see, HOST:CONTAINER, separated by spaces: this one, and where data lie.
    LSF_DOCKER_VOLUMES=${LSF_DOCKER_VOLUMES:-$PWD:$PWD}
    export GRID DATABASE LSF_DOCKER_NETWORK LSF_DOCKER_IPC LSF_DOCKER_VOLUMES
    exec bsub -a "docker($image)" <"$0"
fi

# From here on in the container on the first host.
grid=${GRID:?"usage: $0 IMAGE GRID.ini [DATABASE]"}
database=${DATABASE:-results.db}
espalier=${ESPALIER:-espalier}

# One thread for each product of matrices: the ranks are the parallelism.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# An Open MPI that was built for LSF learns the hosts from it; another one is told here, that of
# version 4 and that of 5: where they are listed, and how a process is started on them.
export OMPI_MCA_orte_default_hostfile="$LSB_DJOB_HOSTFILE" OMPI_MCA_plm_rsh_agent=blaunch
export PRTE_MCA_prte_default_hostfile="$LSB_DJOB_HOSTFILE" PRTE_MCA_plm_ssh_agent=blaunch

# How many trials the database holds the end of.
finished() {
    "$espalier" export "$database" 2>/dev/null | grep -c -e ',done,' -e ',diverged,' -e ',failed,'
}
before=$(finished)

# espalier starts mpirun, so that a rank that dies does not end the sweep. It runs beside this
# script, which could not act on a signal while waiting in the foreground. --grace: trials under way
# were begun to end half a minute before the walltime, let them.
"$espalier" run "$grid" --db "$database" -n "$LSB_DJOB_NUMPROC" --grace 90s --progress plain &
pid=$!
trap 'kill -USR2 "$pid"' USR1 USR2
# bkill: all is killed soon. A second signal, a second later, waits for no trial.
trap 'kill -USR2 "$pid"; sleep 1; kill -USR2 "$pid" 2>/dev/null' TERM

# `wait` ends early at each signal; the true exit status is that of the last one.
wait "$pid"
status=$?
while kill -0 "$pid" 2>/dev/null; do
    wait "$pid"
    status=$?
done

# 0: all trials are finished. 3: finished, some trials failed. 75: stopped early, to be continued;
# by itself only if a trial came to its end, lest it go on for ever where none does.
if [ "$status" -eq 75 ] && [ "$(finished)" -le "$before" ]; then
    echo "stopped before a single trial came to its end: not queued again; submit the same line again"
    exit 1
fi
exit "$status"
