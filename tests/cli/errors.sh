#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Bad input: one line that names the place, exit status 1 or 2, and no results are lost.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

# refused NAME STATUS PATTERN COMMAND...: COMMAND exits with STATUS, and one line on stderr matches
# PATTERN. Warnings are ignored.
refused() {
    refuses "$@"
    is "$1: it has one line" "$(grep -vc '^espalier: warning: ' "$T/.err")" 1
}

# bad_sweep NAME STATUS PATTERN TEXT: a run of this sweep file is refused.
bad_sweep() {
    # shellcheck disable=SC2059 # of printf
    printf "$4" >x.ini
    refused "$1" "$2" "$3" "$ESPALIER" run x.ini
}

# bad_table NAME PATTERN TEXT: the same of genotype.ini over this table.
bad_table() {
    # shellcheck disable=SC2059 # of printf
    printf "$3" | geno
    refused "$1" 1 "$2" "$ESPALIER" run genotype.ini
}

# A genotype table from stdin and a sweep over it.
geno() {
    cat >g.csv
    cat >genotype.ini <<'INI'
[data]
format = genotype
genotypes = g.csv
phenotypes = p.csv
[graph]
k = 1
[train]
epochs = 1
INI
}

printf 'id,y\na,1\nb,2\nc,3\nd,5\ne,4\nf,7\ng,2\nh,1\ni,6\nj,8\n' >p.csv

fails "no command" 2 "$ESPALIER"
refused "an unknown command" 2 "'rnu' is not a command" "$ESPALIER" rnu
fails "no sweep file" 2 "$ESPALIER" run
fails "an unknown option" 2 "$ESPALIER" run --wrong x.ini
refused "a missing sweep file" 2 'none.ini: No such file' "$ESPALIER" run none.ini
refused "a folder as sweep file" 2 'Is a directory' "$ESPALIER" run .
printf 'a\000b' >nul.ini
refused "a binary sweep file" 2 'NUL byte' "$ESPALIER" run nul.ini

bad_sweep "an unknown key" 2 'x.ini:2: .*hiden_size.*hidden_size' '[model]\nhiden_size = 3\n[data]\nformat = simulated\n'
bad_sweep "an unknown section" 2 'x.ini:[12]: .*modle.*model' '[modle]\nhidden_size = 3\n[data]\nformat = simulated\n'
bad_sweep "a value out of range" 2 'x.ini:2: dropout = 1.2: must be .*\[0, 1\)' '[model]\ndropout = 1.2\n[data]\nformat = simulated\n'
bad_sweep "a duplicate axis" 2 'x.ini:4: .*dropout' '[grid]\ndropout = 0.1\nlayers = 2\ndropout = 0.2\n[data]\nformat = simulated\n'
printf '[model]\nlayers = 0\nwidth = 2\n[train]\nepochs = many\n[data]\nformat = simulated\n' >x.ini
fails "three faults" 2 "$ESPALIER" run x.ini
is "are reported at once" "$(grep -c 'x.ini:' "$T/.err")" 3
{ printf '[data]\nformat = simulated\n[model]\n'; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "wrong$i = 1"; done; } >x.ini
fails "twelve faults" 2 "$ESPALIER" run x.ini
is "ten are printed" "$(grep -c 'x.ini:[0-9]' "$T/.err")" 10
is "the others are counted" "$(tail -n 1 "$T/.err")" "espalier: x.ini: ... and 2 more errors"
bad_sweep "an objective for another task" 2 'val_accuracy.*val_pearson' '[sweep]\nobjective = val_accuracy\n[data]\nformat = simulated\n'
bad_sweep "a where clause with a typo" 2 'x.ini:2: .*hidden_sise' '[sweep]\nwhere = hidden_sise < 3\n[grid]\nhidden_size = 2, 4\n[data]\nformat = simulated\n'
bad_sweep "more neighbours than samples" 1 'k = 400' '[graph]\nk = 400\n[data]\nformat = simulated\n'

{
    printf '[data]\nformat = simulated\n[grid]\n'
    for key in learning_rate weight_decay dropout input_dropout momentum lambda test val stop; do
        echo "$key = 0.1:0.19:0.01"
    done
} >x.ini
refused "a grid of 10^9 points" 2 '1000000000 points' "$ESPALIER" run x.ini

geno </dev/null
refused "an empty genotype file" 1 'g.csv.*empty' "$ESPALIER" run genotype.ini
rm g.csv
refused "a missing genotype file" 1 'g.csv.*No such file' "$ESPALIER" run genotype.ini
bad_table "a ragged row" 'g.csv:3:' 'id,m1,m2\na,0,1\nb,0\n'
bad_table "a cell that is not a number" "g.csv:3: .*m2" 'id,m1,m2\na,0,1\nb,0,x\nc,1,1\n'
bad_table "a duplicate id" "g.csv:4: .*'?a" 'id,m1,m2\na,0,1\nb,0,2\na,1,1\n'
bad_table "no id in common" 'no .*in common' 'id,m1,m2\nx,0,1\ny,0,2\nz,1,1\n'
printf 'id,m1,m2\na,0,1\nb,0,2\nc,1,1\nd,1,0\n' | geno
printf 'id,y\na,NA\nb,\nc,NA\nd,NA\n' >p.csv
refused "all phenotypes missing" 1 'p.csv' "$ESPALIER" run genotype.ini
printf 'id,y,z\na,1,1\nb,2,2\n' >p.csv
refused "several traits to choose from" 2 'y.*z' "$ESPALIER" run genotype.ini

