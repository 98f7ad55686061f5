#!/bin/sh
# A sweep under Slurm: jobs/slurm-mpirun.sh with sbatch, srun --mpi=pmix, and the signal before the
# walltime. Starts a private Slurm of this one machine, which only root can.
. "${SRCDIR:-.}/tests/lib.sh"

PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch srun sqlite3; do
    command -v $program >/dev/null || skip_all "$program is not installed"
done
[ "$(id -u)" -eq 0 ] || skip_all "only root can start a private Slurm"
grep -q ' /sys/fs/cgroup' /proc/mounts || skip_all "slurmd needs /sys/fs/cgroup"

host=$(hostname -s)
port=$((20000 + $$ % 20000))
SLURM_CONF=$T/slurm.conf
export SLURM_CONF ESPALIER

stop_slurm() {
    for daemon in slurmd slurmctld munged; do
        [ -s "$T/$daemon.pid" ] && kill "$(cat "$T/$daemon.pid")" && wait_gone "$(cat "$T/$daemon.pid")"
    done 2>/dev/null
    rm -rf "$T"
}

wait_gone() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        kill -0 "$1" || return 0
        sleep 0.5
    done
    kill -9 "$1"
}

start_slurm() {
    chmod 755 "$T"
    mkdir "$T/state" "$T/spool"
    dd if=/dev/urandom of="$T/munge.key" bs=128 count=1 2>/dev/null
    chmod 400 "$T/munge.key"
    munged --force --origin=127.0.0.1 --key-file="$T/munge.key" --socket="$T/munge.socket" \
        --pid-file="$T/munged.pid" --log-file="$T/munged.log" --seed-file="$T/munged.seed"
    cat >"$SLURM_CONF" <<END
ClusterName=espalier
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthInfo=socket=$T/munge.socket
StateSaveLocation=$T/state
SlurmdSpoolDir=$T/spool
SlurmctldPidFile=$T/slurmctld.pid
SlurmdPidFile=$T/slurmd.pid
SlurmctldLogFile=$T/slurmctld.log
SlurmdLogFile=$T/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=4096
PartitionName=all Nodes=ALL Default=YES State=UP
END
    slurmctld && slurmd || return 1
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        sinfo -h -o %T 2>/dev/null | grep -q idle && return 0
        sleep 0.5
    done
    return 1
}

finished() {
    sqlite3 "$1" "select count(*) from trials where state = 'done'"
}

trap stop_slurm EXIT
start_slurm >"$T/start.log" 2>&1 || {
    fail "a private Slurm starts" "$(cat "$T/start.log" "$T"/slurm*.log)"
    done_testing
    exit
}
pass "a private Slurm starts"

cat >"$T/quick.ini" <<'END'
[sweep]
replicates = 2
[data]
samples = 60
markers = 80
[train]
epochs = 5
[grid]
hidden_size = 4, 8
learning_rate = 0.01, 0.1
END
cd "$T" || exit 1

ok "sbatch runs the job script" sbatch --wait -n 2 -o batch.log "$SRCDIR/jobs/slurm-mpirun.sh" quick.ini batch.db
is "sbatch: all trials are done" "$(finished batch.db)" 8
is "sbatch: two ranks worked" "$(sqlite3 batch.db 'select ranks from session')" 2

ok "srun --mpi=pmix runs the same sweep" srun --mpi=pmix -n 2 "$ESPALIER" run quick.ini --db srun.db --progress none
is "srun: all trials are done" "$(finished srun.db)" 8
bits="select config, replicate, fold, state, quote(value) from trials order by 1, 2, 3"
is "srun and sbatch give the same bits" "$(sqlite3 srun.db "$bits")" "$(sqlite3 batch.db "$bits")"

sed 's/^epochs.*/epochs = 1000000/' quick.ini >slow.ini
sbatch --wait -n 2 -J slow -o slow.log "$SRCDIR/jobs/slurm-mpirun.sh" slow.ini slow.db >slow.id &
pid=$!
for _ in $(seq 100); do
    grep -qs "to run on 2 ranks" slow.log && break
    sleep 0.1
done
# What --signal=B:USR1@120 in the script does before the walltime.
scancel --batch --signal=USR1 "$(sed 's/[^0-9]//g' slow.id)"
wait $pid
is "a job that is sent USR1 ends with 75" $? 75
like "it says how to go on" "$(cat slow.log)" "submit the same line again"

# An array of 4, one element of it cancelled, run again by itself, and merged.
job_of() {
    sed -n "s/.*batch job \([0-9]*\).*/\1/p" "$1"
}
wait_for_job() {
    for _ in $(seq 300); do
        [ -z "$(squeue -h -j "$1" 2>/dev/null)" ] && return 0
        sleep 0.2
    done
    return 1
}
ok "jobs/slurm-array.sh submits an array and its merge" "$SRCDIR/jobs/slurm-array.sh" quick.ini 4 array.db
cp "$T/.out" array.id
scancel "$(($(job_of array.id) - 1))_2"
wait_for_job "$(job_of array.id)"
is "the merge ends" $? 0
is "each of the others wrote its own" "$(echo array.[134]of4.db)" "array.1of4.db array.3of4.db array.4of4.db"
ok "the element that was cancelled, by itself" \
    env SHARD=2/4 sbatch --wait --array=2 "$SRCDIR/jobs/slurm-array.sh" quick.ini 4 array.db
ok "and merged" "$ESPALIER" merge array.db array.1of4.db array.2of4.db array.3of4.db array.4of4.db
is "array and mpirun give the same rows" "$(sqlite3 array.db "$bits")" "$(sqlite3 batch.db "$bits")"
done_testing
