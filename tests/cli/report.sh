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
    "The best of 6 configurations is c4 (hidden_size 8, dropout 0.5) with a mean val_pearson of 0.540 over 5 trials (standard error 0.0062, corrected 95 % interval 0.514 to 0.566). The best of many is the best partly by chance, so this mean is probably too optimistic.
The rule of one standard error chooses c6 (hidden_size 16, dropout 0.5), the cheapest configuration within one standard error of the best, with a mean of 0.540: a difference of 0.000 (95 % interval −0.017 to 0.017) for 33 % of the floating-point operations.
3 of the 5 other configurations cannot be told apart from the best: the corrected 95 % interval of the difference contains 0.
Warnings
3 of the 5 configurations after the best one cannot be told apart from it (the 95 % interval of the difference contains 0): more replicates or folds narrow the intervals, and 'best --rule 1se' chooses the cheapest configuration that is nearly as good"
is "methods, results and references" "$(check report.html text verdict | sed -n '/^Methods and/,$p')" \
    "Methods and results, to copy
The data were simulated: 60 accessions of 8 populations (F_ST 0.2) with 40 SNPs, of which 5 affect the trait with a heritability of 0.6 (seed 1). The trait had a mean of 80 and a standard deviation of 15.13 in the unit of the data. Each feature was scaled to mean 0 and standard deviation 1 over all accessions.
Hyperparameters were searched on a grid with espalier 1.2.3. The searched settings were hidden_size (4, 8, 16) and dropout (0, 0.5), which gave 6 configurations. The model was a placeholder without training (noop). The fixed settings were layers 2, activation relu, lambda 1, epochs 100, optimizer adam, learning_rate 0.01, schedule constant, weight_decay 0.0005, decay_layers all, batch_size full. Settings that are not listed were off. All random numbers followed from the seed 1. The trials ran on 2 MPI ranks and a processor of type some processor.
A test part of 12 accessions was set aside; their trait values took no part in training or in the choice of a configuration. Each configuration was trained and validated by 5-fold cross-validation (training parts of 38 to 39 and validation parts of 9 to 10 accessions): 30 trials in all.
Configurations were ranked by the mean validation Pearson correlation (larger is better). The best one was chosen: c4 (hidden_size 8, dropout 0.5). Its mean validation Pearson correlation was 0.540 (standard deviation 0.014 over 5 trials, corrected 95 % interval 0.514 to 0.566; Nadeau & Bengio 2003). Each other configuration was compared with the best one on the same folds by the corrected resampled t interval (Nadeau & Bengio 2003; ratio of validation to training samples 0.25), without correction for multiple comparisons; 3 of 5 could not be told apart from it.
References
Nadeau C, Bengio Y (2003) Inference for the generalization error. Machine Learning 52, 239-281.
the espalier authors. espalier: hyperparameter search for graph convolutional networks. Version 1.2.3."
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
is "nor predictions of a model that trains nothing" "$(check report.html text predicted)" \
    "The choice is of the model type noop, which trains nothing and predicts nothing."
sqlite3 results.db "INSERT INTO metric SELECT trial_id, 'test', 'pearson', 0.25 FROM trial WHERE config_id = 6"
ok "a rule and a title" report --rule 1se --title 'A <b>title</b>' -o ruled.html
is "they show" "$(check ruled.html json choice)$(check ruled.html json test)$(grep -c '<h1>A &lt;b&gt;title&lt;/b&gt;</h1>' ruled.html)" \
    "{'best': 4, '1se': 6, 'rule': '1se', 'chosen': 6}[{'metric': 'pearson', 'n': 5, 'mean': 0.25, 'sd': 0}]1"

ok "an empty title" report --title '' -o untitled.html
is "the name stands for it" "$(grep -c '<h1>tiny</h1>' untitled.html)" 1

# ---- unfinished and failing sweeps ----

