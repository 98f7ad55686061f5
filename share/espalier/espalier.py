# SPDX-License-Identifier: BSD-3-Clause
"""Use a Python script as a trial of espalier.

    import espalier

    p = espalier.params(learning_rate=0.01, filters=16)    # defaults for a run by hand
    for epoch in range(1, 11):
        ...train one epoch with p["learning_rate"] and p["filters"]...
        espalier.report(epoch=epoch, val_loss=loss, val_accuracy=accuracy)

The same script runs by hand: parameters have the defaults of params(), and
report() prints to the standard output. espalier puts the folder of this file
into PYTHONPATH of the programs that it starts.

Stop and resume a long training:

    file = espalier.checkpoint_dir() / "state.pickle"
    state = load(file) if file.exists() else new_state()
    espalier.should_stop()                     # from here on, signals are noted
    while state.epoch < p["epochs"]:
        train_one_epoch(state)
        if espalier.should_stop():
            save(state, file)
            espalier.exit_for_restart()        # exit status 75

This file needs only Python 3.6 and its standard library. It may be copied.
"""

import json
import os
import pathlib
import re
import signal
import sys

__all__ = ["params", "param", "report", "checkpoint_dir", "scratch_dir", "should_stop",
           "exit_for_restart", "seed", "fold", "folds", "replicate", "trial", "threads"]

_PARAM = "ESPALIER_PARAM_"
_METRIC = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]{0,62}\Z")
_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)\Z")
_REAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?\Z")
_NO_NUMBER = re.compile(r"(nan|-?inf)\Z", re.IGNORECASE)
_WORDS = {"yes": True, "true": True, "on": True, "1": True,
          "no": False, "false": False, "off": False, "0": False}
_RESTART = 75

_last_epoch = -1
_listening = False
_stop_asked = False


# ---- parameters ----------------------------------------------------------------------------------

def params(**defaults):
    """Return a dict of all axes and fixed values of the sweep file.

    The arguments are the values of a run by hand, and of names that the sweep
    file lacks. A value has the type of its default: bool (yes, no, true,
    false, on, off, 1, 0), int, float or str. A value without a default is an
    int or a float if it is a number, else a str. With a float as default, nan,
    inf and -inf are numbers, too.
    """
    values = dict(defaults)
    for name in os.environ:
        if name.startswith(_PARAM):
            key = name[len(_PARAM):]
            values[key] = param(key, defaults.get(key))
    return values


def param(name, default=None):
    """Return one value of the sweep file, or default if it lacks the name.

    The type follows from the default, as with params().
    """
    text = os.environ.get(_PARAM + name)
    if text is None:
        return default
    if isinstance(default, bool):
        if text.lower() not in _WORDS:
            raise ValueError(_not_allowed(name, text, "yes or no", default))
        return _WORDS[text.lower()]
    if isinstance(default, int):
        value = _number(text)
        if value is None or value != int(value):
            raise ValueError(_not_allowed(name, text, "an integer", default))
        return int(value)
    if isinstance(default, float):
        if _number(text) is None and not _NO_NUMBER.match(text):
            raise ValueError(_not_allowed(name, text, "a number", default))
        return float(text)
    number = None if isinstance(default, str) else _number(text)
    return text if number is None else number


def _number(text):
    if _INTEGER.match(text):
        return int(text)
    return float(text) if _REAL.match(text) else None


def _not_allowed(name, text, wanted, default):
    return "%s = %s: must be %s, like the default %r" % (name, text, wanted, default)


# ---- results -------------------------------------------------------------------------------------

def report(epoch=None, **metrics):
    """Report numbers by name: report(epoch=3, val_accuracy=0.93, val_loss=0.2).

    With epoch, the numbers are a point of the learning curve. Epochs are
    integers from 0 on and must increase. espalier takes the numbers of the
    best epoch by the objective. Without epoch, the numbers are the final
    result and replace those of the best epoch.

    The numbers may be scalars of numpy or torch. None stands for a missing
    number, and a call with None alone does not make an epoch. A trial whose
    objective is always None fails. NaN is a number: an objective that is NaN
    makes the trial diverge. A name has letters, digits and _ . / - (at most
    63), and begins with a letter or _. Names that begin with train_, val_,
    stop_ or test_ are scores of that part of the data.

    In a gang only rank 0 reports; the call does nothing in the other ranks.
    Without espalier the line goes to the standard output.

    Returns the line as a dict, with None where there was no number. A script
    can keep it in a checkpoint and report it again: report(**line).
    """
    global _last_epoch
    line = {}
    if hasattr(epoch, "keys"):
        raise TypeError("report() takes names: report(val_rmse=0.3), or report(**values) with a dict")
    if not metrics:
        raise ValueError("report() needs a number, for example report(val_accuracy=0.93)")
    if epoch is not None:
        line["epoch"] = _epoch(epoch)
        if line["epoch"] <= _last_epoch:
            raise ValueError("epoch %d was reported after epoch %d: epochs must increase"
                             % (line["epoch"], _last_epoch))
    for name, value in metrics.items():
        if not _METRIC.match(name):
            raise ValueError("%r is not a name of a metric: use at most 63 letters, digits and "
                             "_ . / -, first a letter or _" % name)
        line[name] = None if value is None else _metric(name, value)
    if epoch is not None:
        _last_epoch = line["epoch"]
    if os.environ.get("RANK", "0") == "0":
        has_numbers = any(line[name] is not None for name in metrics)
        _write(json.dumps(line if has_numbers else {name: None for name in metrics}) + "\n")
    return line


