#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ridge predicts like scikit-learn's Ridge and GBLUP on the same folds. Results of its first
# revision, whose intercept was the training mean, are not mixed with today's.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1
python=/usr/bin/python3

cat >compare.py <<'PY'
import csv, json, struct, sys
import numpy as np
from sklearn.linear_model import Ridge

genotypes, phenotypes, trait, lam, folds = *sys.argv[1:4], float(sys.argv[4]), int(sys.argv[5])
rows = list(csv.reader(open(genotypes)))
ids = [r[0] for r in rows[1:]]
x = np.array([[float(v) if v else np.nan for v in r[1:]] for r in rows[1:]])
x = np.where(np.isnan(x), np.nanmean(x, 0), x)
x = x[:, x.std(0) > 0]
z = (x - x.mean(0)) / x.std(0)
target = {r[list(r)[0]]: r[trait] for r in csv.DictReader(open(phenotypes))}
part = {}
for r in csv.DictReader(open("parts.csv")):
    part.setdefault((int(r["fold"]), r["part"]), []).append(r["id"])
place = {name: i for i, name in enumerate(ids)}

def gblup(g, train, y):
    """Henderson's equations with a mean; G need not have an inverse."""
    n = len(g)
    w = np.zeros((len(train), n))
    w[np.arange(len(train)), train] = 1
    one = np.ones((len(train), 1))
    left = np.block([[one.T @ one, one.T @ w], [g[:, train] @ one, g[:, train] @ w + lam * np.eye(n)]])
    s = np.linalg.solve(left, np.concatenate([one.T @ y, g[:, train] @ y]))
    return s[0] + s[1:]

def weights(path):
    raw = open(path, "rb").read()
    n = struct.unpack("<Q", raw[:8])[0]
    at = {k: v for k, v in json.loads(raw[8:8 + n]).items() if k != "__metadata__"}
    def read(name):
        begin, end = at[name]["data_offsets"]
        return np.frombuffer(raw[8 + n + begin:8 + n + end], "<f4")
    return read("layers.0.weight"), read("layers.0.bias")

worst = {"scikit-learn": 0, "GBLUP": 0, "model": 0}
n = 0
for fold in range(folds):
    train = [place[i] for i in part[fold, "train"]]
    y = np.array([float(target[ids[i]]) for i in train])
    model = Ridge(alpha=z.shape[1] * lam, fit_intercept=True, solver="cholesky").fit(z[train], y)
    by_scikit = model.predict(z)
    by_gblup = gblup(z @ z.T / z.shape[1], train, y)
    w, b = weights("model-t%d" % (fold + 1))
    by_model = (z @ w + b) * y.std() + y.mean()
    for r in csv.DictReader(open("predicted-t%d.csv" % (fold + 1))):
        i, got = place[r["id"]], float(r["prediction"])
        n += 1
        for name, want in ("scikit-learn", by_scikit[i]), ("GBLUP", by_gblup[i]), ("model", by_model[i]):
            worst[name] = max(worst[name], abs(got - want) / y.std())
for name, most in worst.items():
    print(name, "agrees" if n and most < 1e-6 else "differs by %g of %d" % (most, n))
PY
both="scikit-learn agrees
GBLUP agrees
model agrees"

# compare NAME GENOTYPES PHENOTYPES TRAIT: run espalier as a user does, then the other two.
compare() {
    printf '[sweep]\nname = r\nfolds = 2\nkeep = all\n[data]\nformat = genotype\ngenotypes = %s\nphenotypes = %s\ntrait = %s\n[model]\ntype = ridge\nlambda = 0.4\n' \
        "$2" "$3" "$4" >r.ini
    rm -f r.db model-t* predicted-t*
    ok "$1: ridge" "$ESPALIER" run r.ini --db r.db --progress none
    "$ESPALIER" inspect r.ini --splits parts.csv --force >/dev/null 2>&1
    for t in 1 2; do
        "$ESPALIER" predict r.db --trial t$t --all >predicted-t$t.csv 2>/dev/null
        "$ESPALIER" show r.db t$t --model model-t$t >/dev/null 2>&1
    done
    is "$1: scikit-learn and GBLUP predict the same" \
        "$($python compare.py "$2" "$3" "$4" 0.4 2 2>&1)" "$both"
}