cp results.db begun.db
sqlite3 begun.db "UPDATE trial SET state = 'pending', value = NULL WHERE config_id = 1 AND fold > 1"
ok "an unfinished sweep with a rule" report begun.db --rule 1se -o begun.html
like "warns of its test scores" "$(check begun.html text verdict)" '^these test scores are too early: 3 of 30'
like "the methods are preliminary" "$(check begun.html text verdict)" '^PRELIMINARY: 3 of 30 trials are left, so'
like "and say why" "$(check begun.html text verdict)" 'These test scores were seen before the choice was final'
like "configurations are counted" "$(check begun.html text verdict)" '^So far 5 of 6 configurations have the scores of all 5 trials, 1 has the scores of some. The best so far is c4 '
ok "without a rule" report begun.db -o begun.html --force
is "nothing is said of test scores" "$(cat .err begun.html | grep -c 'too early')" 0
ok "a finished sweep" report --rule 1se -o ruled.html --force
is "has no such warning" "$(cat .err ruled.html | grep -c 'too early\|PRELIMINARY')" 0
cp results.db failing.db
sqlite3 failing.db "UPDATE trial SET state = 'failed', value = NULL, error = 'x' WHERE config_id < 3 OR (config_id = 3 AND fold = 0)"
ok "a sweep with failures" report failing.db -o failing.html
like "counts what there is" "$(check failing.html text verdict)" '^3 of 6 configurations have the scores of all 5 trials, 1 has the scores of some, 2 have none. No trial is left to run. The best is c4 '
sqlite3 failing.db "UPDATE trial SET state = 'diverged', value = NULL"
ok "all trials diverged" report failing.db -o failing.html --force
is "is not unfinished" "$(check failing.html text verdict | head -n 1)
$(check failing.html text forest)" "All 30 trials diverged (the loss was no longer finite): try a smaller learning rate. The panel Run lists the reasons. There is no choice.
All 30 trials diverged (the loss was no longer finite): try a smaller learning rate. The panel Run lists the reasons."
fails "a rule for them" 1 report failing.db --rule best -o none.html
is "the message" "$(cat .err)" "espalier: failing.db: sweep 'tiny' has no finished configuration: no trial is left to run, and none has a score; 'espalier status' lists the reasons"
ok "best" "$ESPALIER" best failing.db
like "warns of them" "$(cat .err)" "^espalier: warning: all 30 trials diverged .*: 'espalier status' lists the reasons"
sqlite3 failing.db "UPDATE trial SET state = 'failed' WHERE config_id = 1; UPDATE trial SET state = 'done' WHERE config_id = 2"
ok "no trial has a score" report failing.db -o failing.html --force
is "for several reasons" "$(check failing.html text forest)" \
    "No trial has a score: of 30 trials 5 failed, 20 diverged (the loss was no longer finite), 5 ended without a value of val_pearson. The panel Run lists the reasons."
sqlite3 failing.db "UPDATE trial SET state = 'done', value = 1e308 * iif(fold % 2 AND config_id > 1, 1, -1)"
ok "scores too large for arithmetic" report failing.db -o failing.html --force
is "a sound page" "$(check failing.html)" "sound"
fails "a rule on them" 1 report failing.db -o none.html --rule 1se
like "the message" "$(cat .err)" 'the scores of c[0-9]* are too large for arithmetic'

# ---- one or two configurations ----

cp results.db one.db
sqlite3 one.db "DELETE FROM trial WHERE config_id > 2; DELETE FROM config WHERE config_id > 2; UPDATE sweep SET planned = 10"
ok "two configurations" report one.db -o one.html --force
like "the other one" "$(check one.html text verdict)" '^The other configuration can(not)? be told apart from the best: the corrected'
sqlite3 one.db "DELETE FROM trial WHERE config_id > 1 OR fold > 1; DELETE FROM config WHERE config_id > 1; UPDATE sweep SET planned = 2"
ok "one configuration with two trials" report one.db -o one.html --force
is "no search, no ranking" "$(check one.html text verdict | grep -c 'One configuration was trained with espalier 1.2.3, without a search of hyperparameters.\|ranked\|searched')" 1
like "a warning of its interval" "$(check one.html text verdict)" '^two trials for each configuration give intervals so wide'

# ---- the sweep file of the page ----

