# SPDX-License-Identifier: BSD-3-Clause
"""Run the examples in PyTorch as trials, without espalier: one process, so that PyTorch is loaded once.

usage: program_examples.py EXAMPLES    (the folder; PYTHONPATH has that of espalier.py)

Prints a line for each check: NAME: what was found. Works in the current folder.
"""
import contextlib
import importlib
import json
import os
import pathlib
import shutil
import signal
import socket
import sys

import espalier

sys.path.insert(0, sys.argv[1])
import bbbp_rnn
import digits_cnn
import torch.distributed as dist

RESULTS = pathlib.Path("results.jsonl")
TRIAL = dict(ESPALIER_TRIAL=1, ESPALIER_SEED=5, ESPALIER_FOLD=0, ESPALIER_FOLDS=0, ESPALIER_REPLICATE=0,
             ESPALIER_THREADS=1, ESPALIER_CHECKPOINT="checkpoint", ESPALIER_RESULTS=RESULTS)


@contextlib.contextmanager
def environment(values):
    before = dict(os.environ)
    os.environ.update({name: str(value) for name, value in values.items()})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def attempt(program, params, stop_after=None, **gang):
    """Run main() once as espalier does; after the epoch `stop_after` the program gets SIGTERM.

    Returns the exit status and the results."""
    importlib.reload(espalier)
    report = espalier.report

    def report_and_stop(epoch=None, **metrics):
        line = report(epoch=epoch, **metrics)
        if epoch == stop_after:
            os.kill(os.getpid(), signal.SIGTERM)
        return line

    espalier.report = report_and_stop
    status = 0
    with environment({**TRIAL, **{"ESPALIER_PARAM_" + name: value for name, value in params.items()}, **gang}):
        try:
            program.main()
        except SystemExit as end:
            status = end.code
            if dist.is_initialized():
                dist.destroy_process_group()
    return status, RESULTS.read_text() if RESULTS.exists() else ""


def new_attempt(program, params, **options):
    RESULTS.unlink(missing_ok=True)
    return attempt(program, params, **options)


def fresh(program, params, **options):
    shutil.rmtree("checkpoint", ignore_errors=True)
    return new_attempt(program, params, **options)


def resumes(name, program, params):
    """A stopped and resumed training reports what an undisturbed one does."""
    status, whole = fresh(program, params)
    print(name, "ends with:", status)
    lines = [json.loads(line) for line in whole.splitlines()]
    print(name, "reports:", [line["epoch"] for line in lines], *sorted({key for line in lines for key in line}))
    status, _ = fresh(program, params, stop_after=1)
    print(name, "stops with:", status)
    status, resumed = new_attempt(program, params)
    print(name, "resumed:", status, "equal" if resumed == whole else "different:\n" + whole + resumed)


def gang(params, stop_after):
    """Two processes train together; rank 1 alone is asked to stop. Returns their exit statuses."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    members = []
    for rank in range(2):
        pid = os.fork()
        if pid == 0:
            status, _ = attempt(bbbp_rnn, params, stop_after=stop_after if rank == 1 else None, RANK=rank, WORLD_SIZE=2,
                                MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
            os._exit(status)
        members.append(pid)
    return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in members]


RNN = dict(max_length=10, embedding=2, hidden=2, batch_size=256, epochs=3)
print("gang asked to stop in rank 1:", *gang(RNN, 1), RESULTS.read_text().count("\n"), "epoch")
RESULTS.unlink()
print("gang resumed:", *gang(RNN, None), RESULTS.read_text().count("\n"), "epochs")
shutil.rmtree("checkpoint")

resumes("bbbp_rnn", bbbp_rnn, RNN)
resumes("digits_cnn", digits_cnn,
        dict(images=100, filters=2, dense=8, epochs=3, augment="yes", batch_norm="yes", dropout=0.5))
_, text = fresh(digits_cnn, dict(images=100, filters=2, dense=8, epochs=20, learning_rate=1, patience=1))
losses = [json.loads(line)["val_loss"] for line in text.splitlines()]
print("early stopping:", "after the first rise" if losses[-1] >= min(losses[:-1]) and len(losses) < 20 and
      all(later < earlier for earlier, later in zip(losses[:-2], losses[1:-1])) else losses)

del os.environ["ESPALIER_DATA"]
print("without data:", fresh(digits_cnn, {})[0])