def _epoch(value):
    try:
        number = value.__index__()
    except (AttributeError, TypeError):
        number = _whole(value)
    if isinstance(value, bool) or number < 0:
        raise ValueError("epoch = %r: must be an integer from 0 on" % (value,))
    return number


def _whole(value):
    # 2.0 and numpy.float64(2) are whole numbers; -1: value is none
    try:
        number = _metric("epoch", value)
    except TypeError:
        return -1
    return int(number) if number.is_integer() else -1


def _metric(name, value):
    try:
        if isinstance(value, (str, bytes, bytearray)):
            raise TypeError("text")
        return float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        raise TypeError("%s = %r: must be one number" % (name, value)) from None


def _write(text):
    path = os.environ.get("ESPALIER_RESULTS")
    if path:
        with open(path, "a") as file:
            file.write(text)
    else:
        sys.stdout.write(text)
        sys.stdout.flush()


# ---- folders -------------------------------------------------------------------------------------

def checkpoint_dir():
    """Return the folder for checkpoints, a pathlib.Path; make it if necessary.

    It stays until the trial has a result, also when another host goes on.
    Write to another name and use os.replace(), so that a killed script leaves
    no half-written checkpoint. Without espalier: checkpoint in the current
    folder.
    """
    return _folder("ESPALIER_CHECKPOINT", "checkpoint")


def scratch_dir():
    """Return the folder for temporary files and for files of keep_files.

    It is empty at the begin of each attempt, and espalier removes it
    afterwards. Without espalier: scratch in the current folder.
    """
    return _folder("ESPALIER_DIR", "scratch")


def _folder(variable, name):
    path = pathlib.Path(os.environ.get(variable) or name)
    path.mkdir(parents=True, exist_ok=True)
    return path


# ---- stopping ------------------------------------------------------------------------------------

def should_stop():
    """Return True once espalier, or Ctrl-C, has asked the script to stop.

    The first call installs handlers of SIGTERM, SIGINT, SIGUSR1 and SIGUSR2,
    so make it in the main thread before the training begins. A script that
    never calls should_stop() ends at these signals as usual.

    After True, save a checkpoint within stop_grace (30 seconds by default)
    and call exit_for_restart(). Without espalier a second Ctrl-C interrupts
    the script.

    Each rank of a gang is asked by itself, perhaps in another epoch. Let the
    ranks agree, for example by all_reduce() with MAX.
    """
    global _listening
    if not _listening:
        try:
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2):
                signal.signal(number, _note_signal)
        except ValueError:
            raise RuntimeError("the first call of should_stop() must be in the main thread") from None
        _listening = True
    return _stop_asked


def _note_signal(number, _frame):
    global _stop_asked
    _stop_asked = True
    if number == signal.SIGINT and "ESPALIER_TRIAL" not in os.environ:
        signal.signal(number, signal.default_int_handler)


def exit_for_restart():
    """End the script with status 75: stopped with a checkpoint.

    The trial is pending again and goes on in a later attempt, perhaps on
    another host.
    """
    sys.exit(_RESTART)


# ---- the trial -----------------------------------------------------------------------------------

def seed(default=1):
    """Return the seed of the trial, a positive 31-bit integer.

    It differs between replicates and folds, and is equal for all
    configurations. Do not draw folds with it: use replicate() for that.
    """
    return _given("SEED", default)


def fold(default=0):
    """Return the fold of the trial, from 0 to folds() - 1."""
    return _given("FOLD", default)


def folds(default=0):
    """Return the number of folds; 0: the sweep file has none."""
    return _given("FOLDS", default)


def replicate(default=0):
    """Return the replicate of the trial, from 0 on."""
    return _given("REPLICATE", default)


def trial(default=0):
    """Return the number of the trial in the database: 345 for t345."""
    return _given("TRIAL", default)


def threads(default=1):
    """Return the number of threads that the trial may use."""
    return _given("THREADS", default)


def _given(name, default):
    text = os.environ.get("ESPALIER_" + name)
    return int(text) if text else default