cat >types.ini <<'END'
[sweep]
name = types
where = type = 'ridge' and lambda < 5 or type = 'gcn' and not (hidden_size = 4 and dropout < 0.1)
[data]
format = simulated
samples = 60
markers = 40
causal = 5
[train]
weight_decay = 0.001
[grid]
type = ridge, gcn
lambda = 10, 1, 0.1
hidden_size = 8, 4
dropout = 0.25, 0
epochs = 1
threads = 1
END
ok "a condition, model types, an axis of one value" "$ESPALIER" run types.ini --db types.db --progress none
ok "a page" report types.db -o types.html
like "the methods" "$(check types.html text verdict)" \
    'The searched settings were type \(gcn, ridge\), lambda \(0.1, 1\), hidden_size \(4, 8\) and dropout \(0, 0.25\), which gave 5 configurations out of 16 combinations, because no model type has all of these settings. The models were: graph convolutional network \(gcn; Kipf & Welling 2017\) and ridge regression \(ridge; Hoerl & Kennard 1970\). gcn was trained to minimize the mean squared error of the trait, .* lambda is the penalty of ridge, with standardized markers the ratio of the residual to the genetic variance. The fixed settings of gcn were layers 2, activation relu, epochs 1, .*The graph joined each of the accessions to the 10 most similar ones by the cosine similarity of features; an edge had 1 as its weight.'
like "their references" "$(check types.html text verdict)" '^Kipf TN, Welling M \(2017\)'
check types.html text provenance | sed -n '/^\[sweep\]/,/^Command lines/p' | sed '$d' >again.ini
like "the page knows what its file gives" "$(check types.html text provenance)" 'The file gives the same 5 configurations.$'
ok "the file of the page" "$ESPALIER" run again.ini --db again.db --progress none
keys="SELECT ordinal, config.key, params, trial.key FROM config JOIN trial USING (config_id) ORDER BY ordinal, trial.key"
is "gives the same trials, in the same order" "$(sqlite3 again.db "$keys")" "$(sqlite3 types.db "$keys")"
sqlite3 types.db "UPDATE sweep SET ini = replace(ini, 'where', '; where')"
ok "a database without the condition" report types.db -o types.html --force
like "the page reports the difference" "$(check types.html text provenance)" 'The file gives 6 configurations, but the database has 5: '
is "validation and test part" "$(check ruled.html text test | tail -n 4)" \
    "The two standard deviations (sd) measure different things. Validation: each trial has its own model and its own samples. Test: each trial has its own model, but all predict the same 12 samples; so this one is often smaller, and does not say how much the score would differ on other samples.
part metric trials mean sd
validation pearson 5 0.54 0.01975
test pearson 5 0.25 0"
cp results.db other.db
sqlite3 other.db "DELETE FROM data_fact WHERE name LIKE 'test_%'; DELETE FROM metric WHERE split = 'test'"
ok "a sweep without a test part" report other.db -o other.html
is "the page says so, and how to have one" "$(check other.html text test)" \
    "The sweep has no test part: it was run with test = 0 in [split]. All samples took part in the choice, so none of them can show how good the choice is. To have a test part, give the sweep another name, set test = 0.2 in [split], and run it: all trials are trained anew."

# ---- predictions and facts ----

why() { report other.db -o other.html --force 2>.err; check other.html text predicted; }
sqlite3 other.db "UPDATE config SET params = json_set(params, '$.type', 'mlp')"
is "why there are no predictions: no model" "$(why)" \
    "The database has no out-of-fold predictions of c4. Nor does it have the models that would make them: the sweep ran with keep = none or an earlier version, or they are too large to keep. With keep = best, 'espalier run tiny.ini other.db' trains the choice again and stores both; other trials are not repeated."
sqlite3 other.db "INSERT INTO model SELECT trial_id, 'h', x'00' FROM trial WHERE config_id = 4; UPDATE session SET command = 'espalier run tiny.ini --set seed=1'"
is "models that nobody applied" "$(why)" \
    "The database has no out-of-fold predictions of c4. It has all models of this configuration, but no run has applied them: shards and runs that were stopped do not, nor did espalier before version 0.2.0. 'espalier run tiny.ini other.db', with the --set options of the first run, adds the predictions and repeats no trial."
sqlite3 other.db "UPDATE trial SET state = 'pending', value = NULL WHERE config_id = 1"
is "trials that are left to run" "$(why)" \
    "The database has no out-of-fold predictions of c4. A run stores them when the sweep is finished, and 5 trials are left to run."

