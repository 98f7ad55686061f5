#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Report pages of small sweeps of each kind, opened and used in a headless Chromium (report.py).
# shellcheck disable=SC2086 # options are several words
. "$SRCDIR/tests/lib.sh"
python=${PYTHON:-/usr/bin/python3}
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || skip_all "no chromium"
command -v chromedriver >/dev/null || skip_all "no chromedriver"
"$python" -c 'import selenium' 2>/dev/null || skip_all "no python3-selenium"
command -v sqlite3 >/dev/null || skip_all "no sqlite3 shell"
cd "$T" || exit 1
export OPENBLAS_NUM_THREADS=1

run() { "$ESPALIER" run --progress none "$@" >>run.log 2>&1; }
# NAME DB [OPTION ...]: the page NAME.html
page() {
    name=$1
    shift
    "$ESPALIER" report "$@" -o "$name.html" >>run.log 2>&1 || {
        fail "the page of the $name sweep" "$(tail -n 5 run.log)"
        return
    }
    pass "the page of the $name sweep"
}

# Networks alone, so that the chosen one has epochs.
sed '/^type /d; /^lambda /d; /^replicates /d; /^stop /d; /^batch_size /d
    s/^hidden_size .*/hidden_size = 16, 32, 64/
    s/^dropout .*/&\nbatch_size = 32, 128, full/' "$SRCDIR/grids/demo.ini" >demo.ini
run demo.ini demo.db --set epochs=6 --set markers=200
page demo demo.db
grep -q 'd3js\.org' demo.html || skip_all "built without D3"
page chosen demo.db --rule 1se

run demo.ini partial.db --set epochs=2 --set markers=50 --set grid.dropout=0.2
sqlite3 partial.db "update trial set state = 'pending', value = null where trial_id % 3 = 0 or trial_id > 90;
    delete from metric where trial_id % 3 = 0 or trial_id > 90;
    update sweep set direction = 'min', objective = 'val_rmse'"
page partial partial.db

# Configurations that a search stopped.
small_sweep | sed 's/replicates = 2/folds = 5/; s/^epochs.*/epochs = 18/; s/^hidden_size.*/hidden_size = 4, 8, 16/' >halving.ini
printf 'learning_rate = 0.003, 0.01, 1\ndropout = 0, 0.3\n' >>halving.ini
run halving.ini halving.db --set allocate=halving
page halving halving.db --rule best
run halving.ini race.db --set allocate=race --set alpha=0.3
page race race.db

small_sweep >empty.ini
run empty.ini empty.db
sqlite3 empty.db "update trial set state = 'pending', value = null; delete from metric; delete from attempt;
    delete from curve; delete from prediction"
page empty empty.db

small_sweep | sed 's/hidden_size.*//' >failures.ini
printf 'learning_rate = 1e-3, 1e-2, 1e-1, 1e3\noptimizer = sgd, adam\n' >>failures.ini
run failures.ini failures.db --set grid.learning_rate=1e-3,1e-2,1e3
run failures.ini failures.db --set trial_timeout=0.000001
sqlite3 failures.db "insert into session (command, version, host, pid, ranks, started, finished, outcome)
    select 'espalier run', '0.1.0', 'a-node-with-a-rather-long-name-17', 1, 3, finished + 100, finished + 160, 'lost' from session limit 1;
    insert into attempt (trial_id, session_id, rank, host, pid, started, finished, outcome) select 1, max(session_id), 2,
    'a-node-with-a-rather-long-name-17', 2, started + 3, null, 'lost' from session"
page failures failures.db

# 10,000 configurations with scores that differ.
small_head | sed 's/replicates = 2/folds = 2/' >large.ini
cat >>large.ini <<'INI'
[model]
type = noop
[grid]
hidden_size = 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048
learning_rate = log(1e-5, 1e-1, 10)
dropout = 0:0.9:0.1
batch_size = 4, 8, 16, 32, full
weight_decay = 0, 1e-4
INI
run large.ini large.db
sqlite3 large.db "update trial set value = 0.5 - (config_id * 7919 % 10007) / 20000.0 - fold * 0.02 - (trial_id * 104729 % 1009) / 20000.0"
page large large.db

small_sweep | sed 's/^name = .*/name = <script>alert(1)<\/script>/' >hostile.ini
run hostile.ini hostile.db --set grid.learning_rate=1e-3,1e-2
hostile="</script><img src=x onerror=alert(1)>\"'&amp;"
sqlite3 hostile.db "update session set host = replace('$(echo "$hostile" | sed "s/'/''/g")', 'x', char(8232) || char(8238)), command = host || char(10) || '--><!--';
    update attempt set host = (select host from session limit 1); update sweep set ini = ini || '; </pre><script>alert(2)</script>'"
page hostile hostile.db

program_sweep
run program.ini program.db
page program program.db --rule best

if [ -d "${ESPALIER_DATA:-none}" ]; then
    run "$SRCDIR/grids/ft10-baselines.ini" regression.db --set epochs=2 --set sweep.replicates=1 --set grid.k=3 \
        --set grid.hidden_size=8 --set grid.learning_rate=1e-3,1e-2 --set grid.dropout=0.2,0.5 --set grid.lambda=0.1,1,10
    page regression regression.db
    run "$SRCDIR/grids/bbbp.ini" classes.db --set epochs=2 --set hidden_size=8 --set grid.layers=1,2
    page classes classes.db
fi

"$python" -B "$SRCDIR/tests/web/report.py" "$T" >tap 2>&1
sed '/^1\.\.[0-9]*$/d' tap >tests
while IFS= read -r line; do
    case $line in
    "ok "*) pass "${line#ok * - }" ;;
    "not ok "*) fail "${line#not ok * - }" ;;
    *) printf '%s\n' "$line" ;;
    esac
done <tests
grep -q '^1\.\.' tap || fail "the browser has run all tests" "$(tail -n 20 tap)"
done_testing
