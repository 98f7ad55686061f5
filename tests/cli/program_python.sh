#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# share/espalier/espalier.py by itself: what a Python script reads and reports, and how it stops.
. "$SRCDIR/tests/lib.sh"
python=${PYTHON:-/usr/bin/python3}
command -v "$python" >/dev/null || skip_all "no python3"
cd "$T" || exit 1
helper=$SRCDIR/share/espalier
export PYTHONDONTWRITEBYTECODE=1

# Run a script as a trial: in_trial SCRIPT [NAME=VALUE...].
in_trial() {
    script=$1
    shift
    env PYTHONPATH="$helper" ESPALIER_TRIAL=345 ESPALIER_SEED=2147483647 ESPALIER_FOLD=2 ESPALIER_FOLDS=5 ESPALIER_REPLICATE=1 \
        ESPALIER_THREADS=4 ESPALIER_DIR="$T/files/scratch" ESPALIER_CHECKPOINT="$T/files/checkpoint" \
        ESPALIER_RESULTS="$T/results.jsonl" "$@" "$python" "$script"
}
by_hand() {
    PYTHONPATH=$helper "$python" "$1"
}
# The message of the error that an expression raises.
error_of() {
    printf '%s\n' "import espalier; $1" >error.py
    by_hand error.py 2>&1 | tail -n 1
}

# ---- parameters and numbers of the trial ----

cat >values.py <<'PY'
import espalier
given = espalier.params(rate=0.1, units=8, norm=True, name="none", code="x", absent=3)
print(sorted(given.items()))
print(espalier.param("text"), espalier.param("absent", 7), espalier.param("absent"))
print(espalier.trial(), espalier.seed(), espalier.fold(), espalier.folds(), espalier.replicate(), espalier.threads())
PY
is "values have the types of their defaults, others are numbers or texts" "$(in_trial values.py \
    ESPALIER_PARAM_rate=1 ESPALIER_PARAM_units=32 ESPALIER_PARAM_norm=no ESPALIER_PARAM_name=7 ESPALIER_PARAM_code=007 \
    ESPALIER_PARAM_text="a 'b' \$c;" ESPALIER_PARAM_real=1e-05 ESPALIER_PARAM_zeros=007 ESPALIER_PARAM_nan=nan ESPALIER_PARAM_minus=-3)" \
    "[('absent', 3), ('code', '007'), ('minus', -3), ('name', '7'), ('nan', 'nan'), ('norm', False), ('rate', 1.0), ('real', 1e-05), ('text', \"a 'b' \$c;\"), ('units', 32), ('zeros', '007')]
a 'b' \$c; 7 None
345 2147483647 2 5 1 4"
is "by hand all have their defaults" "$(by_hand values.py)" \
    "[('absent', 3), ('code', 'x'), ('name', 'none'), ('norm', True), ('rate', 0.1), ('units', 8)]
None 7 None
0 1 0 0 0 1"
wrong() {
    in_trial values.py "$1" 2>&1 | tail -n 1
}
cat >floats.py <<'PY'
import espalier
print(list(espalier.params(a=0.1, b=0.1, c=0.1, d=0.1, e="x").values()), espalier.param("f"))
PY
is "nan and inf for a float, else texts" "$(in_trial floats.py ESPALIER_PARAM_a=nan ESPALIER_PARAM_b=INF ESPALIER_PARAM_c=-inf \
    ESPALIER_PARAM_d=NaN ESPALIER_PARAM_e=inf ESPALIER_PARAM_f=inf)" "[nan, inf, -inf, nan, 'inf', 'inf'] inf"
is "no infinite integer" "$(wrong ESPALIER_PARAM_units=inf)" "ValueError: units = inf: must be an integer, like the default 8"
is "infinity in other words" "$(wrong ESPALIER_PARAM_rate=infinity)" "ValueError: rate = infinity: must be a number, like the default 0.1"
is "not an integer" "$(wrong ESPALIER_PARAM_units=1.5)" "ValueError: units = 1.5: must be an integer, like the default 8"
is "not a number" "$(wrong ESPALIER_PARAM_rate=adam)" "ValueError: rate = adam: must be a number, like the default 0.1"
is "not yes or no" "$(wrong ESPALIER_PARAM_norm=2)" "ValueError: norm = 2: must be yes or no, like the default True"

# ---- results ----

cat >report.py <<'PY'
import espalier

class Scalar:                      # like those of numpy and torch
    def __float__(self):
        return 0.25
    def __index__(self):
        return 3

