#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A sweep whose trials fail: when it continues, and what it reports when it stops.
# shellcheck disable=SC2086 # options are several words
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

cat >small.ini <<'INI'
[sweep]
name = small
[data]
format = simulated
samples = 60
markers = 40
causal = 5
[train]
epochs = 60
[grid]
hidden_size = 1:40:1
INI
run() { "$ESPALIER" run small.ini --progress none "$@"; }
count() { sqlite3 "$1" "select count(*) from trial where state = '$2'"; }
late='--set trial_timeout=0.000001'

# Short trials are assigned several at a time: a few more may have ended by then.
fails "three configurations that fail alike before any success stop the sweep" 1 run $late
is "it stops soon after them" "$(sqlite3 results.db "select sum(state = 'failed') between 3 and 30,
    sum(state = 'pending') + sum(state = 'failed') from trial")" "1|40"
like "the message gives the reason" "$(cat .err)" \
    "^espalier: warning: stopped: trials of 3 configurations failed in a row for the same reason, and none succeeded \(--max-fails 0 goes on\): ran longer than trial_timeout = 1e-06"
like "and the trial to look at" "$(cat .err)" \
    "^espalier: next: espalier show results.db t[0-9]+, fix the cause, then the same command with --retry failed$"
is "the session is stored as stopped" "$(sqlite3 results.db 'select outcome from session')" stopped
ok "after the fix, the sweep continues" run --retry failed
is "and is complete" "$(count results.db 'done')" 40

ok "one success" run --db some.db --set grid.hidden_size=4
fails "lets the others fail" 3 run --db some.db $late
is "all of them fail" "$(count some.db failed)" 39
fails "unless there is a limit" 1 run --db some.db $late --retry failed --max-fails 2
like "the message names the limit" "$(cat .err)" \
    "^espalier: warning: stopped: 2 trials failed \(--max-fails\), the last with: ran longer than trial_timeout"
is "only failures of this run count" "$(sqlite3 some.db 'select count(*) between 42 and 70 from attempt')" 1
fails "a limit that is reached with the last trial" 3 run --db last.db $late --set grid.hidden_size=4 --max-fails 1
fails "a limit is a number" 2 run --max-fails -1
fails "with --max-fails 0 they never do" 3 run --db all.db $late --max-fails 0
is "and all are tried" "$(count all.db failed)" 40

# The first configuration has too little memory in each of its folds.
cat >oom.ini <<'INI'
[sweep]
name = oom
folds = 3
objective = v
direction = max
[program]
command = sh -c 'if [ {n} = 64 ]; then echo out of memory >&2; exit 1; fi; echo v: {n}'
capture = stdout
[grid]
n = 64, 8, 16
INI
fails "one bad configuration does not end a sweep" 3 "$ESPALIER" run oom.ini --db oom.db
is "the others are done" "$(sqlite3 oom.db 'select state, count(*) from trial group by 1')" "done|6
failed|3"

done_testing
