#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The page of `report`: text, data for the script, hostile names, bad input, sizes.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

check() { python3 "$SRCDIR/tests/cli/report_check.py" "$@"; }
report() { "$ESPALIER" report "$@"; }

# Trials that end at once, and scores made by SQL.
cat >tiny.ini <<'END'
[sweep]
name = tiny
folds = 5
[data]
format = simulated
samples = 60
markers = 40
causal = 5
[model]
type = noop
[grid]
hidden_size = 4, 8, 16
dropout = 0, 0.5
END
fails "no database" 1 report
is "the message says what to do" "$(cat .err)" "espalier: results.db: no such file; run 'espalier run' first"
ok "a sweep" "$ESPALIER" run tiny.ini --progress none
cp results.db unscored.db
sqlite3 results.db "UPDATE trial SET seconds = 2 + config_id, value = 0.5 + 0.02 * (config_id > 2)
    - 0.01 * (config_id % 2) + 0.01 * fold + 0.004 * ((config_id * 7 + fold * 3) % 5 - 2);
    UPDATE config SET flops = 1e9 * (7 - config_id);
    UPDATE session SET cpu = 'some processor', ranks = 2, version = '1.2.3'"
ok "a page" report
like "a message names it" "$(cat .err)" "^espalier: report.html: sweep 'tiny', 6 configurations, [0-9]+ kB$"
is "its structure, policy and data" "$(check report.html)" "sound"
is "the verdict" "$(check report.html text verdict | sed "/^Methods/,\$d")" \
    "The best of 6 configurations is c4 (hidden_size 8, dropout 0.5) with a mean val_pearson of 0.54 over 5 trials (standard error 0.0062, corrected 95 % interval 0.5143 to 0.5657). The best of many is the best partly by chance, so this mean is probably too optimistic.
The rule of one standard error chooses c6 (hidden_size 16, dropout 0.5), the cheapest configuration within one standard error of the best, with a mean of 0.54: a difference of 0 (95 % interval -0.017 to 0.017) for 33 % of the floating-point operations.
3 of the 5 other configurations cannot be told apart from the best: the corrected 95 % interval of the difference contains 0.
Warnings
3 of the 5 configurations after the best one cannot be told apart from it (the 95 % interval of the difference contains 0): more replicates or folds narrow the intervals, and 'best --rule 1se' chooses the cheapest configuration that is nearly as good"
is "the methods" "$(check report.html text verdict | sed -n '/^Hyperparameters/p')" \
    "Hyperparameters were searched on a grid with espalier. The axes of the grid were hidden_size (4, 8, 16) and dropout (0, 0.5), which gave 6 configurations of the model type noop. The data were 60 samples with 40 features. A share of 0.2 of the samples was set aside as a test part, which took no part in training or in the choice of a configuration. Each configuration was trained and validated by 5-fold cross-validation on the other samples: 30 trials. Configurations were ranked by the mean validation Pearson correlation (larger is better), and the best one was chosen: c4. Each configuration was compared with the best one on the same folds by the corrected resampled t interval (Nadeau & Bengio 2003; ratio of validation to training samples 0.25), without correction for multiple comparisons. All random numbers followed from the seed 1. The trials ran under espalier 1.2.3 on 2 MPI ranks on a processor of type some processor."
is "the leaderboard" "$(check report.html json config.id) $(check report.html json config.mean)" \
    "[4, 6, 3, 5, 2, 1] [0.54, 0.54, 0.53, 0.53, 0.52, 0.51]"
is "the variance that axes explain" "$(check report.html json effects.terms)" \
    "[{'axes': [0], 'share': 0.780488, 'df': 2}, {'axes': [1], 'share': 0.219512, 'df': 1}, {'axes': [0, 1], 'share': 0, 'df': 2}]"
is "the sweep file is there" "$(check report.html text provenance | sed -n '/^\[grid\]/,/^dropout/p')" \
    "[grid]