line = espalier.report(epoch=1, val_accuracy=0.5, **{"val_f1/mean-2": Scalar()})
assert line == {"epoch": 1, "val_accuracy": 0.5, "val_f1/mean-2": 0.25}, line
line["epoch"] = Scalar()
espalier.report(**line)
espalier.report(n=2, up=float("inf"), not_one=float("nan"))
line = espalier.report(epoch=4, val_accuracy=None, val_loss=1, note=None)
assert line == {"epoch": 4, "val_accuracy": None, "val_loss": 1.0, "note": None}, line
line["epoch"] = 5
espalier.report(**line)
espalier.report(epoch=6, note=None)    # no epoch without a number
espalier.report(note=None)
PY
lines='{"epoch": 1, "val_accuracy": 0.5, "val_f1/mean-2": 0.25}
{"epoch": 3, "val_accuracy": 0.5, "val_f1/mean-2": 0.25}
{"n": 2.0, "up": Infinity, "not_one": NaN}
{"epoch": 4, "val_accuracy": null, "val_loss": 1.0, "note": null}
{"epoch": 5, "val_accuracy": null, "val_loss": 1.0, "note": null}
{"note": null}
{"note": null}'
is "by hand the lines go to the standard output" "$(by_hand report.py)" "$lines"
is "in a trial they do not" "$(in_trial report.py)" ""
is "but to ESPALIER_RESULTS" "$(cat results.jsonl)" "$lines"
in_trial report.py RANK=1
is "only rank 0 of a gang reports" "$(cat results.jsonl)" "$lines"
in_trial report.py RANK=0
is "and it appends" "$(cat results.jsonl)" "$lines
$lines"

is "a name with a digit first" "$(error_of 'espalier.report(**{"1st": 2})')" \
    "ValueError: '1st' is not a name of a metric: use at most 63 letters, digits and _ . / -, first a letter or _"
long=$(printf '%064d' 0 | tr 0 a)
is "a name of 63 characters" "$(error_of "espalier.report(${long%a}=1)")" "{\"${long%a}\": 1.0}"
like "a name of 64 characters" "$(error_of "espalier.report($long=1)")" "is not a name of a metric"
like "a name that ends in a line feed" "$(error_of 'espalier.report(**{"a\n": 2})')" "is not a name of a metric"
is "a text" "$(error_of 'espalier.report(a="1")')" "TypeError: a = '1': must be one number"
is "a list" "$(error_of 'espalier.report(a=[1, 2])')" "TypeError: a = [1, 2]: must be one number"
is "None under a wrong name" "$(error_of 'espalier.report(**{"1st": None})' | cut -d : -f 1-2)" "ValueError: '1st' is not a name of a metric"
is "an epoch without numbers counts" "$(error_of 'espalier.report(epoch=2, a=None); espalier.report(epoch=2, a=1)')" \
    "ValueError: epoch 2 was reported after epoch 2: epochs must increase"
is "too large an integer" "$(error_of 'espalier.report(a=10**400)' | cut -c 1-20)" "TypeError: a = 10000"
is "no metric" "$(error_of 'espalier.report(epoch=1)')" \
    "ValueError: report() needs a number, for example report(val_accuracy=0.93)"
is "a dict" "$(error_of 'espalier.report({"val_rmse": 1})')" \
    "TypeError: report() takes names: report(val_rmse=0.3), or report(**values) with a dict"
is "a number without a name" "$(error_of 'espalier.report(0.93)')" \
    "ValueError: report() needs a number, for example report(val_accuracy=0.93)"
is "half an epoch" "$(error_of 'espalier.report(epoch=0.5, a=1)')" "ValueError: epoch = 0.5: must be an integer from 0 on"
is "a whole epoch" "$(error_of 'espalier.report(epoch=2.0, a=1)')" '{"epoch": 2, "a": 1.0}'
if "$python" -c 'import numpy' 2>/dev/null; then
    is "of numpy" "$(error_of 'import numpy; espalier.report(epoch=numpy.float64(3), a=numpy.float32(0.5))')" '{"epoch": 3, "a": 0.5}'
else
    pass "of numpy # SKIP no numpy"
