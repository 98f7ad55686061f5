#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A run refuses to write beside another run, or to mix two experiments under one name.
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
epochs = 3
[grid]
hidden_size = 4, 8
INI
cat >long.ini <<'INI'
[data]
format = simulated
samples = 200
markers = 500
[train]
epochs = 1000000
INI

run() { "$ESPALIER" run "$@" --progress none; }
sql() { sqlite3 "$1" "$2"; }

# ---- two runs on one database ----

SLURM_JOB_ID=77 "$ESPALIER" run long.ini --db busy.db --progress none >/dev/null 2>&1 &
pid=$!
for _ in $(seq 6000); do
    [ "$(sql busy.db 'select count(*) from session' 2>/dev/null)" = 1 ] && break
    sleep 0.1
done
refuses "a second run is refused" 1 "^espalier: busy.db: another run is writing to it: pid $pid on $(hostname), slurm job 77, since 20..-..-.. ..:..:.. UTC: .*espalier run long.ini --db busy.db" \
    run small.ini --db busy.db
like "and what to do" "$(cat .err)" "; wait for it \('espalier status' shows its progress\), stop it, or give this run another --db$"
fails "a run of several ranks is refused, too" 1 run small.ini --db busy.db -n 2
is "with one message" "$(wc -l <.err)" 1
printf '[data]\nformat = genotype\ngenotypes = none.csv\nphenotypes = none.csv\n' >none.ini
refuses "before it reads its data" 1 "another run is writing to it" run none.ini --db busy.db
ln -s busy.db other.db
fails "also by another name" 1 run small.ini --db other.db
ln busy.db hard.db
ln -s nothing.db dangling.db
refuses "a link to nothing is refused" 1 "^espalier: dangling.db: a link to a file that does not exist" run small.ini --db dangling.db
is "the link stays" "$(readlink dangling.db)" nothing.db
refuses "a hard link is refused" 1 "^espalier: hard.db: the file has 2 names \(hard links\): two runs could write" run small.ini --db hard.db
rm hard.db
kill -9 $pid
wait $pid 2>/dev/null
ok "the lock of a killed run is free at once" run small.ini --db busy.db

# ---- a database whose -shm file is truncated during a run ----

"$ESPALIER" run small.ini --set epochs=200 --set grid.hidden_size=64:400:1 --db cut.db --progress none >/dev/null 2>cut.err &
pid=$!
for _ in $(seq 6000); do
    [ "$(sql cut.db "select count(*) from trial where state = 'done'" 2>/dev/null)" -gt 0 ] 2>/dev/null && break
    sleep 0.1
done
truncate -s 0 cut.db-shm
wait $pid
is "a run whose -shm file was cut off ends" $? 1
like "and reports what may have happened" "$(cat cut.err)" \
    "^espalier: bus error: a file that is mapped into memory .the -shm file beside a database, .* was cut off, or its disk is full"
is "its session is lost" "$(sql busy.db 'select outcome from session order by session_id')" "lost
finished"
is "no lock file is left" "$(ls busy.db.lock 2>/dev/null)" ""

mkdir closed && chmod 555 closed
if [ "$(id -u)" != 0 ]; then
    refuses "a folder that may not be written to is an error" 1 "closed/r.db: cannot create .*closed/r.db.lock: Permission denied; create its folder or make it writable, or give another --db" \
        run small.ini --db closed/r.db
fi

# ---- other settings under one name ----

ok "a sweep" run small.ini
fails "other fixed settings are refused" 2 run small.ini --set epochs=4 --set optimizer=sgd
is "the message lists the changes and what to do" "$(grep -v "small.ini: " .err)" \
"espalier: results.db: sweep 'small' is stored with other settings (stored -> now):
espalier:   train.epochs: 3 -> 4
espalier:   train.optimizer: adam -> sgd
espalier: change [sweep] name, or add --new-sweep to start again under this name and keep the stored sweep as 'small#1' (or the next free number)"
is "and nothing is stored" "$(sql results.db 'select count(*) from trial')" 2
cp results.db old.db
sql old.db 'pragma user_version = 3'
cksum <old.db >old.sum
for command in "run small.ini --db" best; do
    # shellcheck disable=SC2086
    fails "$command: a file of an earlier version" 1 "$ESPALIER" $command old.db
    is "$command: the message says what to do" "$(tail -n 1 .err)" "espalier: old.db: made by an older espalier (schema 3, this one supports 5): read it with that version, or run the sweep again into another --db"