sqlite3 results.db "DELETE FROM prediction; DELETE FROM data_fact;
    INSERT INTO prediction SELECT trial_id, column1, 's' || column1, 'north', column1, column1 + fold, NULL, NULL
    FROM trial, (VALUES (1), (2), (3)) WHERE config_id = 4;
    INSERT INTO data_fact VALUES (1, 'degree', 0, '5', 60), (1, 'degree', 1, '6', 12), (1, 'data', 0, 'kind', 'plants'), (1, 'duplicate', 0, 'sets_on_both_sides', 2),
    (1, 'advice', 0, 'plan', 'a sentence: a remedy')"
ok "a page with predictions" report --force
is "they are in the data" "$(check report.html json predictions.observed) $(check report.html json slots.0)" \
    "[1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3] {'replicate': 0, 'fold': 0, 'group': 'north'}"
is "and their scores in a table" "$(check report.html text predicted | grep '^north')" "north 15 0.5 -8 2.449"
is "r of all folds and within a fold are explained" "$(check report.html text predicted | sed -n 2,3p)" \
    "15 predictions of c4, by the models of 5 of its 5 trials, each for its own validation part.
The correlation of all predictions together is 0.500. The mean of the correlations within each fold is 1.000. The first also counts differences between folds: it is the larger one if the models predict which folds have high values, and the smaller one if some models predict too high and others too low."
is "in the data, too" "$(check report.html json predictions.scores.0)" \
    "{'metric': 'pearson', 'class': None, 'together': 0.5, 'mean': 1, 'sd': 0, 'folds': 5}"
cp results.db class.db
sqlite3 class.db "UPDATE sweep SET task = 'classification', classes = 2; DELETE FROM prediction;
    INSERT INTO prediction SELECT trial_id, column1, 's' || column1, NULL, column2, column3, column4, NULL FROM trial,
    (VALUES (1, 'no', 'no', '{\"no\":0.9,\"yes\":0.1}'), (2, 'yes', 'yes', '{\"no\":0.2,\"yes\":0.8}'),
    (3, 'yes', 'no', '{\"no\":0.7,\"yes\":0.3}')) WHERE config_id = 4;
    UPDATE trial SET best_epoch = 3; DELETE FROM metric WHERE split = 'stop'"
ok "a page about two classes" report class.db -o class.html
is "their scores, and what they mean" "$(check class.html text predicted | sed -n '2,/^observed/p')" \
    "15 predictions of c4, by the models of 5 of its 5 trials, each for its own validation part. The same samples chose the epoch whose weights are used, because the sweep has no stop part; expect new samples to be predicted somewhat less well. With stop = 0.2 in [split], other samples choose the epoch.
The class yes is predicted if its probability is above 0.5. The positive class is yes: sensitivity is the share of its samples that are recognized, specificity that of no. All predictions together: sensitivity 0.500, specificity 1.000, precision 1.000, balanced accuracy 0.750, Matthews correlation (MCC) 0.500, F1 0.667, area under the ROC curve 1.000.
The area under the ROC curve of all predictions together compares probabilities of different models, since each fold has its own. It is fair only if these models are calibrated alike. The mean area within a fold, 1.000 (standard deviation 0.000 over 5 folds), does not need that.
Calibration: each dot stands for the predictions in a tenth of the range of probabilities: across their mean probability, up the share of them that really is of the class. Larger dots are more predictions. On the dashed line both are equal; below it, probabilities are too high.
metric class all together mean of folds sd of folds folds
sensitivity yes 0.5 0.5 0 5
specificity no 1 1 0 5
precision yes 1 1 0 5
f1 yes 0.6667 0.6667 0 5
accuracy 0.6667 0.6667 0 5
balanced_accuracy 0.75 0.75 0 5
macro_f1 0.6667 0.6667 0 5
mcc 0.5 0.5 0 5
roc_auc 1 1 0 5
observed no yes"
is "facts by topic" "$(check report.html json data.facts)" \
    "[{'topic': 'data', 'rows': [['kind', 'plants']]}, {'topic': 'degree', 'rows': [['5', 60], ['6', 12]]}, {'topic': 'duplicate', 'rows': [['Sets on both sides of a split', 2]]}]"
is "advice of a run is a warning" "$(check report.html text verdict | grep -c '^a sentence: a remedy$')" 1

