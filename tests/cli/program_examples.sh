#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The programs of examples/ by themselves, cut down. Each is skipped where Python or R lacks its libraries.
. "$SRCDIR/tests/lib.sh"
python=${PYTHON:-/usr/bin/python3}
cd "$T" || exit 1
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$SRCDIR/share/espalier" OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
examples=$SRCDIR/examples

has() {
    [ "$("$python" -c "import importlib.util; print(bool(importlib.util.find_spec('$1')))" 2>/dev/null)" = True ]
}

if has sklearn; then
    like "svm.py" "$(ESPALIER_PARAM_gamma=0.01 ESPALIER_FOLD=4 ESPALIER_FOLDS=5 "$python" "$examples/svm.py" 2>&1)" \
        '^\{"train_accuracy": 1.0, "val_accuracy": 0.85[0-9]*\}$'
else
    pass "svm.py # SKIP no python3-sklearn"
fi

if command -v Rscript >/dev/null; then
    like "ridge.R" "$(ESPALIER_SHARE="$SRCDIR/share/espalier" ESPALIER_PARAM_degree=1 ESPALIER_FOLD=1 ESPALIER_FOLDS=5 \
        Rscript "$examples/ridge.R" 2>&1)" '^\{"train_rmse": 0.389[0-9]*, "val_rmse": 0.370[0-9]*\}$'
else
    pass "ridge.R # SKIP no R"
fi

if ! has torch; then
    pass "PyTorch # SKIP no python3-torch"
elif ! [ -d "${ESPALIER_DATA:-}/digits" ]; then
    pass "PyTorch # SKIP no data at ESPALIER_DATA = '${ESPALIER_DATA:-}'"
else
    is "the networks stop, resume to the same numbers, and train in a gang" \
        "$("$python" "$SRCDIR/tests/cli/program_examples.py" "$examples" 2>&1)" \
        "gang asked to stop in rank 1: 75 75 1 epoch
gang resumed: 0 0 3 epochs
bbbp_rnn ends with: 0
bbbp_rnn reports: [1, 2, 3] epoch test_roc_auc train_loss val_loss val_roc_auc
bbbp_rnn stops with: 75
bbbp_rnn resumed: 0 equal
digits_cnn ends with: 0
digits_cnn reports: [1, 2, 3] epoch test_accuracy train_loss val_accuracy val_loss
digits_cnn stops with: 75
digits_cnn resumed: 0 equal
early stopping: after the first rise
without data: digits_cnn.py: set ESPALIER_DATA to the folder that contains digits/"
fi
done_testing
