#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Answers of commands about a sweep whose search stopped configurations.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

cat >h.ini <<'INI'
[sweep]
name = h
folds = 5
[data]
format = simulated
samples = 120
markers = 60
[model]
type = mlp
[train]
epochs = 27
[search]
allocate = halving
slack = 0
[grid]
hidden_size = 4, 8, 16
dropout = 0, 0.5
learning_rate = 0.1, 0.01, 0.001
INI
sed 's/halving/race/; s/^name = h/name = r/; s/^slack.*/alpha = 0.5/' h.ini >r.ini
q() { sqlite3 "$@"; }
table() { "$ESPALIER" "$@" 2>/dev/null | sed 's/^ *//; s/ *$//' | tr -s ' '; }

# ---- before ----

plan=$("$ESPALIER" plan h.ini h.db 2>&1 >/dev/null)
like "plan: at most, and expected" "$plan" \
    'h: .* = 90 trials; at most 90 to run, .*about 2[0-9] % .*: about .* on 1 rank, .* at most \('
json=$("$ESPALIER" plan h.ini h.db --section cost --format json 2>/dev/null)
like "plan: in JSON" "$json" '"expected_seconds": '
sed '/search/,/^slack/d' h.ini >all.ini
is "plan: not without a search" "$("$ESPALIER" plan all.ini --section cost --format json 2>/dev/null | grep -c expected)" 0

# ---- halving ----

ok "halving" "$ESPALIER" run h.ini h.db --progress none
like "run: at most" "$(cat .err)" '^espalier: h: at most 90 trials, 90 to run before the next decision on 1 rank$'
like "run: the search" "$(cat .err)" \
    '^espalier: h: 18 configurations tried, 2 to the end, 12 stopped at rung 1, 4 stopped at rung 2; 630 of 2430 epochs$'
like "run: its trials" "$(cat .err)" \
    '^espalier: h: 10 of at most 90 trials done in .*, 0 diverged, 0 failed, 80 stopped; best: c[0-9]+, '
is "run: no trial seems to resume" "$(grep -c resumed .err)" 0

is "best: complete ones first, then by rung" \
    "$(q h.db "SELECT group_concat(ifnull(reached, trials), ', ') FROM (SELECT * FROM leaderboard ORDER BY place)")" \
    "5, 5, $(printf 'rung 2 of 3, %.0s' 1 2 3 4)$(printf 'rung 1 of 3, %.0s' 1 2 3 4 5 6 7 8 9 10 11)rung 1 of 3"
is "best: each rung by its scores" \
    "$(q h.db "SELECT count(*) FROM leaderboard AS a JOIN leaderboard AS b ON a.reached = b.reached
        AND a.place < b.place AND a.mean < b.mean")" 0
is "best: the scores are those of the decisions" \
    "$(q h.db "SELECT count(*) FROM leaderboard JOIN decision ON config = config_id AND action = 'stop'
        WHERE abs(mean - value) < 1e-12")" 16
is "best: no intervals for them" \
    "$(q h.db "SELECT count(*) FROM leaderboard WHERE reached NOT NULL AND (sd NOT NULL OR diff NOT NULL OR within_se)")" 0
like "best: people read it" "$(table best h.db -n 0)" '^3 [0-9]+ .* rung 2 of 3 0 '
is "best: --where" "$("$ESPALIER" best h.db --where "reached IS NULL" --format csv 2>/dev/null | wc -l)" 3
refuses "best: no reference" 1 "--reference c[0-9]+: it has no finished trial yet" \
    "$ESPALIER" best h.db --reference "c$(q h.db "SELECT config FROM leaderboard WHERE place = 3")"
"$ESPALIER" best h.db >.out 2>.err
is "best: no warning of what is stopped" "$(grep -cE 'warning: .*(may change|trials are|fewer)' .err)" 0
"$ESPALIER" best h.db --format ini 2>/dev/null >one.ini
is "best: its file has no search" "$(grep -c search one.ini)" 0
ok "best: ... and runs" "$ESPALIER" run one.ini --db h.db --progress none
like "best: ... not again" "$(cat .err)" '^espalier: h: 5 trials, 0 to run on 1 rank$'

