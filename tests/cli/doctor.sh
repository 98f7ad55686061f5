#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# doctor prints facts, then each problem and its fix. run prints the same problems before it begins.
# tests/mpi/launch.sh covers launches of several ranks.
. "$SRCDIR/tests/lib.sh"
unset ESPALIER_CHECKS
PRELOAD=$PWD/tests/mpi/preload.so
cd "$T" || exit 1
# The copy has a name of its own, so that runs of other tests do not count as other espalier runs.
cp "$ESPALIER" "esp$$" || exit 1
ESPALIER=$T/esp$$

cat >quick.ini <<'INI'
[data]
format = simulated
samples = 60
markers = 40
causal = 5
[resources]
threads = 3
[train]
epochs = 2
INI

doctor() {
    "$ESPALIER" doctor "$@"
}

like "the facts" "$(doctor | awk '{ print $1 }' | tr '\n' ' ')" \
    "^version cpu cores blas blas_kernel mpi molecules memory_bytes shm shm_free_bytes launch ranks .*database filesystem journal_mode rank "
is "a new database is fine" "$(taskset -c 0 "$ESPALIER" doctor --db new.db | tail -n 1)" "no problems found"

# OpenBLAS takes an SSE3 kernel on processors that are newer than the library.
kernel() {
    sed -n 's/^blas_kernel *//p'
}
if grep -qs '^flags.* avx2 ' /proc/cpuinfo && grep -qs '^flags.* fma ' /proc/cpuinfo; then
    is "an AVX kernel on every processor with AVX2" \
        "$(env -u OPENBLAS_CORETYPE "$ESPALIER" doctor | kernel | grep -c Prescott)" 0
fi
is "a kernel that the user chose stays" "$(OPENBLAS_CORETYPE=Prescott "$ESPALIER" doctor | kernel)" Prescott
cat >inherits.ini <<'INI'
[sweep]
objective = n
direction = min
[program]
command = sh -c 'env | grep -c -e OPENBLAS_CORE -e BLAS_KERNEL | sed s/^/n=/' {x}
capture = stdout
[grid]
x = 1
INI
env -u OPENBLAS_CORETYPE "$ESPALIER" run inherits.ini --db inherits.db -q >/dev/null 2>&1
is "programs do not inherit the choice" "$(sqlite3 inherits.db 'select n from trials')" 0.0

# The database must be writable, and its folder, too.
refuses "a database whose folder is missing" 2 "^run would refuse: nowhere/x.db: cannot be created: the folder nowhere does not exist" \
    "$ESPALIER" doctor --db nowhere/x.db
echo 'a letter' >letter.db
refuses "a file that is not a database" 2 "^run would refuse: letter.db: not a database" "$ESPALIER" doctor --db letter.db
is "each with its fix" "$(tail -n 1 .out)" "    fix: give another --db"

# A file that is in the way of run's.
ln -s nothing.db dangling.db
refuses "a link that leads nowhere" 2 "^run would refuse: dangling.db: a link to a file that does not exist" "$ESPALIER" doctor --db dangling.db
is "with its fix" "$(tail -n 1 .out)" "    fix: give the name of the file itself, or remove the link"
mkdir dir.db.lock
refuses "a folder in place of the lock" 2 "^run would refuse: dir.db: dir.db.lock is a folder" "$ESPALIER" doctor quick.ini dir.db
rmdir dir.db.lock

# Another run holds the database.
"$ESPALIER" run quick.ini --set epochs=1000000 --set threads=1 --db held.db --progress none 2>held.err &
pid=$!
for _ in $(seq 6000); do
    grep -qs 'to run on' held.err && break
    sleep 0.1
done
refuses "a database that a run holds" 2 "^run would refuse: held.db: another run is writing to it: pid $pid on " "$ESPALIER" doctor --db held.db
like "and the remedy" "$(cat .out)" "^    fix: wait for it"
kill $pid
wait $pid