fi
is "an infinite epoch" "$(error_of 'espalier.report(epoch=float("inf"), a=1)')" "ValueError: epoch = inf: must be an integer from 0 on"
is "an epoch that is text" "$(error_of 'espalier.report(epoch="2", a=1)')" "ValueError: epoch = '2': must be an integer from 0 on"
is "a negative epoch" "$(error_of 'espalier.report(epoch=-1, a=1)')" "ValueError: epoch = -1: must be an integer from 0 on"
is "an epoch twice" "$(error_of 'espalier.report(epoch=2, a=1); espalier.report(epoch=2, a=1)')" \
    "ValueError: epoch 2 was reported after epoch 2: epochs must increase"
is "a line with an error is not reported" \
    "$(echo 'import espalier; espalier.report(epoch=1, a=1, b="")' >error.py; by_hand error.py 2>/dev/null)" ""

cat >none.py <<'PY'
import espalier, sys
for epoch in range(1, 3):
    espalier.report(epoch=epoch, loss=None, **({"accuracy": 0.5} if sys.argv[1] == "2" else {}))
PY
printf '[sweep]\nobjective = loss\n[program]\ncommand = %s none.py {n}\n[grid]\nn = 1, 2\n' "$python" >none.ini
fails "an objective that is always None" 3 "$ESPALIER" run none.ini --db none.db --progress none
is "the reason says so" "$(sqlite3 none.db 'select distinct error from trial')" "loss is 'null' in line 1 of results: must be a number"

# ---- the reason of a failure ----

cat >fail.py <<'PY'
try:
    raise KeyError("cause")
except KeyError:
    raise RuntimeError("Error(s) in loading state_dict for Net:\n\t" + "\n\t".join(
        "size mismatch for layer%d.weight: [3, 4] and [5, 4]." % i for i in range(9)))
PY
printf '[sweep]\nobjective = loss\n[program]\ncommand = %s fail.py {n}\n[grid]\nn = 1\n' "$python" >fail.ini
fails "an exception of several lines" 3 "$ESPALIER" run fail.ini --db fail.db --progress none
is "the reason has its begin and its end" "$(sqlite3 fail.db 'select error from trial')" \
    "exit status 1: RuntimeError: Error(s) in loading state_dict for Net: size mismatch for layer0.weight: [3, 4] and [5, 4]. | size misma... 4]. | size mismatch for layer8.weight: [3, 4] and [5, 4]."

# ---- folders ----

cat >folders.py <<'PY'
import espalier
(espalier.checkpoint_dir() / "state").write_text("kept")
(espalier.scratch_dir() / "model").write_text("kept")
PY
ok "a script writes to both folders" in_trial folders.py
ok "and by hand" by_hand folders.py
is "files" "$(find . -name state -o -name model | sort)" "./checkpoint/state
./files/checkpoint/state
./files/scratch/model
./scratch/model"

# ---- stopping ----

cat >stop.py <<'PY'
import os, signal, sys, time, espalier
number = getattr(signal, "SIG" + os.environ["SIGNAL"])
if "LISTEN" in os.environ:
    assert not espalier.should_stop()
os.kill(os.getpid(), number)
if espalier.should_stop():
    for _ in range(int(os.environ.get("AGAIN", "0"))):
        os.kill(os.getpid(), number)
    espalier.exit_for_restart()
PY
for signal in TERM INT USR1 USR2; do
    fails "SIG$signal is noted" 75 in_trial stop.py SIGNAL=$signal LISTEN=1
done
fails "a second signal does not disturb the saving of a checkpoint" 75 in_trial stop.py SIGNAL=INT LISTEN=1 AGAIN=2
fails "by hand a second Ctrl-C interrupts" 130 sh -c "trap 'exit 130' INT; LISTEN=1 SIGNAL=INT AGAIN=1 PYTHONPATH='$helper' '$python' stop.py"
fails "a script that never asked ends at the signal" 143 in_trial stop.py SIGNAL=TERM
echo 'import threading, espalier
def ask():
    try:
        espalier.should_stop()
    except RuntimeError as e:
        print(e)
thread = threading.Thread(target=ask); thread.start(); thread.join()' >thread.py
is "the first call is refused in another thread" "$(by_hand thread.py)" \
    "the first call of should_stop() must be in the main thread"

# ---- the file ----

ok "only syntax of Python 3.6" "$python" -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 6))' "$helper/espalier.py"
like "help() is a manual" "$(PYTHONPATH=$helper "$python" -m pydoc espalier)" 'Return a dict of all axes and fixed values of the sweep file'
is "each public function has a text" "$(PYTHONPATH=$helper "$python" -c 'import espalier
print([name for name in espalier.__all__ if not getattr(espalier, name).__doc__])')" "[]"
done_testing
