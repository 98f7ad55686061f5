# SPDX-License-Identifier: BSD-3-Clause
# A private Slurm on this machine. It starts when this file is sourced (after tests/lib.sh) and
# stops at the end of the test. Only root can start one; otherwise the test is skipped. Its node has
# four GPUs without hardware.
#   submit SBATCH_ARGUMENT...  sets $job to the job's number
#   ended JOB                  wait for it with all its elements; returns its exit status
#   batch SBATCH_ARGUMENT...   both; sbatch --wait polls only every ten seconds
# shellcheck shell=sh

PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch srun sqlite3; do
    command -v $program >/dev/null || skip_all "$program is not installed"
done
[ "$(id -u)" -eq 0 ] || skip_all "only root can start a private Slurm"
grep -q ' /sys/fs/cgroup' /proc/mounts || skip_all "slurmd needs /sys/fs/cgroup"

host=$(hostname -s)
# Two ports below those that the kernel assigns; tests running at the same time have other pids.
port=$((10000 + $$ % 10000 * 2))
SLURM_CONF=$T/slurm.conf
export SLURM_CONF ESPALIER

stop_daemons() {
    for daemon in "$@"; do
        [ -s "$T/$daemon.pid" ] && kill "$(cat "$T/$daemon.pid")" && wait_gone "$(cat "$T/$daemon.pid")"
    done 2>/dev/null
}

stop_slurm() {
    stop_daemons slurmd slurmctld munged
    rm -rf "$T"
}

wait_gone() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        kill -0 "$1" || return 0
        sleep 0.5
    done
    kill -9 "$1"
}

start_munge() {
    chmod 755 "$T"
    dd if=/dev/urandom of="$T/munge.key" bs=128 count=1 2>/dev/null
    chmod 400 "$T/munge.key"
    munged --force --origin=127.0.0.1 --key-file="$T/munge.key" --socket="$T/munge.socket" \
        --pid-file="$T/munged.pid" --log-file="$T/munged.log" --seed-file="$T/munged.seed"
}

start_daemons() {
    rm -rf "$T/state" "$T/spool" "$T"/slurm*.log
    mkdir "$T/state" "$T/spool"
    cat >"$SLURM_CONF" <<END
ClusterName=espalier
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthInfo=socket=$T/munge.socket,cred_expire=5
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
GresTypes=gpu
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=4096 Gres=gpu:4
PartitionName=all Nodes=ALL Default=YES State=UP
END
    for gpu in 0 1 2 3; do
        ln -sf /dev/null "$T/gpu$gpu"
    done
    echo "Name=gpu File=$T/gpu[0-3]" >"$T/gres.conf"
    slurmctld && slurmd || return 1
    sleep 0.5
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        grep -qs "Address already in use" "$T/slurmctld.log" "$T/slurmd.log" && return 1
        sinfo -h -o %T 2>/dev/null | grep -q idle && return 0
        sleep 0.5
    done
    return 1
}

# Try once more if a port is taken.
start_slurm() {
    start_munge && start_daemons && return
    stop_daemons slurmd slurmctld
    port=$((port % 20000 + 11000))
    start_daemons
}

# Wait up to five minutes until a command succeeds.
until_ok() {
    for _ in $(seq 1500); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.2
    done
    return 1
}

is_gone() { [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]; }

submit() {
    job=$(sbatch --parsable "$@") && [ -n "$job" ]
}

# An array has a line for each element. The greatest status counts, as with sbatch --wait.
ended() {
    until_ok is_gone "$1" || return 99
    scontrol -o show job "$1" | awk '
        match($0, / ExitCode=[0-9]+/) && (n = substr($0, RSTART + 10, RLENGTH - 10) + 0) > status { status = n }
        END { exit status }'
}

batch() {
    submit "$@" && ended "$job"
}

trap stop_slurm EXIT
start_slurm >"$T/start.log" 2>&1 || {
    fail "a private Slurm starts" "$(cat "$T/start.log" "$T"/slurm*.log)"
    done_testing
    exit
}
pass "a private Slurm starts"
