#!/bin/sh
# World, scheduler and workers on real ranks, with trials that only sleep.
. "$SRCDIR/tests/lib.sh"

command -v mpirun >/dev/null || skip_all "mpirun is not here"

ranks() {
    n_ranks=$1
    shift
    mpirun -n "$n_ranks" --oversubscribe tests/mpi/ranks "$@"
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
for n in 2 3; do
    ok "rank 1 of $n sends what is no message" ranks $n foreign
    ok "rank 1 of $n leaves with an error" ranks $n unwell
done
ok "without a launch" tests/mpi/ranks sweep 500 0

done_testing
