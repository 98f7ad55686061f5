#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The regret of a search against a complete grid, and its cost: decisions are replayed on complete grids
# (regret.c), those of Optuna and scikit-learn as well (peer_regret.py). Five grids lie beside ESPALIER_DATA, in
# search/; two are made here. Without Optuna its figures are stored ones. CSV lines
# "case,value,unit,beside,target".
# usage: regret.sh ESPALIER PROGRAM_DIRECTORY SOURCE_DIRECTORY
# REGRET_SEEDS: runs of each rule; default 60. Peers run a third of them, the Gaussian process a sixth.
espalier=$1
programs=$2
src=$3
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"
seeds=${REGRET_SEEDS:-60}

# ---- grids ----

# make_grid NAME: run the sweep file on stdin to 6, 18 and 54 epochs, and write its table, NAME.csv. The trials have the
# same order in each database.
make_grid() {
    cat >"$T/$1.ini"
    for epochs in 6 18 54; do
        espalier_run "$T/$1.ini" --db "$T/$1.db" -n 2 --set epochs=$epochs
        sqlite3 -noheader -separator , "$T/$1.db" "select (select group_concat(json_extract(params, '\$.' || name))
                from (select name from axis order by ordinal)), replicate, fold, value
            from trial join config using (config_id) order by config_id, replicate, fold" >"$T/$1-$epochs"
        rm "$T/$1.db"
    done
    {
        sed -n '/^\[grid\]/,$ s/ *=.*//p' "$T/$1.ini" | awk '{ printf ",%s", $0 } BEGIN { printf "config" }'
        echo ,replicate,fold,value_6,seconds_6,value_18,seconds_18,value_54,seconds_54
        paste "$T/$1-6" "$T/$1-18" "$T/$1-54" | awk -F '\t' '{
            at = split($1, a, ","); split($2, b, ","); split($3, c, ",")
            n += a[at - 1] == 0
            printf "%d", n
            for (i = 1; i < at; i++)
                printf ",%s", a[i]
            printf ",%s,,%s,,%s,\n", a[at], b[at], c[at] }'
    } >"$T/$1.csv"
}

make_grid perceptron <<INI
[sweep]
objective = val_pearson
seed = 7
folds = 5
[data]
format = simulated
samples = 250
markers = 600
populations = 4
causal = 40
heritability = 0.6
[split]
stop = 0.1
[model]
type = mlp
[grid]
hidden_size = 4, 16, 64
learning_rate = 3e-4, 3e-3, 3e-2, 3e-1
dropout = 0, 0.25, 0.5
batch_size = 32, 128
weight_decay = 0, 1e-2
optimizer = sgd, adam
INI
make_grid graph <<INI
[sweep]
objective = val_pearson
seed = 11
folds = 5
[data]
format = simulated
populations = 8
causal = 60
[graph]
k = 6
[split]
stop = 0.1
[grid]
hidden_size = 8, 32
learning_rate = 1e-4, 1e-3, 1e-2, 1e-1
dropout = 0, 0.3, 0.6
layers = 1, 2, 3
weight_decay = 0, 1e-2, 1e-1
activation = relu, tanh
INI

# ---- rows ----

# field N FILE RULE: field N of the line of a rule.
field() { awk -v n="$1" -v rule="$3" '$1 == rule { print $n }' "$2"; }

# each FILE RULE: its regret on each table.
each() { awk -v rule="$2" '$1 == rule { for (i = 5; i < NF; i += 2) printf "%s%.2f", (i > 5 ? " " : ""), $i }' "$1"; }

# worse FILE RULE OTHER: on how many tables the regret of RULE is above that of OTHER by more than twice the
# standard error of their difference.
worse() {
    awk -v rule="$2" -v other="$3" '
        $1 == rule { for (i = 5; i < NF; i += 2) { a[i] = $i; e[i] = $(i + 1) } }
        $1 == other { for (i = 5; i < NF; i += 2) { b[i] = $i; f[i] = $(i + 1) } }
        END { for (i in a) n += a[i] - b[i] > 2 * sqrt(e[i] ^ 2 + f[i] ^ 2); print n + 0 }' "$1"
}

# regret FILE GRIDS RULE CASE BESIDE [TARGET]: the row of a rule's regret.
regret() {
    row "regret on $2, $4" "$(field 3 "$1" "$3")" "se of the best" \
        "$5; se $(field 4 "$1" "$3"); grids: $(each "$1" "$3")" "${6:-}"
}