# A full disk.
if unshare -rm true 2>/dev/null; then
    mkdir small
    # shellcheck disable=SC2016 # expanded by the inner shell
    refuses "a full disk" 2 "^run would refuse: small/x.db: its disk has only 1[0-9.]* MB free" \
        unshare -rm sh -c 'mount -t tmpfs -o size=1m none small && "$1" doctor --db small/x.db' sh "$ESPALIER"
else
    pass "a full disk # SKIP no namespaces"
fi

# mpirun starts the ranks of -n.
like "no mpirun" "$(PATH=/nowhere "$ESPALIER" doctor)" "^warning: mpirun is not in PATH: 'espalier run -n' cannot start ranks"

# The folder of shared memory.
is "another folder" "$(ESPALIER_SHM=$T doctor | awk '/^shm/ { print $1 }' | tr '\n' ' ')" "shm shm_free_bytes "
is "off" "$(ESPALIER_SHM=off doctor | grep -c '^shm')" 0
is "missing" "$(ESPALIER_SHM=/nowhere doctor | awk '/^shm/ { print $1, $2 }')" "shm /nowhere"

# Root may write everywhere, so it continues as nobody.
nobody() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
    else
        "$@"
    fi
}
if nobody true 2>/dev/null; then
    mkdir closed open
    ok "a database" "$ESPALIER" run quick.ini --set threads=1 --db closed/r.db
    cp closed/r.db open
    chmod 755 "$T"
    chmod 777 open
    chmod 444 open/r.db
    chmod 666 closed/r.db
    chmod 555 closed
    refuses "a file that cannot be written" 2 "^run would refuse: open/r.db: cannot be written: Permission denied" \
        nobody "$ESPALIER" doctor --db open/r.db
    refuses "a folder that cannot be written" 2 "^run would refuse: closed/r.db: run creates files beside it, but the folder closed cannot be written: Permission denied" \
        nobody "$ESPALIER" doctor --db closed/r.db
    fails "a new database there" 2 nobody "$ESPALIER" doctor --db closed/new.db
    chmod 666 open/r.db
    ok "a writable file in a writable folder" nobody "$ESPALIER" doctor --db open/r.db
    chmod 755 closed

    # Readers of a log share a file, which they cannot create here.
    mkdir logged
    sqlite3 closed/r.db 'pragma journal_mode = wal' 'update trial set trial_id = trial_id' \
        '.shell cp closed/r.db closed/r.db-wal logged' >/dev/null
    chmod 555 logged
    refuses "a log in a folder that cannot be written" 1 "^espalier: logged/r.db: a run left its log logged/r.db-wal, which cannot be read in a folder without write permission; copy both files" \
        nobody "$ESPALIER" best logged/r.db
    cp -r logged free && chmod -R a+rwX free
    ok "a copy of both can be read" nobody "$ESPALIER" best free/r.db
    chmod 755 logged
else
    pass "a database that cannot be written # SKIP no setpriv"
fi

# A launch with too few ranks.
cat >gang.ini <<'INI'
[sweep]
objective = loss
[program]
command = sh -c 'echo loss={x}'
capture = stdout
[grid]
x = 1
ranks = 1, 2
INI
fails "a gang on one rank" 2 "$ESPALIER" doctor gang.ini gang.db
fails "run refuses it" 2 "$ESPALIER" run gang.ini --db gang.db
is "for the reason that doctor found" "$(sed 's/^espalier: //' .err)" \
    "$("$ESPALIER" doctor gang.ini gang.db | sed -n '/^run would refuse/N; s/^run would refuse: //; s/\n    fix:/;/p')"
cp quick.ini wide.ini
sed -i 's/^epochs/workers = 2\n&/; s/^threads.*/ranks = 2/' wide.ini
refuses "a network on two ranks" 2 "^run would refuse: ranks = 2: a trial needs 2 ranks, and this launch has 1$" "$ESPALIER" doctor wide.ini wide.db
fails "a missing sweep file" 2 "$ESPALIER" doctor nowhere.ini

