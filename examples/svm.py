# SPDX-License-Identifier: BSD-3-Clause
# scikit-learn's SVM on its handwritten digits; one fold a trial. See grids/program_svm.ini.
import espalier
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

p = espalier.params(C=1.0, gamma=0.001, kernel="rbf")
x, y = load_digits(return_X_y=True)

# Folds depend on the replicate only: all folds of a replicate are parts of one division.
division = StratifiedKFold(espalier.folds(5), shuffle=True, random_state=espalier.replicate())
train, val = list(division.split(x, y))[espalier.fold()]

model = SVC(C=p["C"], gamma=p["gamma"], kernel=p["kernel"]).fit(x[train], y[train])
espalier.report(train_accuracy=model.score(x[train], y[train]),
                val_accuracy=model.score(x[val], y[val]))
