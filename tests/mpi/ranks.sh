#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# World, scheduler and workers on real ranks, with trials that only sleep.
. "$SRCDIR/tests/lib.sh"

command -v mpirun >/dev/null || skip_all "mpirun is not here"

# A rank that hangs ends after two minutes. mpirun itself may hang once all ranks have ended: seldom, PMIx
# of Open MPI 4.1 locks itself out in PMIx_server_finalize(). Then it is started once more.
ranks() {
    n_ranks=$1
    shift
    timeout -k 5 300 mpirun -n "$n_ranks" --oversubscribe tests/mpi/ranks "$@"
    status=$?
    [ $status -eq 124 ] || [ $status -eq 137 ] || return $status
    timeout -k 5 300 mpirun -n "$n_ranks" --oversubscribe tests/mpi/ranks "$@"
}

for n in 1 2 3; do
    ok "basics on $n" ranks $n basics
    ok "instant trials on $n" ranks $n sweep 20000 0
    ok "slow and instant trials on $n" ranks $n sweep 60 0.03
    ok "fewer trials than ranks on $n" ranks $n sweep 2 0
    ok "no trials on $n" ranks $n sweep 0 0
    ok "stopped midway on $n" ranks $n stop 60 0.03
    ok "stopped midway through instant trials on $n" ranks $n stop 200000 0
    ok "the sink fails on $n" ranks $n sinkfail 60 0.03
done
for n in 2 4; do
    mkdir "$T/parted$n"
    ok "gangs on $n" ranks $n gangs 60 0.02 "$T/parted$n"
    is "gangs that parted on $n" "$(find "$T/parted$n" -type f | wc -l)" $((n == 2 ? 6 : 9))
    ok "gangs wider than $n" ranks $n wide
done
is "rank 3 of 4 dies in a gang" "$(mpirun -n 4 --enable-recovery --oversubscribe \
    tests/mpi/ranks lost 40 0.05 2>"$T/err" </dev/null)" "all trials are done"
for n in 2 3; do
    ok "rank 1 of $n sends bytes that are not a message" ranks $n foreign
    ok "rank 1 of $n leaves with an error" ranks $n unwell
done
ok "rank 1 of 3 dies in the middle of a long message" mpirun -n 3 --enable-recovery --oversubscribe \
    --mca btl_vader_single_copy_mechanism none tests/mpi/ranks torn

# Run in a namespace with an empty folder of 16 MB.
in_small() {
    unshare -rm sh -c "mkdir -p '$T/small' && mount -t tmpfs -o size=16m none '$T/small' && \"\$@\"" - "$@"
}

for n in 2 3; do
    ok "one copy of rank 0's bytes on $n" ranks $n share /dev/shm
    ok "a copy each on $n, sharing turned off" ranks $n copies
    ok "a copy each on $n, no such folder" ranks $n refused /nowhere "/nowhere: No such file or directory"
    ok "memory short on one of $n" ranks $n short
    ok "waiting ranks use no processor, on $n" ranks $n patience
done
if in_small true 2>/dev/null; then
    ok "a copy each, the folder is too small" in_small mpirun -n 3 --oversubscribe tests/mpi/ranks \
        refused "$T/small" "MB left: 67.11 MB are needed"
else
    pass "a folder that is too small # SKIP no permission to mount"
fi
left=$(mktemp -d /dev/shm/espalier-test-XXXXXX)
ok "one copy in a folder of its own" ranks 2 share "$left"
ok "nothing stays there" rmdir "$left"

ok "4 GPUs for 3 ranks" ranks 3 gpus 4 1 0 1 2
ok "shares of a GPU" env CUDA_VISIBLE_DEVICES=GPU-a,GPU-b mpirun -n 3 --oversubscribe tests/mpi/ranks gpus 0 0.5 GPU-a GPU-a GPU-b
ok "GPUs of each rank's own" mpirun --oversubscribe -n 1 env CUDA_VISIBLE_DEVICES=7,8 tests/mpi/ranks gpus 0 2 7,8 : \
    -n 1 env CUDA_VISIBLE_DEVICES=3,2 tests/mpi/ranks gpus 0 2 '' 3,2
ok "too few GPUs: all ranks learn it" ranks 3 gpus 2 1 'need 3 GPUs, but there are 2 (gpus_per_host)'

ok "without a launch" tests/mpi/ranks sweep 500 0

done_testing
