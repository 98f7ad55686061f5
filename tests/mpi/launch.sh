#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# doctor, and run before it begins, report problems of a launch of several ranks with a fix. Each
# mistake is really made.
. "$SRCDIR/tests/lib.sh"
command -v mpirun >/dev/null || skip_all "mpirun is not here"
unset ESPALIER_CHECKS
PRELOAD=$PWD/tests/mpi/preload.so
cd "$T" || exit 1
# The copy has a name of its own, so that runs of other tests do not count as other espalier runs.
name=esp$$
cp "$ESPALIER" "$name" || exit 1
ESPALIER=$T/$name

cat >quick.ini <<'INI'
[data]
format = simulated
samples = 60
markers = 40
causal = 5
[train]
epochs = 2
[grid]
dropout = 0, 0.5
INI

mpi() {
    timeout 300 mpirun --oversubscribe --mca btl_vader_single_copy_mechanism none "$@" </dev/null
}
doctor() {
    mpi "$@" "$ESPALIER" doctor
}
# Warnings about the launch, not about results.
warnings() { grep warning | grep -vc 'quick.ini: '; }
cores=$(nproc)
like "equal ranks share a line" "$(doctor --enable-recovery --bind-to none -n 3)" "^rank 0-2 +$(hostname), cores"
if [ "$cores" -ge 2 ]; then
    is "two ranks on two cores" "$(doctor --enable-recovery --bind-to none -n 2 | tail -n 1)" "no problems found"
    is "each on its own" "$(doctor --enable-recovery --bind-to core -n 2 | tail -n 1)" "no problems found"
    is "run prints no warning either" \
        "$(mpi --enable-recovery --bind-to none -n 2 "$ESPALIER" run quick.ini --db quiet.db 2>&1 | warnings)" 0
    is "and none with -n" "$("$ESPALIER" run quick.ini -n 2 --db n.db 2>&1 | warnings)" 0
fi

# -n starts the ranks as run -n does.
like "doctor -n" "$("$ESPALIER" doctor -n 2)" "^launch +MPI
ranks +2
recovery +on
.*
rank 0-1 +$(hostname), cores"
is "its answer is all that it prints" "$("$ESPALIER" doctor -n 2 --section ranks --format csv 2>&1 | cut -d, -f1)" "rank
0
1"
fails "its status is that of run" 2 "$ESPALIER" doctor -n 2 --db nowhere/x.db
fails "far too many ranks" 2 "$ESPALIER" doctor -n 99999
is "are refused as by run" "$(cat .out; sed 's/[0-9][0-9]*/N/g' .err)" "espalier: --ranks N: must be at most N, N for each of the N cores here"

out=$(doctor -n 2)
like "recovery off" "$out" "^warning: mpirun is not in recovery mode: if one rank dies, it ends all 2"
like "the fix is printed" "$out" "^    fix: 'espalier run -n 2'; or mpirun --enable-recovery"
like "and as a fact" "$out" "^recovery +off"
ok "run continues" mpi -n 2 "$ESPALIER" run quick.ini --db r.db --progress none
like "and the message says so" "$(cat .err)" "espalier: warning: mpirun is not in recovery mode.*; 'espalier run -n 2'; or mpirun --enable-recovery"
is "only once" "$(grep -c 'recovery mode' .err)" 1

like "ranks bound to one core" "$(mpi --bind-to none -n 2 taskset -c 0 "$ESPALIER" doctor)" \
    "^warning: the 2 ranks on $(hostname) are all bound to one core, number 0"
if [ "$cores" -ge 2 ]; then
    like "more ranks than cores" "$(mpi --bind-to none -n 3 taskset -c 0,1 "$ESPALIER" doctor)" \
        "^warning: 3 ranks x 1 thread do not fit on the 2 cores of $(hostname)"
    like "more threads than cores" "$(mpi --bind-to none -n 2 taskset -c 0,1 "$ESPALIER" doctor --threads 2)" \
        "^warning: 2 ranks x 2 threads do not fit on the 2 cores of"
    like "run -n says so too" "$(taskset -c 0,1 "$ESPALIER" run quick.ini -n 3 --db more.db 2>&1)" \
        "warning: 3 ranks x 1 thread do not fit on the 2 cores of"
fi

# GPUs of ranks on one host.
gpus() {
    "$@" | sed -n 's/^rank \([0-9-]*\) .*, GPUs/\1/p'
}
is "each rank has GPUs of its own" "$(CUDA_VISIBLE_DEVICES=4,5,6,7 gpus mpi -n 2 "$ESPALIER" doctor --gpus 2)" \
    "0 4,5,6,7 (CUDA_VISIBLE_DEVICES), trials get 4,5
