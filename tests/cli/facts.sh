#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Facts about the data in the database (table data_fact).
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

# Twelve samples; m5 has one value, one call is missing, s2 repeats s1.
cat >genotypes.csv <<'CSV'
id,m1,m2,m3,m4,m5
s1,0,0,1,2,1
s2,0,0,1,2,1
s3,1,0,1,2,1
s4,2,0,0,2,1
s5,2,1,0,2,1
s6,2,2,0,1,1
s7,0,2,0,1,1
s8,0,1,2,1,1
s9,1,1,2,0,1
s10,1,NA,2,0,1
s11,1,0,1,0,1
s12,2,0,1,0,1
CSV
{
    echo 'id,height,family'
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        echo "s$i,$((i * i)).5,f$((i / 4))"
    done
    echo 's13,7,f3'
} >phenotypes.csv
cat >sweep.ini <<'INI'
[data]
format = genotype
genotypes = genotypes.csv
phenotypes = phenotypes.csv
trait = height
[graph]
k = 2
[split]
test = 0.25
val = 0.25
[train]
epochs = 1
INI
db=results.db
sql() { sqlite3 "$db" "$1"; }
run() { "$ESPALIER" run sweep.ini --db "$db" --progress none "$@"; }
facts() { sql "select name || '=' || value from data_fact where topic = '$1' order by ordinal" | tr '\n' ' '; }
digest() { sql 'select data_digest from sweep order by sweep_id desc limit 1'; }

ok "a run" run
is "topics" "$(sql 'select group_concat(topic) from (select distinct topic from data_fact)')" data,degree,duplicate,graph,marker,note,part,target,target_bin
is "the data" "$(facts data)" "format=genotype task=regression digest=$(digest) samples=12 labelled=12 features=4 effects=0 form=small integers missing=1 skipped=0 groups=0 rows_with_value=13 rows_joined=12 rows_unjoined=1 "
is "markers" "$(facts marker)" "read=5 kept=4 monomorphic=1 too_missing=0 rare=0 thinned=0 sites_elsewhere=0 sites_multiallelic=0 sites_split=0 "
is "duplicates" "$(facts duplicate)" "sets=1 samples=2 sets_on_both_sides=$(grep -c 'both sides' .err) "
is "parts" "$(facts part)" "train_min=6 train_max=6 val_min=3 val_max=3 test_min=3 test_max=3 "
is "the target" "$(facts target)" "n=12 mean=54.6666666666667 sd=48.1490740651711 min=1.5 quartile_1=14.75 median=43.0 quartile_3=86.25 max=144.5 "
is "its histogram" "$(facts target_bin)" "1.5=2 8.65=1 15.8=1 22.95=1 30.1=1 37.25=0 44.4=1 51.55=0 58.7=1 65.85=0 73=0 80.15=1 87.3=0 94.45=1 101.6=0 108.75=0 115.9=1 123.05=0 130.2=0 137.35=1 "
is "the target is that of inspect, to the bit" "$("$ESPALIER" inspect sweep.ini --format json 2>/dev/null | python3 -c '
import json, sqlite3, sys
there = dict(sqlite3.connect("results.db").execute("SELECT name, value FROM data_fact WHERE topic = \"target\""))
here = json.load(sys.stdin)["data"]
print([name for name in ("mean", "sd", "min", "max") if here["target_" + name] != there[name]])')" "[]"
"$ESPALIER" inspect sweep.ini >graph.txt 2>/dev/null
is "the graph is that of inspect" "$(facts graph)" "$(sed -n 's/^graph *\(knn\) by \(cosine\).*: \([0-9]*\) edges.* \([0-9]*\) samples* alone, \([0-9]*\) comp.*/build=\1 k=2 metric=\2 edges=\3 components=\5 alone=\4/p' graph.txt) "
is "every sample has a degree" "$(sql "select sum(value), sum(name * value) = 2 * (select value from data_fact where name = 'edges') from data_fact where topic = 'degree'")" "12|1"
all=$(sql 'select * from data_fact')
ok "another run" run --set grid.learning_rate=0.1,0.2
is "has the same facts" "$(sql 'select * from data_fact')" "$all"
sql "update data_fact set value = 99 where name = 'labelled'; insert into data_fact values (1, 'target', 8, 'other', 1), (1, 'none', 0, 'other', 1)"
ok "it mends" run
is "what differs" "$(sql 'select * from data_fact')" "$all"

# Other data are another sweep.
sed 's/^s1,/s14,/' genotypes.csv >less.csv
ok "other data, groups and classes" run --new-sweep --set genotypes=less.csv --set group=family --set task=classification --set trait=family
is "the old sweep keeps its facts" "$(sql 'select * from data_fact where sweep_id = 1')" "$all"
is "the new one has its own" "$(sql "select name || '=' || value from data_fact where sweep_id = 2 and (topic in ('class', 'group') or name in ('labelled', 'groups')) order by topic, ordinal" | tr '\n' ' ')" \
    "f0=2 f1=4 f2=4 f3=1 labelled=11 groups=4 f0=2 f1=4 f2=4 f3=1 "
is "without a target" "$(sql "select count(*) from data_fact where sweep_id = 2 and topic glob 'target*'")" 0
ok "a merge" "$ESPALIER" merge merged.db results.db
is "copies all" "$(sqlite3 merged.db 'select * from data_fact')" "$(sql 'select * from data_fact')"

# Graphs.
cat >molecules.csv <<'CSV'
smiles,y
CCO,1
CCN,0
CCCC,1
c1ccccc1,0
CC(C)C,1
CCC,0
CC,1
C,0
CSV
cat >graphs.ini <<'INI'
[data]
format = smiles
molecules = molecules.csv
smiles = smiles
trait = y
[split]
test = 0.25
val = 0.25
[train]
epochs = 1
INI
db=graphs.db
"$ESPALIER" run graphs.ini --db graphs.db --progress none 2>.err
if grep -q Indigo .err; then
    echo "# molecules are not tested: this espalier was built without Indigo"
else
    is "molecules have nodes and edges" "$(facts data | grep -o 'nodes=.*')" "nodes=26 edges=19 duplicate_edges=0 self_loops=0 "
    is "degrees of atoms" "$(facts degree)" "0=1 1=13 2=11 3=1 "
    is "classes" "$(facts class)" "0=4 1=4 "
fi
done_testing