# beside PACKAGE RULE SEEDS STORED: regret, its error and the cost of a peer on the five grids; without the package
# the stored regret.
beside() {
    is=$("$python" -c "import $1; print($1.__version__)" 2>/dev/null)
    if [ -z "$is" ]; then
        echo "$4 (stored)"
        return
    fi
    # shellcheck disable=SC2086 # the names of the tables
    [ -e "$T/$2" ] || peer "$T/$2" "$python" -W ignore "$src/tests/bench/peer_regret.py" "$2" "$3" $five
    if [ -e "$T/$2.failed" ]; then
        cat "$T/$2.failed"
    else
        awk -v is="$is" '{ printf "%.2f +- %.2f at cost %.4g (%s)", $2, $3, $1, is }' "$T/$2"
    fi
}

rows_of_five() {
    row "halving, slack 0.5, on five grids: cost" "$(field 2 "$1" halving)" "of the grid" \
        "without slack $(field 2 "$1" halving_plain)" 0.32
    regret "$1" "five grids" halving "halving, slack 0.5" \
        "random at that cost $(field 3 "$1" random_halving), on $(worse "$1" halving random_halving) grids better; \
without slack $(field 3 "$1" halving_plain); scikit-learn's $(beside sklearn halving $third 0.20)" 0.14
    row "race, on five grids: cost" "$(field 2 "$1" race)" "of the grid" "the grid" 0.8
    regret "$1" "five grids" race race "the grid 0" 0.03
    for batch in 8 16; do
        regret "$1" "five grids" model_64_batch_$batch "model, 64 in batches of $batch" \
            "Sobol $(field 3 "$1" sobol_64), on $(worse "$1" model_64_batch_$batch sobol_64) grids better; \
random $(field 3 "$1" random_64); Optuna's TPE $(beside optuna tpe $third 0.18), its GPSampler $(beside optuna gp $sixth 0.35)" \
            "$([ $batch = 8 ] && echo 0.13 || echo 0.15)"
    done
    row "model with halving, on five grids: cost" "$(field 2 "$1" model_halving_24)" configurations "in full" 24
    regret "$1" "five grids" model_halving_24 "model with halving" \
        "Sobol with halving $(field 3 "$1" sobol_halving_24); 24 random ones in full $(field 3 "$1" random_24); \
Optuna's TPE with HyperbandPruner $(beside optuna hyperband $third 0.48)" 0.31
}

rows_of_new() {
    row "halving, slack 0.5, on two new grids: cost" "$(field 2 "$1" halving)" "of the grid" \
        "without slack $(field 2 "$1" halving_plain)" ""
    regret "$1" "two new grids" halving "halving, slack 0.5" \
        "random at that cost $(field 3 "$1" random_halving); without slack $(field 3 "$1" halving_plain)"
    row "race, on two new grids: cost" "$(field 2 "$1" race)" "of the grid" "the grid" 0.8
    regret "$1" "two new grids" race race "the grid 0"
    for batch in 8 16; do
        regret "$1" "two new grids" model_64_batch_$batch "model, 64 in batches of $batch" \
            "Sobol $(field 3 "$1" sobol_64); random $(field 3 "$1" random_64)"
    done
    regret "$1" "two new grids" model_halving_24 "model with halving" \
        "Sobol with halving $(field 3 "$1" sobol_halving_24); 24 random ones in full $(field 3 "$1" random_24)"
}

third=$(((seeds + 2) / 3))
sixth=$(((seeds + 5) / 6))
five=
for name in t1 t2 t3 t4 t5; do
    has_data ../search/$name.csv.gz || continue
    gzip -dc "$ESPALIER_DATA/../search/$name.csv.gz" >"$T/$name.csv"
    five="$five $T/$name.csv"
done
if [ -n "$five" ]; then
    # shellcheck disable=SC2086
    "$programs/regret" "$seeds" $five >"$T/five" || exit 1
    rows_of_five "$T/five"
else
    row "regret on five grids" - "" "$no_data, with ../search" ""
fi
"$programs/regret" "$seeds" "$T/perceptron.csv" "$T/graph.csv" >"$T/new" || exit 1
rows_of_new "$T/new"
row "race over 5 x 5 simulated folds: cost" "$("$programs/regret" folds | cut -d ' ' -f 1)" "of the grid" \
    "the grid; regret $("$programs/regret" folds | cut -d ' ' -f 2) se" 0.35
row "model: a proposal of 16 among 100,000 points at 256 results, one core" "$($one_core "$programs/regret" speed)" s \
    none 2