hidden_size = 4, 8, 16
dropout = 0, 0.5"
is "the ranks were as busy as for status" "$(check report.html json run.sessions.0.busy | awk '{ printf "%.1f", 100 * $1 }')" \
    "$("$ESPALIER" status results.db | sed -n 's/.*ranks were busy \([0-9.]*\) %.*/\1/p')"
is "no test score without a rule" "$(check report.html text test)" \
    "Test scores are shown only for a choice by --rule best or --rule 1se: once they influence a choice, they are too good."
sqlite3 results.db "INSERT INTO metric SELECT trial_id, 'test', 'pearson', 0.25 FROM trial WHERE config_id = 6"
ok "a rule and a title" report --rule 1se --title 'A <b>title</b>' -o ruled.html
is "they show" "$(check ruled.html json choice)$(check ruled.html json test)$(grep -c '<h1>A &lt;b&gt;title&lt;/b&gt;</h1>' ruled.html)" \
    "{'best': 4, '1se': 6, 'rule': '1se', 'chosen': 6}[{'metric': 'pearson', 'n': 5, 'mean': 0.25, 'sd': 0}]1"

# ---- predictions and facts ----

sqlite3 results.db "DELETE FROM prediction; DELETE FROM data_fact;
    INSERT INTO prediction SELECT trial_id, column1, 's' || column1, 'north', column1, column1 + fold, NULL, NULL
    FROM trial, (VALUES (1), (2), (3)) WHERE config_id = 4;
    INSERT INTO data_fact VALUES (1, 'degree', 0, '5', 60), (1, 'degree', 1, '6', 12), (1, 'data', 0, 'kind', 'plants'), (1, 'duplicate', 0, 'sets_on_both_sides', 2)"
ok "a page with predictions" report --force
is "they are in the data" "$(check report.html json predictions.observed) $(check report.html json slots.0)" \
    "[1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3] {'replicate': 0, 'fold': 0, 'group': 'north'}"
is "and their scores in a table" "$(check report.html text predicted | grep '^north')" "north 15 0.5 -8 2.449"
is "facts by topic" "$(check report.html json data.facts)" \
    "[{'topic': 'data', 'rows': [['kind', 'plants']]}, {'topic': 'degree', 'rows': [['5', 60], ['6', 12]]}, {'topic': 'duplicate', 'rows': [['Sets on both sides of a split', 2]]}]"
like "duplicates give a warning" "$(check report.html text verdict)" '^2 sets of samples that are the same'

# ---- hostile names ----

cp results.db hostile.db
sqlite3 hostile.db "UPDATE sweep SET name = '</script><script>alert(1)</script><!-- --' || char(8238, 8232, 7, 39, 34, 38),
    file = '<img src=x onerror=alert(1)>', ini = '<style>*{}</style>';
    UPDATE trial SET state = 'failed', value = NULL, error = '</script><b>x' WHERE trial_id = 1;
    UPDATE session SET host = '<i>h', command = ']]><svg onload=alert(1)>', cpu = CAST(x'c328ff' AS TEXT);
    UPDATE attempt SET host = '<u>rank';
    UPDATE prediction SET id = '</script>', sample_group = '<g>&amp;';
    UPDATE data_fact SET topic = '<t>', name = '</script>' || ordinal, value = '<v>' WHERE ordinal = 1;
    UPDATE session SET job = char(1) || '<j>'"
ok "a page about hostile names" report hostile.db -o hostile.html
is "is sound" "$(check hostile.html)" "sound"
is "names show as text" "$(check hostile.html json sweep.name)|$(check hostile.html json database)" \
    "</script><script>alert(1)</script><!-- --���'\"&|hostile.db"

# ---- partial sweeps and bad input ----