# ---- curves of a choice that is not among the best 20 ----

sed 's/^hidden_size.*/hidden_size = 4:28:1/; s/^dropout.*//; s/^name.*/name = wide/' tiny.ini >wide.ini
ok "a sweep of 25 configurations" "$ESPALIER" run wide.ini wide.db --progress none
sqlite3 wide.db "UPDATE trial SET value = 0.5 + 0.1 * fold + 0.0001 * config_id, best_epoch = 2;
    UPDATE config SET flops = 1e9 * config_id;
    INSERT INTO curve (trial_id, epoch, train_loss, val_loss, val_value, seconds) SELECT trial_id, column1, 0.5, 0.5, 0.5, column1
    FROM trial, (VALUES (1), (2), (3)) WHERE config_id IN (1, 2, 25)"
ok "its page" report wide.db --rule 1se -o wide.html
is "the curves of the best and of the choice" \
    "$(check wide.html json curves | grep -o "'config': [0-9]*" | uniq | tr '\n' ' ')$(check wide.html json choice.chosen)" \
    "'config': 25 'config': 1 1"
is "the page says which" "$(check wide.html text curves | sed -n 2p)" \
    "The curves are those of the best 20 configurations and of the choice; 4 others are left out."

# ---- a search ----

# Halving stopped c1 and c2 at rung 1, of the scores of tiny; then the same as a race after 3 of 5 folds.
cp results.db halved.db
sqlite3 halved.db "UPDATE sweep SET ini = ini || '
[search]
allocate = halving';
    UPDATE trial SET state = 'stopped', value = NULL WHERE config_id < 3;
    INSERT INTO decision SELECT 1, 1, config_id, 'propose', 0, NULL, NULL FROM config UNION ALL
    SELECT 1, 2, config_id, iif(config_id < 3, 'stop', 'keep'), 1, 0.2 + config_id / 100.0, iif(config_id = 4, 0.24, 0.225) FROM config;
    UPDATE attempt SET started = 1e9, finished = 1e9 + trial_id;
    UPDATE attempt SET outcome = 'held' WHERE trial_id IN (SELECT trial_id FROM trial WHERE config_id < 3);
    INSERT INTO attempt SELECT attempt_id + 100, trial_id, session_id, rank, host, pid, 1e9, 1e9 + trial_id + 100, 'done', NULL
    FROM attempt WHERE outcome = 'done';
    UPDATE attempt SET outcome = 'held' WHERE attempt_id < 100;
    INSERT INTO rung SELECT trial_id, 1, 0.2 FROM trial"
ok "a sweep that a search halved" report halved.db -o halved.html
is "is sound" "$(check halved.html)" "sound"
is "stopped configurations come last, without a place and an interval" \
    "$(check halved.html json config.id) $(check halved.html json config.place) $(check halved.html json config.low | grep -o 'None, None')" \
    "[4, 6, 3, 5, 2, 1] [1, 2, 3, 4, None, None] None, None"
is "the verdict tells what was stopped" "$(check halved.html text verdict | head -n 1 | sed 's/ with a mean.*//')
$(check halved.html text verdict | grep -o '^3 of .*run to the end\|Configurations were stopped early.*rung 1\|Each conf[^:]*:.*the end\.\|Jamieson K')" \
    "In the search by halving, 2 of 6 configurations were stopped at rung 1 (11 epochs). 4 have the scores of all 5 trials. The best is c4 (hidden_size 8, dropout 0.5)
3 of the 3 other configurations that were run to the end
Configurations were stopped early by successive halving (Jamieson & Talwalkar 2016), with all folds at each of 3 rungs: a rung keeps the best 1/3 by their mean score, and all that lie at most 0.5 standard errors of the paired difference over the folds behind the last one of these; 2 of 6 configurations were stopped at rung 1
Each configuration that was not stopped was trained and validated by 5-fold cross-validation: 30 trials at most, of which the search ran 20 to the end.
Jamieson K"
is "the panel of the search" "$(check halved.html text search | sed 1d)" \
    "2 of 6 configurations were stopped at rung 1 (11 epochs).
