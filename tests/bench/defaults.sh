#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Measurements behind defaults: doc/decisions/0035 (choose_epoch), 0036 (graphs), 0006 (scale), 0033
# (stop part with groups). Prints a Markdown table for each TABLE: choose_epoch graphs scale
# stop_groups. Needs sqlite3, python3 and ESPALIER_DATA.
# Not all grids were fixed before test scores were seen. To save time, these were cut after partial
# results had been seen: the grids of MUTAG, PROTEINS and BBBP for choose_epoch, the grid of
# stop_groups, and the epochs of graphs. The cells of BBBP for pool and batch_norm were chosen after
# those of MUTAG and PROTEINS.
# usage: defaults.sh ESPALIER SOURCE_DIRECTORY TABLE...
# With KEEP=DIRECTORY the databases stay there, and a second call continues them.
espalier=$1
src=$2
shift 2
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"
seeds="1 2 3 4 5"
fold_seeds="1 2 3"
db=${KEEP:-$T}

# sweep NAME: run the sweep file on stdin once for each seed, each with another test part, into
# NAME.db.
sweep() {
    cat >"$T/$1.ini"
    for seed in ${SEEDS:-$seeds}; do
        "$espalier" run "$T/$1.ini" --db "$db/$1.db" --set seed="$seed" --set sweep.name="seed$seed" \
            --progress none -n 1 2>"$T/err" </dev/null || { cat "$T/err" >&2; exit 1; }
    done
}

# table NAME SQL: print rows of a Markdown table, each beginning with NAME.
table() {
    sqlite3 -separator ' | ' "$db/$1.db" "$2" | sed "s/^/| $1 | /; s/\$/ |/"
}

panel_data() {
    case $1 in
    ft10) echo "format = genotype
genotypes = $ESPALIER_DATA/arabidopsis/ft10_geno.csv
phenotypes = $ESPALIER_DATA/arabidopsis/ft10_pheno.csv" ;;
    ft16) echo "format = genotype
genotypes = $ESPALIER_DATA/arabidopsis/ft16_chr5_geno.csv.gz
phenotypes = $ESPALIER_DATA/arabidopsis/ft16_chr5_pheno.csv
trait = FT16
[model]
reduce = exact" ;;
    ld | sd) echo "format = genotype
genotypes = $ESPALIER_DATA/arabidopsis/Arabidopsis_2029_Maf001_Filter80.1000lines.vcf.gz
subset = phenotyped
phenotypes = $ESPALIER_DATA/arabidopsis/$(echo "$1" | tr '[:lower:]' '[:upper:]')_FT_DATA.tsv
trait = phenotype" ;;
    simulated) echo "format = simulated" ;;
    esac
}

graph_data() {
    case $1 in
    bbbp) echo "format = smiles
molecules = $ESPALIER_DATA/bbbp/bbbp_clean.csv
smiles = smiles
trait = p_np
id = num
task = classification" ;;
    mutag | proteins) echo "format = tu
folder = $ESPALIER_DATA/tu/$(echo "$1" | tr '[:lower:]' '[:upper:]')" ;;
    cora) echo "format = graph
edges = $ESPALIER_DATA/cora/edges.csv
features = $ESPALIER_DATA/cora/features.csv
labels = $ESPALIER_DATA/cora/labels.csv" ;;
    esac
}

# ---- choose_epoch ----

# NAME COLUMNS TYPE: means over all trials, then over the first configuration by the objective for
# each seed.
choose_epoch_rows() {
    scored="(select *, row_number() over (partition by $3, stop, choose_epoch, sweep order by value desc) as place
        from trials join (select trial_id, best_epoch from trial) on trial = trial_id)"
    table "$1" "select $3, stop, choose_epoch, 'all', $(means "$2") from $scored group by 1, 2, 3"
    table "$1" "select $3, stop, choose_epoch, 'first', $(means "$2") from $scored where place = 1 group by 1, 2, 3"
}

# Means of "test_r2 test_pearson", and the number of negative test_r2 if that is among them.
means() {
    gap=
    for column in $1; do
        printf '%sround(avg(%s), 3)' "$gap" "$column"
        gap=', '
    done
    case $1 in *test_r2*) printf ", sum(test_r2 < 0) || ' of ' || count(*)" ;; esac
}

choose_epoch() {
    for name in ft10 ft16 ld sd simulated; do
        sweep $name <<INI
[data]
$(panel_data $name)
[grid]
type          = gcn, mlp
learning_rate = 3e-3, 1e-2
dropout       = 0.2, 0.5
stop          = 0, 0.1
choose_epoch  = objective, loss
INI
        choose_epoch_rows $name "test_pearson test_r2 best_epoch" type
    done
    for name in mutag proteins bbbp; do
        sweep $name <<INI
[data]
$(graph_data $name)
scale = $([ $name = proteins ] && echo standardize || echo none)
[train]
learning_rate = 3e-3
batch_size    = 32
epochs        = 40
[grid]
batch_norm    = no, yes
stop          = 0, 0.1
choose_epoch  = objective, loss
INI
        choose_epoch_rows $name "test_accuracy test_roc_auc test_log_loss best_epoch" "'gcn'"
    done
    sweep cora <<INI
[data]
$(graph_data cora)
scale = row
[split]
file = $ESPALIER_DATA/cora/split.csv
[train]
epochs = 200
[grid]
learning_rate = 3e-3, 1e-2
dropout       = 0.2, 0.5
stop          = 0, 0.1
choose_epoch  = objective, loss
INI
    choose_epoch_rows cora "test_accuracy test_roc_auc test_log_loss best_epoch" "'gcn'"
}