sqlite3 unscored.db "UPDATE trial SET state = 'pending', value = NULL"
ok "a sweep without a score" report unscored.db -o unscored.html
is "has a sound page, too" "$(check unscored.html)" "sound"
is "which gives the reason" "$(check unscored.html text verdict)
$(check unscored.html text forest)" "No trial is finished yet, so there is no choice.
Warnings
30 of 30 trials are left to run: the leaderboard may change
No trial is finished yet."
fails "a rule without a score" 1 report unscored.db --rule best -o none.html
is "the message" "$(cat .err)" "espalier: unscored.db: sweep 'tiny' has no finished configuration yet"
sqlite3 unscored.db "DELETE FROM attempt; DELETE FROM trial; DELETE FROM config"
fails "an empty sweep" 1 report unscored.db -o none.html
is "the message" "$(cat .err)" "espalier: unscored.db: sweep 'tiny' has no configuration yet; run 'espalier run' first"
fails "no such sweep" 1 report --sweep tony -o none.html
is "the message" "$(cat .err)" "espalier: results.db: no sweep 'tony' in it; its sweeps are: tiny; did you mean 'tiny'?"
fails "a file that exists" 1 report
is "the message" "$(cat .err)" "espalier: report.html: exists already; --force replaces it"
fails "the database as output" 1 report -o results.db --force
is "the message" "$(cat .err)" "espalier: results.db: is the input results.db: will not be overwritten"
fails "a folder that does not exist" 1 report -o nowhere/none.html
fails "a full device" 1 report -o /dev/full
is "the message" "$(cat .err)" "espalier: /dev/full: cannot write: No space left on device"
fails "a full disk" 1 sh -c "trap '' XFSZ; ulimit -f 100; exec '$ESPALIER' report -o none.html"
like "the message" "$(cat .err)" "^espalier: none.html: cannot write: File too large"
is "none of them leaves a file" "$(ls -a | grep -e none.html -e tmp)" ""
fails "an unknown rule" 2 report --rule worst
cp results.db newer.db
sqlite3 newer.db "PRAGMA user_version = 99"
fails "a newer schema" 1 report newer.db -o none.html
like "the message" "$(cat .err)" "newer.db: made by a newer espalier"
report -o - >stdout.html 2>err || true
is "- is standard output" "$(check stdout.html)" "sound"

# ---- sizes ----

is "an ordinary page with its library has at most 600 kB" "$(($(wc -c <report.html) <= 600000))" 1
sqlite3 results.db "DELETE FROM prediction; DELETE FROM metric; DELETE FROM attempt; DELETE FROM trial;
    CREATE TEMP TABLE params AS SELECT params FROM config LIMIT 1; DELETE FROM config;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
    INSERT INTO config SELECT i, 1, i, 'k' || i, json_set(params, '$.hidden_size', (i + 99) / 100, '$.dropout', (i - 1) % 100 / 100.0), 1e6 * i
    FROM n, params;
    INSERT INTO trial SELECT config_id * 5 + column1, config_id, 0, column1, 'k' || config_id || column1, 'done',
    0.5 + (config_id * 7919 % 10007) / 50021.0 + column1 / 97.0, 9, 3, 1.0 + config_id / 7.0, 1, 1, 1, 1, NULL
    FROM config, (VALUES (0), (1), (2), (3), (4));
    INSERT INTO attempt SELECT trial_id, trial_id, 1, trial_id % 8, 'node', 1, 1e9 + trial_id / 3.0, 1e9 + trial_id / 3.0 + 2, 'done', NULL FROM trial"
ok "10,000 configurations in a few seconds" sh -c "ulimit -t 8; exec '$ESPALIER' report --force"
is "the page is sound" "$(check report.html)" "sound"
is "it has at most 5 MB" "$(($(wc -c <report.html) <= 5000000))" 1
is "all configurations, and 20,000 attempts" \
    "$(check report.html json config.id | tr ',' '\n' | wc -l) $(check report.html json run.attempts_left_out)" "10000 30000"
is "tables tell what they leave out" "$(check report.html text cost | tail -n 1)" "9800 more rows are not shown."

done_testing