The narrowest decision was at step 2: c2 had a mean of 0.22, and 0.225 was needed; it was 0.67 standard errors of the paired difference behind the last one that was kept by rank, and 0.5 were allowed. Halving has no bound: with more epochs, a stopped configuration might have overtaken those that went on, and no test excludes it. The distance tells how narrow the decision was by the scores at that rung. It is not the probability of a wrong one.
step what configurations kept stopped threshold from to core-seconds until then
1 propose 6 6 0 465
2 at rung 1 (11 epochs) 6 4 2 0.225 0.24 465
3 run to the end 4 4 0 2875
config step stopped mean score needed
c1 2 at rung 1 (11 epochs) 0.21 0.225
c2 2 at rung 1 (11 epochs) 0.22 0.225"
is "points for the script" "$(check halved.html json search.config) $(check halved.html json search.value) $(check halved.html json search.cost)" \
    "[1, 2, 3, 4, 5, 6, 3, 4, 5, 6] [0.21, 0.22, 0.23, 0.24, 0.25, 0.26, 0.53, 0.54, 0.53, 0.54] [15, 55, 120, 210, 325, 465, 1030, 1620, 2235, 2875]"
is "no share of the variance" "$(check halved.html text axis | sed -n 2p)" \
    'The share of the variance that each axis explains is unknown: the search stopped 2 of 6 configurations before their end.'
sqlite3 halved.db "UPDATE sweep SET ini = replace(ini, 'halving', 'race');
    UPDATE trial SET state = 'done', value = 0.5 + 0.01 * fold + 0.01 * config_id WHERE config_id < 3 AND fold < 3;
    UPDATE decision SET rung = 3, value = -0.1 / config_id, threshold = iif(config_id = 4, 0, -0.04) WHERE step = 2"
ok "a sweep that a race stopped" report halved.db -o halved.html --force
is "configurations without all trials have no mean" "$(check halved.html json config.mean)" "[0.54, 0.54, 0.53, 0.53, None, None]"
like "the bound is not overstated" "$(check halved.html text search)" "c2 had a difference to the best of -0.05, and -0.04 was needed"
sqlite3 halved.db "UPDATE sweep SET ini = replace(ini, 'allocate = race', '')"
ok "a later run without a search" report halved.db -o halved.html --force
is "has no panel of it" "$(check halved.html) $(grep -c 'panel-search' halved.html)" "sound 0"

# ---- hostile names ----

cp results.db hostile.db
sqlite3 hostile.db "UPDATE sweep SET name = '</script><script>alert(1)</script><!-- --' || char(8238, 8232, 39, 34, 38),
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
    "</script><script>alert(1)</script><!-- --��'\"&|hostile.db"

# ---- partial sweeps and bad input ----

sqlite3 unscored.db "UPDATE trial SET state = 'pending', value = NULL"
ok "a sweep without a score" report unscored.db -o unscored.html
is "has a sound page, too" "$(check unscored.html)" "sound"
is "which gives the reason" "$(check unscored.html text verdict)
$(check unscored.html text forest)" "No trial is finished yet. There is no choice.
Warnings
30 of 30 trials are left to run: the leaderboard may change
No trial is finished yet."
fails "a rule without a score" 1 report unscored.db --rule best -o none.html
is "the message" "$(cat .err)" "espalier: unscored.db: sweep 'tiny' has no finished configuration yet"
sqlite3 unscored.db "DELETE FROM attempt; DELETE FROM trial; DELETE FROM config"
fails "an empty sweep" 1 report unscored.db -o none.html
is "the message" "$(cat .err)" "espalier: unscored.db: sweep 'tiny' has no configuration yet; run 'espalier run' first"
fails "no such sweep" 1 report --sweep tony -o none.html
is "the message" "$(cat .err)" "espalier: results.db: no sweep 'tony' in it; its sweeps are: tiny"
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

# ---- a program ----

program_sweep
fails "a sweep of a program, one trial fails" 3 "$ESPALIER" run program.ini --db program.db --progress none
sqlite3 program.db "INSERT INTO curve_metric SELECT trial_id, epoch, 'test_score', 1 FROM curve_metric;
    UPDATE curve_metric SET name = 'lr<b>' WHERE name = 'lr'"