bad_table "a genotype table without a header" 'g.csv:1: marker "0" is in columns 2 and 4' 'a,0,1,0\nb,0,2,1\nc,1,1,2\n'
printf 'id,m1,m2\na,0,1\nb,0,2\nc,1,1\nd,1,0\ne,2,2\nf,0,0\n' | geno
printf 'id,y\na,1\nb,2\nc,3\nd,2\ne,1\nf,4\n' >p.csv
refused "more folds than samples" 1 'fold' "$ESPALIER" run genotype.ini --set folds=20
before=$(cat g.csv p.csv genotype.ini | cksum)
for file in g.csv p.csv genotype.ini; do
    ln -sf $file link
    refused "splits over the input $file" 1 'will not be overwritten' "$ESPALIER" inspect genotype.ini --splits link
done
is "inputs are unchanged" "$(cat g.csv p.csv genotype.ini | cksum)" "$before"

printf 'node,label\na,0\nb,1\nc,0\n' >l.csv
printf 'node,x,y\na,1,2\nb,2,1\nc,1,1\n' >f.csv
printf 'source,target\na,b\nb,q\n' >e.csv
printf '[data]\nformat = graph\nedges = e.csv\nfeatures = f.csv\nlabels = l.csv\n' >graph.ini
refused "an edge to an unknown node" 1 "e.csv:3: .*q" "$ESPALIER" run graph.ini

cat >fine.ini <<'INI'
[data]
format = simulated
samples = 60
markers = 40
causal = 5
[train]
epochs = 1
INI
refused "far more ranks than cores" 2 'ranks 90000: must be at most' env -u SLURM_JOB_ID -u LSB_JOBID \
    "$ESPALIER" run fine.ini -n 90000

echo 'not a database, a letter to my sister' >letter.db
before=$(cksum <letter.db)
refused "a file that is not a database" 1 'letter.db' "$ESPALIER" run fine.ini --db letter.db
is "a file that is not a database stays unchanged" "$(cksum <letter.db)" "$before"
sqlite3 other.db 'pragma application_id = 77; create table t(x); insert into t values (1)'
before=$(cksum <other.db)
refused "the database of another program" 1 'other.db' "$ESPALIER" run fine.ini --db other.db
is "the database of another program stays unchanged" "$(cksum <other.db)" "$before"
refused "a database in a missing folder" 1 'nowhere/x.db' "$ESPALIER" run fine.ini --db nowhere/x.db
refused "a leaderboard without results" 1 'none.db' "$ESPALIER" best none.db

if [ "$(id -u)" = 0 ] && mkdir full && mount -t tmpfs -o size=400k none full 2>/dev/null; then
    ok "a small disk holds a small sweep" "$ESPALIER" run fine.ini --db full/r.db
    refuses "a full disk" 1 "disk or a quota is full" "$ESPALIER" run fine.ini --db full/r.db --set replicates=5000 --set type=noop --set name=more
    is "a full disk loses nothing" "$(sqlite3 full/r.db \
        "select count(*) > 0 from trial where state = 'done'; pragma integrity_check" | tr '\n' ' ')" "1 ok "
    umount full
fi

if [ "$(id -u)" != 0 ]; then
    mkdir locked && chmod 555 locked
    refused "a read-only directory" 1 'locked' "$ESPALIER" run fine.ini --db locked/r.db
elif mkdir locked && mount -t tmpfs -o size=1m none locked 2>/dev/null; then
    mount -o remount,ro locked
    refused "a read-only directory" 1 'locked' "$ESPALIER" run fine.ini --db locked/r.db
    umount locked
fi

# ---- a small address space ----

# limited MIB COMMAND...: has a time limit, since OpenBLAS tries forever if it gets no memory.
# shellcheck disable=SC2016 # for the inner shell
limited() { timeout 300 sh -c 'ulimit -v $(($1 * 1024)); shift; exec "$@"' sh "$@"; }
# A sanitizer reserves terabytes of address space.
if ! grep -q __asan_init "$ESPALIER"; then
    refused "an address space too small for OpenBLAS" 1 \
        "^espalier: the address space is limited to 300 MiB .*: OpenBLAS needs 330 MiB for one thread, .*'ulimit -v unlimited'" \
        limited 300 "$ESPALIER" status none.db
    printf '[data]\nformat = genotype\ngenotypes = missing.csv\nphenotypes = missing.csv\n' >missing.ini
    refused "an address space too small for all threads" 1 \
        "^espalier: warning: the address space is limited to 2000 MiB .*: OpenBLAS may need 4608 MiB for 32 threads, .* set OMP_NUM_THREADS=1, type 'ulimit -v unlimited', or ask the batch system for more memory$" \
        limited 2000 env OMP_NUM_THREADS=32 "$ESPALIER" inspect missing.ini
    fails "with one thread" 1 limited 2000 env OMP_NUM_THREADS=1 "$ESPALIER" inspect missing.ini
    is "there is no warning" "$(grep -c 'address space' "$T/.err")" 0
fi

done_testing