ok "the search again" "$ESPALIER" run h.ini h.db --progress none
like "status: counts" "$(table status h.db)" '^h 18 90 10 0 0 0 0 0 80$'
like "status: the search" "$(table status h.db)" '^18 configurations tried, 2 to the end, '
like "status: in JSON" "$("$ESPALIER" status h.db --format json)" '"held": 0, "stopped": 80'
like "status: its section" "$(table status h.db --section search)" '^stopped 16$'
like "watch" "$("$ESPALIER" watch --once h.db)" '100 %  90/90 trials'
like "watch: the search" "$("$ESPALIER" watch --once h.db)" 'search: 18 configurations tried'
like "plan: over" "$("$ESPALIER" plan h.ini h.db 2>&1)" '= 90 trials; the search is over$'

stopped=$(q h.db "SELECT config FROM leaderboard WHERE reached = 'rung 2 of 3' ORDER BY place LIMIT 1")
trial=$(q h.db "SELECT min(trial_id) FROM trial WHERE config_id = $stopped")
like "show: the reason" "$(table show h.db "c$stopped")" \
    '^stopped in step 3: its value -?[0-9.e-]+ is worse than the threshold -?[0-9.e-]+$'
is "show: decisions" "$(table show h.db "c$stopped" --section decisions | cut -d' ' -f1-3)" "step action rung
1 propose -
2 keep 1
3 stop 2"
is "show: rungs" "$(table show h.db "t$trial" --section rungs | cut -d' ' -f1 | tr '\n' ' ')" "rung 1 2 "
like "show: the curve" "$(table show h.db "t$trial" --section curve)" '^9 '
is "export: states" "$("$ESPALIER" export h.db | grep -c ',stopped,')" 80
is "export: decisions" "$("$ESPALIER" export h.db --decisions | cut -d, -f1-2,4 | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
    " 18 h,1,propose; 6 h,2,keep; 12 h,2,stop; 2 h,3,keep; 4 h,3,stop; 1 sweep,step,action;"

# ---- race ----

ok "a race" "$ESPALIER" run r.ini r.db --progress none
like "race: the end" "$(cat .err)" \
    "^espalier: r: 18 configurations tried, [0-9]+ to the end, ([0-9]+ stopped after [2-4] folds(, |; ))+$(q r.db "SELECT count(*) FROM trial WHERE state = 'done'") of 90 trials$"
is "race: the folds that they reached" \
    "$(q r.db "SELECT count(*) FROM leaderboard WHERE reached IS NOT trials || ' of 5 folds' AND trials < 5")" 0
is "race: in their order" \
    "$(q r.db "SELECT count(*) FROM leaderboard AS a JOIN leaderboard AS b ON a.place < b.place AND a.trials < b.trials")" 0
is "race: compared on the folds in common" \
    "$(q r.db "SELECT count(*) FROM leaderboard WHERE pairs IS NOT trials OR diff IS NULL")" 0
is "race: within_se is of complete ones" "$(q r.db "SELECT count(*) FROM leaderboard WHERE trials < 5 AND within_se")" 0
like "race: stopped trials have not run" "$(q r.db "SELECT DISTINCT value IS NULL FROM trial WHERE state = 'stopped'")" '^1$'

# ---- proposed values ----

sed 's/^name = h/name = p/; s/^allocate.*/propose = sobol/; /^slack/d; s/^learning_rate.*/learning_rate = loguniform(1e-6, 1e-2)/' \
    h.ini >p.ini
ok "proposed values" "$ESPALIER" run p.ini --db p.db --set search.configs=8 --progress none
ok "proposed values: their ends are not those of an axis" "$ESPALIER" best p.db
is "proposed values: so no advice to go beyond" "$(grep -c 'may lie beyond' .err)" 0

# ---- interrupted: the trials of a step wait for each other ----

# A running trial holds the step open, as the kill of a run leaves it.
q h.db "DELETE FROM decision WHERE step > 1; DELETE FROM rung; UPDATE trial SET state = 'held';
    UPDATE trial SET state = 'pending', epochs_run = NULL, value = NULL WHERE trial_id > 70;
    UPDATE trial SET epochs_run = 3 WHERE trial_id <= 70"
like "in between: held trials" "$(table status h.db)" '^h 18 90 0 0 0 0 20 70 0$'
like "in between: how far it is" "$(table status h.db)" '^rung 1 of 3: 70 of 90 released trials done$'
like "in between: the leaderboard may change" "$("$ESPALIER" best h.db 2>&1)" '0 of 90 trials are done, 90 are left'
like "in between: plan" "$("$ESPALIER" plan h.ini h.db 2>&1)" 'at most 90 to run'
refuses "in between: there is no choice" 1 "has no finished configuration yet" "$ESPALIER" best h.db --rule best --format csv

done_testing
