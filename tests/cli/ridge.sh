#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ridge predicts like scikit-learn's Ridge and GBLUP on the same folds.
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

done_testing
