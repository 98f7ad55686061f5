#!/bin/sh
# World, scheduler and workers on real ranks, with trials that only sleep.
. "$SRCDIR/tests/lib.sh"

command -v mpirun >/dev/null || skip_all "mpirun is not here"
ranks=tests/mpi/ranks

for n in 1 2 3; do
    launch="mpirun -n $n --oversubscribe $ranks"
    ok "basics on $n" $launch basics
    ok "instant trials on $n" $launch sweep 20000 0
    ok "slow and instant trials on $n" $launch sweep 60 0.03
    ok "fewer trials than ranks on $n" $launch sweep 2 0
    ok "no trials on $n" $launch sweep 0 0
    ok "stopped midway on $n" $launch stop 60 0.03
    ok "stopped midway through instant trials on $n" $launch stop 200000 0
    ok "the sink fails on $n" $launch sinkfail 60 0.03
done
for n in 2 3; do
    ok "rank 1 of $n sends what is no message" mpirun -n $n --oversubscribe $ranks foreign
    ok "rank 1 of $n leaves with an error" mpirun -n $n --oversubscribe $ranks unwell
done
ok "without a launch" $ranks sweep 500 0

done_testing