1 4,5,6,7 (CUDA_VISIBLE_DEVICES), trials get 6,7"
is "or shares one" "$(gpus mpi --bind-to none -n 2 "$ESPALIER" doctor --gpus 0.5 --gpus-per-host 1)" "0-1 0 (gpus_per_host), trials get 0"
like "too few GPUs" "$(mpi -n 2 "$ESPALIER" doctor --gpus 1 --gpus-per-host 1 2>/dev/null)" \
    "^run would refuse: $(hostname): 2 ranks with gpus = 1 need 2 GPUs, but there is 1 \(gpus_per_host\)"

# Clocks: rank 1's differs from rank 0's.
ahead() {
    mpi --enable-recovery -n 1 "$ESPALIER" doctor : -n 1 env LD_PRELOAD="$PRELOAD" TEST_CLOCK_AHEAD="$1" "$ESPALIER" doctor
}
like "a clock that is ahead" "$(ahead 60)" "^warning: the clock of .* is (5[0-9]|60)\.[0-9] s ahead of"
like "a clock that is behind" "$(ahead -300)" "^warning: the clock of .* is (29[0-9]|300)\.[0-9] s behind"
is "a clock that is right" "$(ahead 0 | grep -c 'the clock')" 0

# Run in a namespace with $1 MB of shared memory.
in_small() {
    mkdir -p small
    ESPALIER_SHM=$T/small unshare -rm sh -c 'mount -t tmpfs -o size='"$1"'m none small && shift && "$@"' - "$@" </dev/null
}
if in_small 16 true 2>/dev/null; then
    like "a container's shared memory" "$(in_small 64 mpirun --oversubscribe -n 2 "$ESPALIER" doctor)" \
        "^warning: shared memory on .* has 0\.06[0-9] GiB in all, a container's default"
    sed 's/^samples.*/samples = 5000/; s/^markers.*/markers = 10000/' quick.ini >large.ini
    like "too little for the data" "$(in_small 16 mpirun --oversubscribe -n 2 "$ESPALIER" doctor large.ini)" \
        "^warning: shared memory on .* GiB free, but the data need at least 0\.04[0-9] GiB"
    truncate -s 100M genotypes.csv
    printf '[data]\nformat = genotype\ngenotypes = genotypes.csv\nphenotypes = genotypes.csv\n' >file.ini
    like "too little for a file" "$(in_small 16 mpirun --oversubscribe -n 2 "$ESPALIER" doctor file.ini)" \
        "^warning: shared memory on .* GiB free, but the data need at least 0\.049 GiB"
    is "enough for other data" "$(in_small 16 mpirun --oversubscribe -n 2 "$ESPALIER" doctor quick.ini | grep -c 'shared memory')" 0
else
    pass "shared memory that is too small # SKIP no permission to mount"
fi

# Two runs at once on one core.
sed 's/^epochs.*/epochs = 1000000/' quick.ini >slow.ini
taskset -c 0 "$ESPALIER" run slow.ini -n 2 --db slow.db --progress none 2>slow.err &
pid=$!
for _ in $(seq 6000); do
    grep -qs 'to run on 2 ranks' slow.err && break
    sleep 0.1
done
out=$(taskset -c 0 "$ESPALIER" doctor)
# Two processes: the one that only waits for its ranks does not count.
like "another run on the same core" "$out" "^warning: another espalier run \(2 processes, the first is [0-9]+ of $(id -un)\) uses the same cores"
like "the fix is printed" "$out" "^    fix: wait for it, or start fewer ranks"
ok "run continues" taskset -c 0 "$ESPALIER" run quick.ini --db beside.db --progress none
like "and the message says so" "$(cat .err)" "warning: another espalier run \((2 processes, the first is|process) [0-9]+ of $(id -un)\)"
fails "the database of the other run is refused" 1 "$ESPALIER" run slow.ini --db slow.db
like "with the command that was typed there" "$(cat .err)" ": espalier run slow.ini -n 2 --db slow.db --progress none; wait for it"
kill $pid
wait $pid
is "the other run ends" $? 75

# A run that is stopped takes no core.
taskset -c 0 "$ESPALIER" run slow.ini --db slow.db --progress none 2>slow.err &
pid=$!
for _ in $(seq 6000); do
    grep -qs 'to run on 1 rank' slow.err && break
    sleep 0.1
done
like "a run of one process" "$(taskset -c 0 "$ESPALIER" doctor)" "another espalier run \(process [0-9]+ of"
kill -STOP $pid
is "a stopped run is no problem" "$(taskset -c 0 "$ESPALIER" doctor | tail -n 1)" "no problems found"
kill -CONT $pid
kill $pid
wait $pid
is "it ends" $? 75

# Rank 0 leaves early, for any reason: no rank waits for it.
fails "a missing sweep file" 2 mpi -n 3 "$ESPALIER" run nowhere.ini
fails "an option that is not there" 2 mpi -n 3 "$ESPALIER" run --nonsense
ok "help" mpi -n 3 "$ESPALIER" run --help
ok "dry run" mpi -n 3 "$ESPALIER" run quick.ini --dry-run
done_testing
