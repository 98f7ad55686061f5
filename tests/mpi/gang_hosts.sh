#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Gangs on two hosts, each a set of namespaces: their processes meet, and see the GPUs of their host.
. "$SRCDIR/tests/mpi/hostlib.sh"
command -v python3 >/dev/null || skip_all "python3 is not here"
cd "$T" || exit 1
cp "$SRCDIR/tests/mpi/meet.py" .
hosts 2 || skip_all "no bridge between network namespaces"

# Both hosts are one machine for the GPUs.
cat >gangs.ini <<'INI'
[sweep]
objective = val_ranks
direction = max
replicates = 2
[program]
command = python3 meet.py
[resources]
gpus = 1
gpus_per_host = 4
[grid]
ranks = 2, 4
INI
slots n0:2 n1:2
ok "gangs of two and four" on n0 timeout 60 "$ESPALIER" run -n 4 gangs.ini --db gangs.db --progress none
is "all ranks of a gang have met" \
    "$(sqlite3 gangs.db 'select distinct ranks, state, value from trials order by 1')" "2|done|1.0
4|done|123.0"
is "two share a host, four do not" "$(sqlite3 gangs.db 'select distinct ranks, hosts from trials order by 1')" "2|1.0
4|2.0"
like "each of four has its own GPU" "$(sqlite3 gangs.db 'select distinct gpus from trials where ranks = 4')" '^(123|2301).0$'
done_testing
