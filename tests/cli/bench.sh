#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Benchmarks: what a program that fails leaves in its row.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1
cat >python <<'END'
#!/bin/sh
[ "$1" = -c ] && echo 5.0.0 && exit
printf '%s\n' Traceback "AttributeError: module has no attribute 'gone'" "ended with status 1" >&2
exit 1
END
chmod +x python
PARTS=noop ROUNDS=2 NOOP_SCALE=10000 PYTHON=$T/python sh "$SRCDIR/tests/bench/bench.sh" "$ESPALIER" . "$SRCDIR" >out 2>err
is "the status says that a peer failed" $? 1
for peer in "mpi4py.futures without a database" "Optuna's GridSampler and SQLite"; do
    like "$peer: its error, and no ratio" "$(grep "beside $peer" bench.csv)" \
        ",-,times faster,failed: [^,]*: AttributeError: module has no attribute 'gone',\$"
done
like "others have theirs" "$(grep '^no-op trials, 2 ranks' out)" ' [0-9]+ trials/s '
is "how many failed" "$(tail -n 1 err)" "bench.sh: 3 of the rows above failed"
done_testing