if $python -c 'import numpy, sklearn' 2>/dev/null; then
    "$ESPALIER" simulate panel --samples 60 --markers 90 >/dev/null 2>&1
    compare simulated "$T/panel/genotypes.csv" "$T/panel/phenotypes.csv" trait
    real=${ESPALIER_DATA:-}/arabidopsis
    if [ -n "${ESPALIER_DATA:-}" ] && [ -d "$real" ]; then
        compare FT10 "$real/ft10_geno.csv" "$real/ft10_pheno.csv" FT10
    fi
fi

# The keys of the two trials of this sweep in the first revision.
cat >g.csv <<'CSV'
id,m1,m2,m3,m4,m5
s1,0,1,0,2,1
s2,1,0,0,0,0
s3,1,2,1,0,0
s4,2,2,1,1,0
s5,0,1,0,0,2
s6,1,1,0,0,1
s7,1,2,2,1,0
s8,2,1,2,1,2
s9,0,0,0,1,1
s10,0,2,1,0,1
s11,2,2,1,2,0
s12,1,1,2,1,1
CSV
cat >p.csv <<'CSV'
id,height
s1,18
s2,21
s3,21
s4,23
s5,20
s6,21
s7,20
s8,22
s9,19
s10,21
s11,22
s12,22
CSV
cat >old.ini <<'INI'
[sweep]
name = old
folds = 2
[data]
format = genotype
genotypes = g.csv
phenotypes = p.csv
[model]
type = ridge
INI
run() { "$ESPALIER" run old.ini --progress none "$@" >/dev/null 2>&1; }
run --db new.db
cp new.db old.db
sqlite3 old.db "update config set key = '91bbb572f5f7789136b9ec9b2c1f65be';
    update trial set key = '86dccef9511fe942df1fd8c55a97995e' where fold = 0;
    update trial set key = '7b00455d083a7ba25df1f69507e8c6b2' where fold = 1"
change='model.type = ridge: the intercept was the mean of the training samples -> the intercept is fitted without a penalty'
fails "a sweep of the first revision is not continued" 2 "$ESPALIER" run old.ini --db old.db
is "the message names both revisions" "$(grep model.type "$T/.err")" "espalier:   $change"
is "nothing was added" "$(sqlite3 old.db 'select count(*) from trial')" 2
"$ESPALIER" plan old.ini --db old.db >/dev/null 2>"$T/.err"
like "plan warns of it" "$(cat "$T/.err")" "warning:   $change"
fails "verify" 1 "$ESPALIER" verify old.db
is "the message says which version trained it" "$(cat "$T/.err")" "espalier: old.db: t1: an earlier version of espalier trained it: $change. This version cannot repeat it: 'espalier run --new-sweep' trains the sweep again"
fails "shards of both are not merged" 1 "$ESPALIER" merge both.db new.db old.db
like "the message gives the reason" "$(cat "$T/.err")" "^espalier: old.db: sweep 'old' in it and in both.db was computed by different versions of espalier .$change.: merge them"
fails "nor in the other order" 1 "$ESPALIER" merge both.db old.db new.db
ok "two of the first revision are merged" "$ESPALIER" merge both.db old.db
is "kept models predict" "$("$ESPALIER" predict old.db --all 2>/dev/null)" "$("$ESPALIER" predict new.db --all 2>/dev/null)"
ok "--new-sweep" "$ESPALIER" run old.ini --db old.db --new-sweep --progress none
is "keeps both apart" "$(sqlite3 old.db 'select name, count(*) from sweep join config using (sweep_id) join trial using (config_id) group by 1 order by 1' | tr '\n' ' ')" "old|2 old#1|2 "
ok "and the new sweep can be verified" "$ESPALIER" verify old.db
# Together with a model type that has one revision only.
run --set grid.type=mlp,ridge --set grid.epochs=2 --db mixed.db
sqlite3 mixed.db "update config set key = '91bbb572f5f7789136b9ec9b2c1f65be' where params ->> 'type' = 'ridge'"
fails "beside an mlp" 2 "$ESPALIER" run old.ini --set grid.type=mlp,ridge --set grid.epochs=2 --db mixed.db
ok "the mlp alone continues" "$ESPALIER" run old.ini --set grid.type=mlp --set grid.epochs=2 --db mixed.db --progress none
sqlite3 mixed.db "update config set key = 'none' where params ->> 'type' = 'ridge'"
fails "a key that is none" 1 "$ESPALIER" run old.ini --set grid.type=mlp,ridge --set grid.epochs=2 --db mixed.db
like "is named, with its sweep" "$(cat .err)" "mixed.db: sweep 'old' has the key 'none': must be 32 hexadecimal digits"
done_testing
