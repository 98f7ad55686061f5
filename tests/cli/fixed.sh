#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fixed effects: predictions of five folds equal those of R's lm, multinom and GBLUP (tests/golden/fixed.R).
. "$SRCDIR/tests/lib.sh"
cp -R "$SRCDIR"/tests/golden/fixed/*.csv "$T" && cd "$T" || exit 1

cat >one.ini <<'INI'
[sweep]
keep = all
folds = groups
[data]
format = genotype
genotypes = geno.csv
phenotypes = pheno.csv
trait = yield
fixed = age
[split]
file = split.csv
group = fold
test = 0
[model]
lambda = 2
type = ridge
INI

# predictions TYPE SETTINGS...: those of all samples by the models of the other folds, in their order
predictions() {
    db=$1.db
    type=$1
    shift
    "$ESPALIER" run one.ini --db "$db" --progress none --set model.type="$type" "$@" >/dev/null 2>.err || return
    "$ESPALIER" predict "$db" --part val 2>/dev/null
    rm -f "$db"
}

# compare "LINE OF fixed.txt": whether the predictions on stdin are equal to 1e-6 sd of the trait, and their
# number
compare() {
    awk -F, -v wanted="$(sed -n "s/^$1 //p" "$SRCDIR/tests/golden/fixed.txt")" -v columns="${2:-2}" '
        BEGIN { split(wanted, w, " ") }
        NR == 1 { for (j = 1; j <= NF; j++) if ($j ~ (columns == 2 ? "^prediction$" : "^p_")) col[++n] = j; next }
        { for (j = 1; j <= n; j++) { d = $col[j] - w[++k]; d = d < 0 ? -d : d; if (d > most) most = d } }
        END { print (most < (columns == 2 ? 1.6e-8 : 1e-6) ? "equal" : "differ by " most), k }'
}

while read -r name fixed; do
    is "lm: $name" "$(predictions fixed --set "fixed=$fixed" | compare "lm $name")" "equal 72"
    is "GBLUP with fixed effects: $name" "$(predictions ridge --set "fixed=$fixed" | compare "gblup $name")" "equal 72"
done <<'END'
number age
factor site
both age, site
coded factor(block), age
confounded site, twin
END
is "multinom" "$(predictions fixed --set "fixed=factor(block), age" --set trait=kind | compare "multinom coded" classes)" "equal 216"

# ---- networks: the effects that they add are those of lm, wherever the rest comes from ----

awk -F, -v OFS=, 'NR > 1 { $4 = $4 == "west" ? "south" : $4 == "south" ? "nowhere" : "west"; $5 += 3 } 1' pheno.csv >moved.csv
# moved TYPE SETTINGS...: how predictions change with the other table
moved() {
    db=moved.db
    rm -f "$db"
    type=$1
    shift
    "$ESPALIER" run one.ini --db "$db" --progress none --set model.type="$type" --set "fixed=age, site" "$@" >/dev/null 2>.err || return
    for table in pheno moved; do
        "$ESPALIER" predict "$db" --all --genotypes geno.csv --phenotypes $table.csv 2>.err >$table.out || cat .err
    done
    paste -d, pheno.out moved.out | awk -F, -v n="$(($(head -n 1 pheno.out | tr , '\n' | grep -n '^prediction$' | cut -d: -f1)))" '
        NR == 1 { half = NF / 2; next } { printf "%.6f\n", $(half + n) - $n }'
}
moved fixed >lm.txt
is "the effects change predictions" "$(sort -u lm.txt | awk 'END { print (NR > 3) }')" 1
for settings in "mlp" "mlp --set batch_size=7 --set workers=2" "mlp --set reduce=exact" "gcn" "ridge --set lambda=1e9"; do
    # shellcheck disable=SC2086 # words
    is "$settings adds them" "$(moved $settings --set epochs=4 | diff - lm.txt | head -n 4)" ""
done

# ---- numbers are the same in a gang, and in a sweep that the same command continues ----

train() { "$ESPALIER" run one.ini --progress none --set model.type=mlp --set "fixed=age, site" --set workers=2 --set epochs=9 "$@" >/dev/null 2>.err || cat .err; }
numbers() { sqlite3 "$1" "select fold, m.name, m.value from trial t join metric m using (trial_id) where t.state = 'done' order by 1, 2" | cksum; }
for task in "--set trait=yield" "--set trait=kind --set class_weights=balanced"; do
    rm -f whole.db* gang.db* parts.db*
    # shellcheck disable=SC2086 # words
    {
        train --db whole.db $task
        train --db gang.db $task -n 2 --set ranks=2
        train --db parts.db $task --shard 1/2
        mv parts.1of2.db parts.db
        train --db parts.db $task
    }
    is "$task: five trials" "$(sqlite3 whole.db "select count(*) from trial where state = 'done'")" 5
    is "$task: a gang" "$(numbers gang.db)" "$(numbers whole.db)"
    is "$task: a part, then the rest" "$(numbers parts.db)" "$(numbers whole.db)"
    is "$task: its models" "$("$ESPALIER" predict parts.db --part val 2>/dev/null)" "$("$ESPALIER" predict whole.db --part val 2>/dev/null)"
done

# ---- a model's file has the effects ----

"$ESPALIER" run one.ini --db file.db --progress none --set model.type=fixed >/dev/null 2>&1
"$ESPALIER" show file.db t1 --model t1.st >/dev/null 2>&1
command -v python3 >/dev/null && is "the file of a model predicts what predict prints" "$(python3 - t1.st <<'PY'
import json, struct, sys
b = open(sys.argv[1], "rb").read()
n = struct.unpack("<Q", b[:8])[0]
head = json.loads(b[8:8 + n])
def first(name):
    return struct.unpack_from("<d", b, 8 + n + head[name]["data_offsets"][0])[0]
of = head["__metadata__"]
for row in open("pheno.csv").read().split()[1:]:
    age = row.split(",")[4]
    x = float(age) if age else first("fixed.mean")
    print("%.6f" % (float(of["target_mean"]) + first("fixed.bias") + x * first("fixed.weight")))
PY
)" "$("$ESPALIER" predict file.db --trial t1 --all 2>/dev/null | awk -F, 'NR > 1 { printf "%.6f\n", $2 }')"
is "export has a row for each trial" "$("$ESPALIER" export file.db 2>/dev/null | grep -c ',fixed,.*,done,')" 5

# ---- the baseline ----

"$ESPALIER" plan one.ini --set model.type=ridge >/dev/null 2>.err
is "a sweep without it is advised once" "$(grep -c 'no configuration has the fixed effects alone: add fixed to .grid. type' .err)" 1
"$ESPALIER" run one.ini --db base.db --progress none --set grid.type=ridge,fixed --set "fixed=age, site" --set split.file= --set split.group= \
    --set folds=4 --set lambda=1e9 >/dev/null 2>.err
is "and one with it is not" "$(grep -c 'no configuration has the fixed effects alone' .err)" 0
like "models that do not beat it are named" "$("$ESPALIER" best base.db 2>&1)" "does not beat c., the fixed effects alone|c2, the fixed effects alone, is the best"

# ---- settings ----

"$ESPALIER" plan one.ini --set model.type=fixed --set fixed= >/dev/null 2>.err
like "type = fixed needs fixed effects" "$(cat .err)" "type = fixed: has nothing but fixed effects, and there are none: set .data. fixed = COLUMN"
sed 's/^fixed = age/covariates = age/' one.ini >old.ini
is "covariates is the earlier name" "$("$ESPALIER" inspect old.ini 2>&1 | grep -c '^effects  *age')" 1
sed 's/^fixed = age/&\ncovariates = age/' one.ini >both.ini
"$ESPALIER" plan both.ini >/dev/null 2>.err
like "both are refused" "$(cat .err)" "both.ini:10: covariates is an earlier name of fixed, which line 9 sets: keep one"
# A number with a large mean and a small spread (a year, a coordinate) is the same effect.
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "age") c = i } NR > 1 && $c != "" { $c = sprintf("%.4f", $c + 5e7) } { print }' pheno.csv >far.csv
near() { # OF FILE FILE: whether the second columns agree to 1e-5
    paste -d, "$1" "$2" | awk -F, -v half="$(head -n 1 "$1" | awk -F, '{ print NF }')" '
        NR > 1 { d = $2 - $(half + 2); if (d < 0) d = -d; n += d < 1e-5; all++ } END { print n "/" all }'
}
for type in ridge fixed; do
    for table in pheno far; do
        "$ESPALIER" run one.ini --db $table.db --progress none --set model.type=$type \
            --set data.phenotypes=$table.csv >/dev/null 2>&1
        "$ESPALIER" predict $table.db --part val >$table.$type 2>/dev/null
        sqlite3 $table.db 'select fold, round(value, 5) from trial order by 1' >$table.values
        rm -f $table.db
    done
    n=$(($(wc -l <pheno.$type) - 1))
    is "$type: predictions beside a distant zero" "$(near pheno.$type far.$type)" "$n/$n"
    is "$type: scores" "$(cat far.values)" "$(cat pheno.values)"
done

# Levels, groups and codes for missing values with decimal commas.
{
    echo "id;yield;dose;age"
    awk -F, 'NR > 1 { print $1 ";" (NR % 7 ? NR % 11 : "-9,00") ";" (NR % 3 ? NR % 3 == 1 ? "0,5" : "0,50" : 1) ";" NR }' pheno.csv
} >comma.csv
comma() { "$ESPALIER" inspect one.ini --set data.phenotypes=comma.csv --set split.file= --set split.group=dose --set data.missing=-9 "$@" 2>&1; }
like "0,5 and 0,50 are one level" "$(comma --set 'data.fixed=factor(dose)' | grep ^effects)" 'dose \(0,50? [0-9]+, 1 [0-9]+\)'
like "and one group" "$(comma --set folds=2 | grep ^groups)" '^groups +2 by dose'
like "-9,00 is missing" "$(comma --set folds=2 | grep ^target)" 'from 0 to 10$'

# A code for missing values is named wherever it stands, also among the levels of a factor.
awk -F, -v OFS=, 'NR == 1 { print "id", "yield", "sex", "factor(pen)"; next }
    { print $1, NR % 9 ? NR % 5 : -9, NR % 8 ? (NR % 6 ? "m" : "M") : -99, NR % 4 + 1 }' pheno.csv >coded.csv
coded() { "$ESPALIER" inspect one.ini --set data.phenotypes=coded.csv --set split.file= --set split.group= --set folds=2 "$@" 2>&1; }
like "codes of all columns" "$(coded --set 'data.fixed=factor(sex)' | grep never)" \
    'column "yield" is -9 in [0-9]+ samples, column "sex" is -99 in [0-9]+ samples and never negative .*missing = -9, -99$'
like "levels that differ only in case" "$(sed 's/,m,3$/,f,3/' coded.csv >three.csv &&
    coded --set data.fixed=sex --set data.phenotypes=three.csv --set 'data.missing=-9, -99')" \
    'differ only in case: "M" as "m"'
like "a column that R named factor(pen)" "$(coded --set 'data.fixed=factor(pen)' | grep ^effects)" \
    '^effects +factor\(pen\) \(1 [0-9]+, 2 [0-9]+, 3 [0-9]+, 4 [0-9]+\)'

like "ridge costs more than its fixed effects alone" "$("$ESPALIER" plan one.ini --db none.db --set 'fixed=factor(site), age' --set grid.type=ridge,fixed --list --format csv 2>/dev/null |
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR > 1 { f[$c["type"]] = $c["gflop"] } END { print (f["ridge"] > f["fixed"]) }')" 1
done_testing