# Threads and cores.
threads='^warning: threads = 3, but this rank may run on 1 core only'
like "threads of --threads" "$(taskset -c 0 "$ESPALIER" doctor --threads 3)" "$threads"
like "threads of the sweep" "$(taskset -c 0 "$ESPALIER" doctor quick.ini)" "$threads"
ok "run continues" taskset -c 0 "$ESPALIER" run quick.ini --db threads.db --progress none
like "and the message says so" "$(cat .err)" "${threads#^}.*; "
is "no warning with ESPALIER_CHECKS=off" \
    "$(ESPALIER_CHECKS=off taskset -c 0 "$ESPALIER" run quick.ini --db off.db 2>&1 | grep -c 'threads = 3')" 0

# One process in a job with room for many tasks. (tests/mpi/srun.sh uses the real srun.)
is "a batch script of one task" "$(SLURM_JOB_ID=7 SLURM_NTASKS=1 taskset -c 0 "$ESPALIER" doctor | tail -n 1)" "no problems found"
for job in SLURM_NTASKS=32 LSB_DJOB_NUMPROC=32 PBS_NP=32; do
    like "$job" "$(env "$job" "$ESPALIER" doctor)" "^warning: the batch job has room for 32 tasks, but this is one process"
done
printf 'n1\nn1\nn2\n' >nodes
like "PBS_NODEFILE" "$(PBS_NODEFILE=nodes doctor)" "room for 3 tasks"
like "the fix is printed" "$(PBS_NODEFILE=nodes doctor)" "^    fix: espalier run -n 3"

# One of several tasks without MPI between them.
refuses "run refuses it" 2 "^espalier: srun started 4 tasks, but no MPI connects them.*; srun --mpi=pmix" \
    env SLURM_STEP_NUM_TASKS=4 "$ESPALIER" run quick.ini --db alone.db
is "before any file is made" "$(ls alone.db* 2>/dev/null)" ""
fails "also with -n" 2 env SLURM_STEP_NUM_TASKS=4 "$ESPALIER" run quick.ini -n 2 --db alone.db
ok "a shard is accepted" env SLURM_STEP_NUM_TASKS=4 "$ESPALIER" run quick.ini --shard 1/2 --db alone.db
ok "a terminal of srun --pty is accepted" env SLURM_PTY_PORT=1 SLURM_STEP_NUM_TASKS=4 "$ESPALIER" run quick.ini --db pty.db
ok "a step of one task is accepted" env SLURM_STEP_NUM_TASKS=1 "$ESPALIER" run quick.ini --db step.db
like "doctor reports it" "$(SLURM_STEP_NUM_TASKS=4 doctor)" "^run would refuse: srun started 4 tasks"
fails "doctor exits with the status of run" 2 env SLURM_STEP_NUM_TASKS=4 "$ESPALIER" doctor

# A filesystem that other nodes see. 0x6969: NFS
nfs() {
    env LD_PRELOAD="$PRELOAD" TEST_FILESYSTEM=0x6969 "$@"
}
if [ "$(nfs "$ESPALIER" doctor | awk '/^filesystem|^journal/ { print $2 }' | tr '\n' ' ')" = "nfs delete " ]; then
    is "a rollback journal on NFS is fine" "$(nfs taskset -c 0 "$ESPALIER" doctor --db off.db | tail -n 1)" "no problems found"
    sqlite3 off.db 'pragma journal_mode = wal' >/dev/null
    env LD_PRELOAD="$PRELOAD" TEST_FILESYSTEM=0x6969 "$ESPALIER" run quick.ini --set epochs=1000000 --set seed=2 --set name=slow --db off.db --progress none 2>slow.err &
    pid=$!
    for _ in $(seq 6000); do
        grep -qs 'to run on' slow.err && break
        sleep 0.1
    done
    is "run fixes it by itself" "$(ls off.db*)" "off.db