done
is "which stays as it was" "$(cksum <old.db)" "$(cat old.sum)"
refuses "changed data are refused" 2 "^espalier:   data.samples: 60 -> 70$" run small.ini --set samples=70
like "and the digests" "$(cat .err)" "^espalier:   the data differ \(digest [0-9a-f]{32} -> [0-9a-f]{32}\)$"

"$ESPALIER" simulate panel --samples 60 --markers 40 --causal 5 >/dev/null 2>&1
ok "a sweep over files" run panel/sweep.ini --db panel.db --set epochs=2 --set model.type=noop
sed -i '2s/[^,]*$/9.5/' panel/phenotypes.csv
refuses "a file that has changed is refused" 2 "^espalier:   the data differ: panel/genotypes.csv, panel/phenotypes.csv" \
    run panel/sweep.ini --db panel.db --set epochs=2 --set model.type=noop

ok "plan shows them as new" "$ESPALIER" plan small.ini --set epochs=4 --format csv
like "and warns" "$(cat .err)" "sweep 'small' is stored with other settings: 'run' would need another \[sweep\] name or --new-sweep"
is "all of them" "$(grep -c pending .out)" 2

ok "--new-sweep starts a new sweep" run small.ini --set epochs=4 --new-sweep
like "and reports the new name of the old one" "$(cat .err)" "the earlier sweep 'small' is now named 'small#1'"
is "under the same name" "$(sql results.db 'select sweep, count(*) from trials group by sweep')" "small|2
small#1|2"
ok "the same command continues it" run small.ini --set epochs=4 --new-sweep
is "and starts no other sweep" "$(sql results.db 'select count(*) from sweep')" 2
is "best shows the new one" "$("$ESPALIER" best --format csv 2>/dev/null | cut -d, -f2 | sort -n | tail -n 2)" "3
4"
is "or the old one when asked" "$("$ESPALIER" best --sweep small#1 --format csv 2>/dev/null | cut -d, -f2 | sort -n | tail -n 2)" "1
2"
fails "the old settings are refused" 2 run small.ini
ok "the old one continues under its new name" run small.ini --set name=small#1 --set replicates=2
is "with more replicates" "$(sql results.db "select count(*) from trials where sweep = 'small#1' and state = 'done'")" 4

# ---- run and best agree ----

printf '[sweep]\nname = a\nreplicates = 3\n[data]\nformat = simulated\nsamples = 60\nmarkers = 40\ncausal = 5\n[train]\nepochs = 700\n[grid]\nhidden_size = 2, 4, 8, 16\n' >a.ini
# shellcheck disable=SC2086 # options are several words
agree() {
    ok "$1" run a.ini --db a.db $2
    run=$(sed -n 's/.*best: c\([0-9]*\), val_pearson \(.*\)/\1 \2/p' .err)
    best=$("$ESPALIER" best a.db --format csv 2>/dev/null | awk -F, 'NR == 2 { printf "%d %.4g", $2, $5 }')
    is "and prints the same best as best" "$run" "$best"
}
agree "three replicates" ""
agree "one of them" "--set replicates=1"
agree "four" "--set replicates=4"
agree "a part of the grid" "--set grid.hidden_size=2,4"
agree "another part" "--set grid.hidden_size=8"

# Also during the run: a configuration outside its plan has more trials and stays ahead.
ok "a run of some length, with fewer replicates" "$ESPALIER" run a.ini --db a.db --progress live \
    --set replicates=2 --set grid.hidden_size=150 --set grid.dropout=0:0.8:0.05
is "always prints the same best as best" "$(tr '\r' '\n' <.err | grep '[0-9] trials (' | sed 's/.*best val_pearson \([^ ]*\) (c\([0-9]*\)).*/\2 \1/' | sort -u)" "$best"

# ---- names ----

printf '[sweep]\nname = caf\351\n[data]\nformat = simulated\n' >latin.ini
refuses "a name that is not UTF-8 is refused" 2 "^espalier: latin.ini:2: name: byte 0xe9 is not UTF-8: save the file as UTF-8$" \
    run latin.ini --db latin.db
printf '[data]\nformat = simulated\nsamples = 60\nmarkers = 40\n' >"$(printf 'caf\351.ini')"
fails "a name taken from the file name is refused, too" 2 run "$(printf 'caf\351.ini')" --db latin.db
like "the message says so" "$(LC_ALL=C sed 's/\xe9/?/' .err)" "caf.*the file's name is not UTF-8: set \[sweep\] name"
ok "a name in UTF-8" run small.ini --db utf.db --set name=café
like "is unchanged in JSON" "$("$ESPALIER" export utf.db --format json 2>/dev/null)" '"sweep": *"café"'

done_testing