ok "has a page" report program.db --rule best -o program.html
is "which is sound" "$(check program.html)" "sound"
is "without words about models" "$(sed '/<script type="application/,$d' program.html | grep -e 'Data and graph' -e 'validation loss' -e 'training loss' -e 'folds, with its corrected')" ""
is "methods and results claim nothing about its data" \
    "$(check program.html text verdict | sed -n '/^Methods and/,/^References/p' | sed 's/ The trials ran on.*//; s/espalier [0-9][^ ]*\. The/espalier. The/')" \
    "Methods and results, to copy
Hyperparameters were searched on a grid with espalier. The searched settings were size (4, 8) and kind ('a, b', b), which gave 4 configurations. A trial ran the command: sh program.sh {size} {kind} {rest} (a name in braces stands for its value). The fixed values were rest 7. The content of 1 input file identified the trials: program.sh. The seeds that the program got followed from the seed 1.
Each configuration was run for each of 3 folds: 12 trials in all, of which 1 failed or diverged. Of each trial, the epoch with the best score counted.
Configurations were ranked by the mean score (larger is better). The best one was chosen: c3 (size 8, kind a, b). Its mean score was 0.592 (standard deviation 0.008 over 3 trials, corrected 95 % interval 0.561 to 0.623; Nadeau & Bengio 2003). Each other configuration was compared with the best one on the same folds by the corrected resampled t interval (Nadeau & Bengio 2003; ratio of validation to training samples 0.5, that of 3-fold cross-validation), without correction for multiple comparisons; 0 of 3 could not be told apart from it. For this configuration, the program also reported test numbers (means, and their standard deviations over trials): score 0.5 (0).
References"
is "curves begin at epoch 0" "$(check program.html json curves | sed 's/}.*//')" \
    "[{'config': 3, 'trial': 7, 'replicate': 0, 'fold': 0, 'best': 0, 'stop': False, 'epoch': [0, 2, 5], 'train_loss': [0.9, 0.88, 0.85], 'val_loss': [None, None, None], 'val_value': [0.584, 0.582, 0.579], 'more': [[0.1, 0.1, 0.1]]"
is "of what it reported, without test scores" "$(check program.html json curve_names; check program.html text curves | sed -n 3,4p)" \
    "['lr<b>']
config replicate fold kept epoch last epoch train_loss score lr<b>
c3 0 0 0 5 0.9 0.584 0.1"
like "input files are facts" "$(check program.html text data)" "^Input files of the program.* program.sh [0-9a-f]{32}$"
is "empty panels give the reason" "$(check program.html text types; check program.html text predicted)" \
    "A program runs all trials, so there are no model types to compare.
A program ran the trials. It reports numbers, and no predictions of samples."
is "test scores are what it reported" "$(check program.html text test)" \
    "Numbers test_NAME that the program reported for the chosen configuration.
part metric trials mean sd
objective score 3 0.592 0.008
test score 3 0.5 0"
check program.html text provenance | sed -n '/^\[sweep/,/^kind/p' >again.ini
is "the sweep file has the command and all values" "$(grep -e '^command' -e '^rest' again.ini; sed -n '/^\[grid/,$p' again.ini)" \
    'command = sh program.sh {size} {kind} {rest}
rest = 7
[grid]
size = 4, 8
kind = "a, b", b'
fails "it runs" 3 "$ESPALIER" run again.ini --db program.db --progress none
like "and gives the same trials" "$(cat .err)" "^espalier: program: 12 trials, 0 to run"
"$ESPALIER" run program.ini --set folds=0 --set replicates=2 --set capture=stdout --set 'program.command=echo n={size} {kind} {rest}' \
    --set objective=n --set direction=min --set sweep.name=plain --db program.db --progress none 2>/dev/null
report program.db --rule 1se -o plain.html 2>/dev/null
like "without folds the interval is not corrected" "$(check plain.html text verdict)" "Configurations were ranked by the mean n .smaller is better.. We chose the cheapest configuration .shortest trials. whose"
is "and replicates are compared" "$(check plain.html text verdict | grep -c 'on the same replicates by the t interval of paired differences')" 1
is "a program without epochs has no curves" "$(check plain.html text curves; check plain.html text test)" \
    "The best configurations have no learning curves: the program reported no numbers with an epoch.
The program reported no test scores, which are numbers named test_NAME."

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
