#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No command overwrites a file that a sweep reads, including related files and members of a folder.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

# ---- PLINK: the sweep names p.bed, and espalier reads three files ----

awk 'BEGIN { for (i = 0; i < 24; i++) print "F" i, "s" i, 0, 0, 0, (i * 7) % 11 + i / 10 }' >p.fam
awk 'BEGIN { for (j = 0; j < 20; j++) print 1, "m" j, 0, 100 + j, "A", "C" }' >p.bim
# shellcheck disable=SC2046,SC2059 # bytes, as printf takes them
printf $(awk 'BEGIN { printf "\\154\\033\\001"; for (i = 0; i < 120; i++) printf "\\%03o", (i * i * 37 + i * 11) % 256 }') >p.bed
cat >p.ini <<'INI'
[sweep]
keep = all
folds = 2
[data]
format = genotype
genotypes = p.bed
[train]
epochs = 1
INI
ok "a sweep" "$ESPALIER" run p.ini --db p.db --progress none
mkdir elsewhere
cp p.db elsewhere/q.db
cp p.fam f.fam && cp p.bim f.bim && cp p.bed f.bed
ln p.fam hard.txt
ln -s p.bim soft.txt
sums() { cat p.fam p.bim p.bed p.ini p.db f.* set/* 2>/dev/null | cksum; }

# kept FILE AS COMMAND...: a command that would write to FILE refuses before it does any work, with
# only the message that FILE is an input, named AS. All files stay unchanged.
kept() {
    file=$1
    as=$2
    shift 2
    before=$(sums)
    fails "$* $file" 1 "$ESPALIER" "$@" "$file"
    is "$*: the message" "$(cat .err .out)" "espalier: $file: is the input $as: will not be overwritten"
    is "$*: all files are unchanged" "$(sums)" "$before"
}
for part in fam bim bed; do
    kept p.$part "$PWD/p.$part" predict p.db --all -o
    kept p.$part "$PWD/p.$part" show p.db t1 --model
    kept p.$part p.$part inspect p.ini --splits
    kept p.$part "$PWD/p.$part" export p.db -o
    kept f.$part f.$part predict p.db --genotypes f.bed --all -o
done
kept hard.txt "$PWD/p.fam" predict p.db --all -o
kept soft.txt "$PWD/p.bim" predict p.db --all -o
kept p.ini p.ini predict p.db --all -o
kept p.ini p.ini show p.db t1 --model
kept p.ini p.ini inspect p.ini --splits
kept p.db p.db show p.db t1 --model
kept p.db p.db predict p.db --all -o
cd elsewhere || exit 1
fails "a sweep that was moved" 1 "$ESPALIER" predict q.db --all -o ../p.fam
cd ..
# Inputs are found beside the database, where the run was started.
cd elsewhere || exit 1
fails "a sweep file, from another folder" 1 "$ESPALIER" predict ../p.db --all -o ../p.ini
like "is an input" "$(cat ../.err)" "p.ini: is the input ../p.ini: will not be overwritten"
cd ..

# The work would find other faults first.
echo nonsense >broken.vcf
kept broken.vcf broken.vcf predict p.db --genotypes broken.vcf -o
mkdir moved
mv p.bim moved
cp p.fam p.bed moved
kept moved/p.fam moved/p.fam predict p.db --all --set genotypes=moved/p.bed -o
kept p.fam "$PWD/p.fam" predict p.db --all -o
kept p.fam p.fam inspect p.ini --splits
cp p.fam m-t2.st
sed 's/^genotypes.*/genotypes = p.bed\nphenotypes = m-t2.st\ntrait = y/' p.ini >table.ini
(echo id y && awk '{ print $2, $6 }' p.fam) >m-t2.st
mv moved/p.bim .
ok "a sweep with a table" "$ESPALIER" run table.ini --db table.db --progress none
fails "one of several models" 1 "$ESPALIER" show table.db c1 --model m.st
is "is refused before the others are written" "$(cat .err; echo m-*)" "espalier: m-t2.st: is the input $PWD/m-t2.st: will not be overwritten
m-t2.st"
rm m-t2.st

# ---- a folder ----

mkdir set
awk 'BEGIN { for (g = 0; g < 12; g++) print 2 * g + 1 ", " 2 * g + 2 "\n" 2 * g + 2 ", " 2 * g + 1 }' >set/S_A.txt
awk 'BEGIN { for (g = 1; g <= 12; g++) print g "\n" g }' >set/S_graph_indicator.txt
awk 'BEGIN { for (g = 1; g <= 12; g++) print g % 2 }' >set/S_graph_labels.txt
awk 'BEGIN { for (g = 1; g <= 24; g++) print g % 3 }' >set/S_node_labels.txt
printf '[sweep]\nkeep = all\n[data]\nformat = tu\nfolder = set\n[train]\nepochs = 1\n' >tu.ini
ok "a sweep over graphs" "$ESPALIER" run tu.ini --db tu.db --progress none
for part in A graph_indicator graph_labels node_labels; do
    kept set/S_$part.txt "$PWD/set/S_$part.txt" predict tu.db --all -o
    kept set/S_$part.txt set/S_$part.txt inspect tu.ini --splits
done
ok "another file in that folder may be written" "$ESPALIER" predict tu.db --all -o set/said.csv
for words in "predict tu.db --all -o" "export tu.db -o" "show tu.db t1 --model" "inspect tu.ini --splits" "report tu.db -o" "trace tu.db -o"; do
    echo mine >set/said.csv
    # shellcheck disable=SC2086
    fails "but is not replaced: $words" 1 "$ESPALIER" $words set/said.csv
    is "the message: $words" "$(cat .err .out set/said.csv)" "espalier: set/said.csv: exists already; --force replaces it
mine"
    # shellcheck disable=SC2086
    ok "unless by --force: $words" "$ESPALIER" $words set/said.csv --force
    is "it is new: $words" "$(grep -c mine set/said.csv)" 0
done
# Names that a later run gives to its own files.
ln -s . here
for side in tu.db-wal tu.db-shm tu.db-journal tu.db.lock "$PWD/here/tu.db.saved"; do
    for words in "export tu.db -o" "report tu.db -o" "report tu.db -o x.html --figures" "trace tu.db -o"; do
        # shellcheck disable=SC2086
        fails "$words $side" 1 "$ESPALIER" $words "$side" --force
        is "the message: $words $side" "$(cat .err .out)" "espalier: $side: a run on tu.db uses this name for a file of its own: choose another name"
    done
done
is "nothing was written" "$(ls -d tu.db?* x.html 2>/dev/null)" ""
rm here

# ---- invalid names ----

refused() {
    fails "$1" 1 "$ESPALIER" show p.db "$3" --model "$2"
    is "$1: the message" "$(tail -n 1 .err)" "espalier: $4"
}
for id in c1 t1; do
    refused "a folder: $id" . $id ".: is a folder: must be a file to write"
    refused "a folder with a slash: $id" elsewhere/ $id "elsewhere/: is a folder: must be a file to write"
done
mkfifo pipe
refused "several models into a path that is not a file" pipe c1 "pipe: is not a regular file, but must be the name of 2 files"
for name in "show p.db t1 --model" "predict p.db --all -o" "export p.db -o" "inspect p.ini --splits" "run p.ini --db"; do
    # shellcheck disable=SC2086
    refuses "an empty name: $name" 2 "^espalier: --[a-z]+ '': must be the name of a file$" "$ESPALIER" $name ""
done
is "nothing else was written" "$(find . -name '*-t*')" ""
ok "a name" "$ESPALIER" show p.db c1 --model elsewhere/m.st
is "two files are written" "$(cd elsewhere && echo m*)" "m-t1.st m-t2.st"

# ---- whole or not at all ----

before=$(ls -A)
echo old >old.csv
small() { sh -c 'ulimit -f 1; exec "$@"' sh "$ESPALIER" "$@"; }
for name in "export p.db -o" "inspect p.ini --splits" "show p.db t1 --model"; do
    # shellcheck disable=SC2086
    if "$ESPALIER" $name whole.csv >/dev/null 2>&1 && [ "$(wc -c <whole.csv)" -gt 1024 ]; then
        refuses "a limit on file sizes: $name" 1 "^espalier: old.csv: cannot write: File too large: 'ulimit -f' or the filesystem limits its size$" \
            small $name old.csv --force
        is "the old file stays: $name" "$(cat old.csv)" old
    fi
done
refuses "simulate under that limit" 1 "panel/genotypes.csv: cannot write: File too large" small simulate panel --samples 50 --markers 60 --causal 5
is "and leaves none of its files" "$(ls -A panel)" ""
ok "simulate" "$ESPALIER" simulate panel --samples 50 --markers 60 --causal 5
rm panel/genotypes.csv
fails "simulate over an existing file" 1 "$ESPALIER" simulate panel --samples 50 --markers 60 --causal 5
is "the file stays" "$(cat .err; ls -A panel)" "espalier: panel/genotypes.vcf: exists already: will not be overwritten
edges.csv
genotypes.vcf
phenotypes.csv
sweep.ini"
refuses "a run under that limit" 1 "limited.db: cannot .*: File too large" small run p.ini --db limited.db --progress none
refuses "and a merge" 1 "merged.db: cannot .*: File too large" small merge merged.db p.db
is "no database is left" "$(ls merged.db* 2>/dev/null)" ""
ln -s old.csv link.csv
refuses "a link is not followed" 1 "^espalier: link.csv: is a symbolic link, which is not followed: give the name of the file itself, or remove the link$" \
    "$ESPALIER" export p.db -o link.csv
is "nothing happens to its target" "$(cat old.csv)" old
ok "/dev/stdout as the output" "$ESPALIER" export p.db -o /dev/stdout
is "is written to" "$(cat .out)" "$("$ESPALIER" export p.db)"
rm -rf old.csv whole.csv panel link.csv limited.db*
is "no temporary file is left" "$(ls -A)" "$before"

# ---- databases ----

for db in p.db elsewhere/q.db; do
    before=$(cksum "$db")
    fails "inspect --splits $db" 1 "$ESPALIER" inspect p.ini --splits "$db"
    is "the message says that $db is a database" "$(cat .err .out)" "espalier: $db: is a database: will not be overwritten"
    fails "predict -o $db" 1 "$ESPALIER" predict tu.db --genotypes p.bed -o "$db"
    is "predict refuses it, too" "$(cat .err .out)" "espalier: $db: is a database: will not be overwritten"
    is "$db is unchanged" "$(cksum "$db")" "$before"
done

# The log of a killed run has its last commits, and a journal can roll back. Here they have only
# their first bytes.
printf '\067\177\006\202 and so on' >q.db-wal
printf '\331\325\005\371\040\241\143\327 and so on' >q.db-journal
for file in q.db-wal q.db-journal; do
    before=$(cksum "$file")
    refuses "export -o $file" 1 "^espalier: $file: is the (log|journal) of a database: will not be overwritten$" "$ESPALIER" export p.db -o "$file"
    is "$file is unchanged" "$(cksum "$file")" "$before"
done

done_testing