off.db.lock"
    kill $pid
    wait $pid
else
    fail "a filesystem can be made to look like NFS" "$(nfs "$ESPALIER" doctor 2>&1)"
fi
# GPUs: what this process sees, and what its trials get.
gpus() {
    CUDA_VISIBLE_DEVICES=$1 "$ESPALIER" doctor --db new.db "--gpus=$2" | grep -A 9 '^rank \|refuse\|GPU' | sed "s/^rank.*, GPUs/GPUs/; s/$(hostname)/HOST/; /^$/d"
}
is "GPUs that stay idle" "$(gpus 0,1 1)" "GPUs 0,1 (CUDA_VISIBLE_DEVICES), trials get 0
warning: HOST: 1 rank with gpus = 1 leaves 1 of 2 GPUs idle
    fix: start 2 ranks there, or set gpus = 2"
is "none" "$(gpus '' 1 | tail -n 2)" "run would refuse: HOST: 1 rank with gpus = 1 needs 1 GPU, but there are 0 (CUDA_VISIBLE_DEVICES)
    fix: ask the batch system for GPUs (sbatch --gres=gpu:N, bsub -gpu num=N), state their number with gpus_per_host, or set gpus = 0"
fails "the status is that of run" 2 env CUDA_VISIBLE_DEVICES= "$ESPALIER" doctor --db new.db --gpus 1
is "stated GPUs, for programs" \
    "$(env -u CUDA_VISIBLE_DEVICES "$ESPALIER" doctor --gpus 2 --gpus-per-host 4 --section ranks --format csv | cut -d, -f1,4-)" \
    'rank,gpus,gpu_source,trial_gpus
0,"0,1,2,3",gpus_per_host,"0,1"'
# A sweep file states what each rank gets; an option overrides it.
cat >program.ini <<'INI'
[sweep]
objective = val_loss
direction = min
[program]
command = true
[resources]
gpus = 0.5
gpus_per_host = 3
INI
of_file() {
    env -u CUDA_VISIBLE_DEVICES "$ESPALIER" doctor program.ini "$@" --section ranks --format csv | cut -d, -f1,4- | tail -n 1
}
is "the GPUs of a sweep file" "$(of_file)" '0,"0,1,2",gpus_per_host,0'
is "another amount" "$(of_file --gpus 2)" '0,"0,1,2",gpus_per_host,"0,1"'
is "other hosts" "$(of_file --gpus-per-host 1)" '0,0,gpus_per_host,0'
like "none" "$(env -u CUDA_VISIBLE_DEVICES PATH=/nowhere "$ESPALIER" doctor program.ini --gpus 0 --section ranks --format csv)" ',$'
refuses "too few for the sweep file" 2 "but there is 1 \(CUDA_VISIBLE_DEVICES, which overrides gpus_per_host\)$" \
    env CUDA_VISIBLE_DEVICES=5 "$ESPALIER" doctor program.ini --gpus 2
# The list of nvidia-smi. A process without its cgroup's GPUs sees fewer.
cat >nvidia-smi <<'SH'
#!/bin/sh
echo 'GPU 0: NVIDIA A100 (UUID: GPU-a)'
echo '  MIG 3g.40gb     Device  0: (UUID: MIG-b)'
echo '  MIG 3g.40gb     Device  1: (UUID: MIG-c)'
SH
chmod +x nvidia-smi
is "parts of a GPU" "$(env -u CUDA_VISIBLE_DEVICES PATH="$T:$PATH" "$ESPALIER" doctor | sed -n 's/^rank.*, GPUs/GPUs/p')" \
    "GPUs MIG-b,MIG-c (nvidia-smi)"
refuses "a part of two GPUs" 2 "^espalier: gpus = 1.5: must be 0, a whole number up to 128, or a part of one GPU" "$ESPALIER" doctor --gpus=1.5
refuses "a word" 2 "^espalier: --gpus many: must be a number" "$ESPALIER" doctor --gpus=many
done_testing