# ---- graphs ----

# graphs_rows NAME EPOCHS BATCH_SIZE: run the axes on stdin on held-out folds with a stop part.
graphs_rows() {
    sweep "graphs-$1-$3" <<INI
[sweep]
objective = val_roc_auc
folds = 5
where = layers = 2 or pool = 'mean'
[data]
$(graph_data "$1")
scale = $([ "$1" = proteins ] && echo standardize || echo none)
[split]
test = 0
stop = 0.1
[train]
choose_epoch = loss
epochs       = $2
batch_size   = $3
[grid]
$(cat)
INI
    table "graphs-$1-$3" "select layers, pool, batch_norm, $(means "val_accuracy val_roc_auc val_log_loss"), count(*)
        from trials group by 1, 2, 3"
}

graphs() {
    for name in mutag proteins bbbp; do
        SEEDS="1 2 3"
        graphs_rows $name 40 32 <<INI
batch_norm = no, yes
layers     = 2, 3
pool       = mean, sum
INI
        # The defaults: one step an epoch.
        SEEDS=1
        graphs_rows $name 100 full <<INI
batch_norm = no, yes
layers     = 2, 3
pool       = mean
INI
    done
}

# ---- scale ----

# The PROTEINS folder with its attribute x replaced by EXPRESSION; node labels unchanged.
proteins_with() {
    mkdir -p "$T/PROTEINS"
    cp "$ESPALIER_DATA"/tu/PROTEINS/*.txt "$T/PROTEINS/"
    chmod u+w "$T"/PROTEINS/*
    python3 - "$T/PROTEINS/PROTEINS_node_attributes.txt" "$1" <<PY
import statistics, sys
values = [float(line) for line in open(sys.argv[1])]
mean, sd = statistics.fmean(values), statistics.pstdev(values)
scaled = eval("lambda x, mean, sd: " + sys.argv[2])
open(sys.argv[1], "w").writelines("%.9g\n" % scaled(x, mean, sd) for x in values)
PY
}

# scale_rows NAME VARIANT SCALE: run one sweep of the data on stdin.
scale_rows() {
    data=$(cat)
    sweep "scale-$1-$2-$3" <<INI
[sweep]
folds = 5
[data]
$data
scale = $3
[split]
test = 0
stop = 0.1
[train]
choose_epoch = loss
batch_size   = $4
epochs       = $5
[grid]
batch_norm = no, yes
INI
    table "scale-$1-$2-$3" "select batch_norm, $(means "val_accuracy val_log_loss") from trials group by 1"
}

scale() {
    SEEDS=$fold_seeds
    for how in none standardize; do
        graph_data mutag | scale_rows mutag labels $how 32 30
        graph_data proteins | scale_rows proteins "as-it-is" $how 32 30
    done
    proteins_with "1000 * x"
    for how in none standardize; do
        graph_data proteins | sed "s|^folder.*|folder = $T/PROTEINS|" | scale_rows proteins times-1000 $how 32 30
    done
    proteins_with "(x - mean) / sd" # labels remain 0 and 1
    graph_data proteins | sed "s|^folder.*|folder = $T/PROTEINS|" | scale_rows proteins attribute-alone none 32 30
    for how in none standardize; do
        graph_data bbbp | scale_rows bbbp atoms $how 32 30
    done
    for how in none row; do
        graph_data cora | scale_rows cora words $how full 200
    done
}

# ---- stop_groups ----

stop_rows() {
    sweep "stop-$1" <<INI
[sweep]
folds = 5
[data]
format = genotype
genotypes = $2
phenotypes = $T/$1.csv
trait = $3
$4
[split]
group = $5
stop  = 0.1
[train]
learning_rate = 3e-3
choose_epoch  = loss
[grid]
type = gcn, mlp
INI
    table "stop-$1" "select type, $(means "val_pearson val_r2 test_pearson test_r2") from trials group by 1"
}

stop_groups() {
    SEEDS="1 2 3 4 5"
    at=$ESPALIER_DATA/arabidopsis
    "$espalier" simulate "$T/panel" --samples 400 --populations 20 >"$T/err" || exit 1
    python3 "$src/tests/bench/groups.py" "$T/panel/phenotypes.csv" 20 "$T/panel/genotypes.csv" >"$T/simulated20.csv"
    python3 "$src/tests/bench/groups.py" "$at/ft10_pheno.csv" country "$at/accessions_2029.csv" >"$T/ft10-country.csv"
    python3 "$src/tests/bench/groups.py" "$at/ft10_pheno.csv" 12 "$at/ft10_geno.csv" >"$T/ft10-kinship12.csv"
    cp "$at/ft16_chr5_pheno.csv" "$T/ft16-country.csv"
    stop_rows simulated20 "$T/panel/genotypes.csv" trait "" group
    stop_rows ft10-country "$at/ft10_geno.csv" FT10 "subset = phenotyped" group
    stop_rows ft10-kinship12 "$at/ft10_geno.csv" FT10 "" group
    stop_rows ft16-country "$at/ft16_chr5_geno.csv.gz" FT16 "[model]
reduce = exact" country
}

for name; do
    $name
done
