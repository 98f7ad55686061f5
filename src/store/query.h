/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries of the database that return tables, for readers and writers. */
#ifndef STORE_QUERY_H
#define STORE_QUERY_H

#include <stdint.h>

#include "base/buf.h"
#include "store/lock.h"
#include "store/result_table.h"
#include "store/sql.h"
#include "store/store.h"

struct query_sweep {
    int64_t sweep_id;
    char name[256];
    char objective[32];
    int64_t n_sweeps; /* in the file */
};

/* Find a sweep by name; NULL: the one that ran last. -1 and err, which lists the names. */
int query_sweep(struct query_sweep *sweep, struct store *store, const char *name, struct err *err);

struct query_filter {
    const char *where; /* SQL over the names of query_columns(); NULL: all rows */
    int64_t limit;     /* -1: all */
    /* Columns that fit a screen: no diff_se, pairs and flops, no val_r2 if `mean` is the same, and
     * within_se as '*'. */
    bool is_brief;
};

/* Configurations that cannot be told apart from the best, whatever the filter's limit. */
struct query_alike {
    int64_t n_scored;   /* with a mean, including the best */
    int64_t n_compared; /* others with an interval of the difference to the best */
    int64_t n_alike;    /* others whose 95 % interval contains 0 */
};

/* Return leaderboard rows by place: place, config, the axes of this sweep, trials, mean, val_r2,
 * sd, se, diff, diff_se, diff_low, diff_high, pairs, within_se, flops, seconds. val_r2 (regression
 * only) is the mean validation R2 of done trials. diff_low and diff_high bound the 95 % interval of
 * diff, by Student's t with pairs - 1 degrees of freedom; NULL for fewer than two pairs. alike:
 * out, or NULL. Pair with result_table_release(). */
int query_leaderboard(struct result_table *out, struct query_alike *alike, struct store *store,
                      const struct query_sweep *sweep, const struct query_filter *filter,
                      struct err *err);

/* Compute diff of all later queries on this store against this configuration, not the best one. For
 * a store opened for reading. -1 and err. */
int query_compare_with(struct store *store, int64_t config_id, struct err *err);

/* Check that query_filter.where is SQL over the columns of the leaderboard. Computes nothing. -1
 * and err: it is not, or the file cannot be read. */
int query_check_where(struct store *store, const struct query_sweep *sweep, const char *where,
                      struct err *err);

/* The rules that choose one configuration. */
enum query_rule {
    QUERY_RULE_BEST, /* the first */
    QUERY_RULE_1SE,  /* the cheapest (fewest flops, seconds if unknown, then place) within one
                      * standard error of the first, the first's own, that lost no more trials.
                      * Source: Breiman, Friedman, Olshen & Stone 1984, section 3.4.3. */
    QUERY_N_RULES
};

/* The rule of "best" or "1se"; another name is an assertion. */
enum query_rule query_rule_parse(const char *name);

/* The choice in words, such as "the best". */
const char *query_rule_words(enum query_rule rule);

/* Return the row that the rule chooses among those that satisfy filter->where; filter->limit does
 * not count. -1 and err: there is none. */
int query_choose(struct result_table *out, struct query_alike *alike, struct store *store,
                 const struct query_sweep *sweep, enum query_rule rule,
                 const struct query_filter *filter, struct err *err);

/* Append the names that query_filter.where may use, each with its NUL. */
int query_columns(struct buf *out, struct store *store, struct err *err);

/* Pass rows of the view `trials` to `row` one by one, for a sweep or, with NULL, all. Each is a
 * table of one row, borrowed for the call; the first call has only the names. */
int query_trials(struct store *store, const struct query_sweep *sweep,
                 void (*row)(void *arg, const struct result_table *row), void *arg,
                 struct err *err);

/* Unix seconds. */
#define QUERY_NOW "((julianday('now') - 2440587.5) * 86400)"

/* X(name, SQL): ?1 is an id, of the thing that the comment names. */
/* clang-format off */
#define QUERY_TABLE(X) \
    X(FILES, \
      "SELECT file, ini FROM sweep ORDER BY sweep_id") \
    X(SWEEP_NAMES, /* the last one run first */ \
      "SELECT name FROM sweep ORDER BY sweep_id DESC") \
    X(SWEEPS, /* A single sweep needs no look at each trial. For several, this order groups the \
                 rows: four times as fast. */ \
      "SELECT sweep.name AS sweep, (SELECT count(*) FROM config) AS configs, everything.trials AS trials," \
      " everything.trials - rest.trials AS done, diverged, failed, running, pending" \
      " FROM sweep, (SELECT count(*) AS trials FROM trial) AS everything," \
      " (SELECT " QUERY_STATES " FROM trial WHERE state <> 'done') AS rest" \
      " WHERE " SQL_ONE_SWEEP " AND everything.trials > 0 UNION ALL" \
      " SELECT sweep.name, (SELECT count(*) FROM config AS c WHERE c.sweep_id = sweep.sweep_id), " \
      QUERY_STATES \
      " FROM sweep CROSS JOIN config USING (sweep_id) CROSS JOIN trial USING (config_id)" \
      " WHERE NOT " SQL_ONE_SWEEP " GROUP BY sweep_id") \
    X(INCOMPLETE, /* sweeps with only a part of their trials in the file */ \
      "SELECT name AS sweep, iif(" SQL_ONE_SWEEP ", (SELECT count(*) FROM trial)," \
      " (SELECT count(*) FROM config JOIN trial USING (config_id)" \
      " WHERE config.sweep_id = sweep.sweep_id)) AS trials, planned FROM sweep" \
      " WHERE trials < planned ORDER BY sweep_id") \
    X(BEST, /* of a sweep: first row of the leaderboard, if any, without comparisons */ \
      "WITH " QUERY_SCORED " SELECT config_id AS config, mean FROM scored JOIN config" \
      " USING (config_id) JOIN sweep USING (sweep_id) WHERE sweep_id = ?1" \
      " ORDER BY trials DESC, CASE direction WHEN 'max' THEN -mean ELSE mean END, config_id LIMIT 1") \
    X(PROGRESS, /* of a sweep; unfinished: trials that may still change its leaderboard; \
                 undefined: done trials without a value of the objective */ \
      "SELECT count(*) AS trials, count(*) FILTER (WHERE state = 'done') AS done," \
      " count(*) FILTER (WHERE state IN ('pending', 'running')) AS unfinished," \
      " count(*) FILTER (WHERE state = 'done' AND value IS NULL) AS undefined" \
      " FROM config JOIN trial USING (config_id) WHERE sweep_id = ?1 GROUP BY sweep_id") \
    X(REPEATS, /* of a sweep */ \
      "SELECT count(DISTINCT fold) AS folds, count(DISTINCT replicate) AS replicates" \
      " FROM config JOIN trial USING (config_id) WHERE sweep_id = ?1 GROUP BY sweep_id") \
    X(SCORES, /* of a sweep: configurations with done trials */ \
      "WITH " QUERY_SCORED " SELECT config_id AS config, trials, mean FROM scored JOIN config" \
      " USING (config_id) WHERE sweep_id = ?1") \
    X(FAILURES, /* most frequent first */ \
      "SELECT sweep.name AS sweep, state, count(*) AS trials, min(trial_id) AS example," \
      " " QUERY_ERROR " AS reason" \
      " FROM trial JOIN config USING (config_id) JOIN sweep USING (sweep_id)" \
      " WHERE state IN ('diverged', 'failed')" \
      " GROUP BY sweep_id, state, reason ORDER BY count(*) DESC, min(trial_id) LIMIT 20") \
    X(REASONS, /* of a sweep: why trials diverged or failed, most frequent first. Reasons that \
                  differ in a number at their end, such as an epoch, are one. */ \
      "SELECT state, count(*) AS trials, iif(count(DISTINCT error) > 1, stem || '...', min(error))" \
      " AS reason FROM (SELECT state, " QUERY_ERROR " AS error," \
      " rtrim(" QUERY_ERROR ", '0123456789') AS stem FROM config JOIN trial USING (config_id)" \
      " WHERE sweep_id = ?1 AND state IN ('diverged', 'failed'))" \
      " GROUP BY state, stem ORDER BY count(*) DESC, stem LIMIT 20") \
    X(RUNNING, /* longest first */ \
      "SELECT trial_id AS trial, config_id AS config, rank, host," \
      " datetime(started, 'unixepoch') AS since_utc," \
      " max(0.0, round(" QUERY_NOW " - started, 1)) AS seconds" \
      " FROM attempt JOIN trial USING (trial_id) WHERE outcome = 'running'" SQL_WITHOUT_RESULT \
      " ORDER BY started, trial_id LIMIT 20") \
    X(CHECKPOINTS, \
      "SELECT trial_id AS trial, config_id AS config, t.state, epoch AS after_epoch," \
      " round(100 * (1 - remaining), 1) AS percent, c.seconds FROM checkpoint AS c" \
      " JOIN trial AS t USING (trial_id) ORDER BY trial_id LIMIT 20") \
    X(BROKEN, /* attempts that crashed their rank or were lost with their run */ \
      "SELECT session_id AS session, outcome, count(*) AS attempts," \
      " group_concat(DISTINCT rank) AS ranks, host, min(trial_id) AS example," \
      " " QUERY_ERROR " AS reason FROM attempt WHERE outcome IN ('crashed', 'lost')" \
      SQL_WITHOUT_RESULT \
      " GROUP BY session_id, outcome, host, reason ORDER BY session_id DESC, count(*) DESC LIMIT 20") \
    X(SESSIONS, /* newest first */ \
      "SELECT session_id AS session, outcome, datetime(started, 'unixepoch') AS started_utc," \
      " max(0.0, round(finished - started, 1)) AS seconds, ranks, host, coalesce(job, '') AS job, command" \
      " FROM session ORDER BY session_id DESC LIMIT 10") \
    X(SESSION, /* 0: the last one. rate: trials per second */ \
      "WITH s AS (SELECT * FROM session WHERE session_id =" \
      " iif(?1, ?1, (SELECT max(session_id) FROM session)))," \
      " ran AS MATERIALIZED (SELECT count(*) AS n, max(attempt.finished) AS at FROM attempt" \
      " JOIN s USING (session_id) WHERE attempt.outcome IN ('done', 'diverged', 'failed'))" \
      "SELECT session_id AS session, outcome, command, host, pid, ranks, started, elapsed AS elapsed_s," \
      " n AS trials, n / elapsed AS rate FROM (SELECT *," \
      " nullif(max(0.0, coalesce(s.finished, at) - s.started), 0) AS elapsed FROM s, ran)") \
    X(LAST_SESSION, /* without the counts of SESSION. seconds: until now if it is running, until the \
                       last result if it was lost. */ \
      "SELECT session_id AS session, outcome, coalesce(job, '') AS job, command, ranks," \
      " max(0.0, coalesce(finished, iif(outcome = 'running', " QUERY_NOW ", (SELECT max(a.finished)" \
      " FROM attempt AS a WHERE a.session_id = session.session_id)), started) - started) AS seconds" \
      " FROM session ORDER BY session_id DESC LIMIT 1") \
    X(RANKS, /* of a session: the newest attempt of each rank. seconds: since it began, if it is \
                running, else since it ended. A rank whose last result is one of thousands ago has \
                no row. */ \
      "SELECT rank, host, outcome, trial_id AS trial, config_id AS config, ran.seconds FROM (" \
      "SELECT rank, host, outcome, trial_id, max(0.0, " QUERY_NOW " - iif(outcome = 'running', started," \
      " finished)) AS seconds, max(attempt_id) FROM (" \
      "SELECT * FROM attempt WHERE session_id = ?1 AND attempt_id > (SELECT max(attempt_id) FROM attempt)" \
      " - (SELECT 4000 + 4 * ranks FROM session WHERE session_id = ?1) UNION ALL" \
      " SELECT * FROM attempt WHERE session_id = ?1 AND outcome IN ('running', 'crashed')" \
      SQL_WITHOUT_RESULT ") GROUP BY rank) AS ran JOIN trial USING (trial_id) ORDER BY rank") \
    X(WORK, /* of a sweep: operations of the trials that the last session has run, and of those \
               that are left. NULL: unknown. Half the time of LEFT, which knows no sweep. */ \
      "SELECT (SELECT sum(config.flops) FROM attempt CROSS JOIN trial USING (trial_id) CROSS JOIN config" \
      " USING (config_id) WHERE session_id = (SELECT max(session_id) FROM session)" \
      " AND outcome IN ('done', 'diverged', 'failed')) AS done_flops," \
      " (SELECT sum(config.flops) FROM trial CROSS JOIN config USING (config_id)" \
      " WHERE state IN ('pending', 'running') AND sweep_id = ?1) AS left_flops" \
      " FROM sweep WHERE sweep_id = ?1") \
    X(LEFT, /* of a running session: pending trials of its sweeps, and the seconds they need (by \
               flops if known). Reads all trials. */ \
      "WITH s AS (SELECT * FROM session WHERE session_id = ?1)," \
      " a AS MATERIALIZED (SELECT trial_id, attempt.finished AS at FROM attempt" \
      " JOIN s USING (session_id) WHERE attempt.outcome IN ('done', 'diverged', 'failed'))," \
      " of AS MATERIALIZED (SELECT sweep_id, sum(config.flops) AS flops FROM a JOIN trial USING (trial_id)" \
      " JOIN config USING (config_id) GROUP BY sweep_id)," \
      " ran AS MATERIALIZED (SELECT count(trial_id) AS n," \
      " nullif(max(0.0, coalesce(s.finished, max(at)) - s.started), 0) AS elapsed FROM s LEFT JOIN a)," \
      " pending AS MATERIALIZED (SELECT count(*) AS n, sum(config.flops) AS flops" \
      " FROM trial CROSS JOIN config USING (config_id) WHERE state IN ('pending', 'running')" \
      " AND sweep_id IN (SELECT sweep_id FROM of))" \
      "SELECT pending.n AS pending, iif(pending.n = 0, 0.0, ran.elapsed *" \
      " iif((SELECT sum(flops) FROM of) > 0, pending.flops / (SELECT sum(flops) FROM of)," \
      " 1.0 * pending.n / ran.n)) AS left_s FROM s, ran, pending") \
    X(EFFICIENCY, /* of a session; 0: the last one. No row before its first attempt has ended, \
                     nor if it was stopped early or lost a rank, since the wasted time is not \
                     recorded. Over its attempts, including failed ones: \
                       total_s     sum of their seconds \
                       longest_s   the longest \
                       elapsed_s   from the first start to the last end \
                       bound_s     max(total_s / ranks, longest_s): no schedule on as many equal \
                                   ranks is faster \
                       busy        total_s / (ranks elapsed_s) \
                       above       elapsed_s / bound_s - 1 */ \
      "WITH s AS (SELECT session_id, ranks FROM session WHERE outcome <> 'stopped'" \
      " AND session_id = iif(?1, ?1, (SELECT max(session_id) FROM session))" \
      " AND NOT EXISTS (SELECT 1 FROM attempt AS x WHERE x.session_id = session.session_id" \
      " AND outcome = 'crashed'" SQL_WITHOUT_RESULT "))," \
      " a AS (SELECT count(*) AS trials, max(finished) - min(started) AS elapsed_s," \
      " sum(max(0.0, finished - started)) AS total_s, max(max(0.0, finished - started)) AS longest_s" \
      " FROM attempt JOIN s USING (session_id) WHERE finished IS NOT NULL)," \
      " b AS (SELECT *, max(total_s / ranks, longest_s) AS bound_s FROM s, a)" \
      "SELECT session_id AS session, ranks, trials, elapsed_s, total_s, longest_s, bound_s," \
      " total_s / (ranks * elapsed_s) AS busy, elapsed_s / bound_s - 1 AS above" \
      " FROM b WHERE trials > 0") \
    X(TRACE_SESSIONS, /* by begin. first, last: moments known of each */ \
      "SELECT s.session_id AS session, s.command, s.version, s.host, s.ranks, s.outcome, s.started," \
      " s.finished, min(s.started, coalesce(a.first, s.started)) AS first," \
      " max(s.started, coalesce(a.last, s.started), coalesce(s.finished, s.started)) AS last" \
      " FROM session AS s LEFT JOIN (SELECT session_id, min(started) AS first," \
      " max(coalesce(finished, started)) AS last FROM attempt GROUP BY session_id) AS a" \
      " USING (session_id) ORDER BY s.started, s.session_id") \
    X(TRACE_ATTEMPTS, /* by place and begin. number: of the attempts of its trial; is_result: whether \
                         it gave the result, whose phases the file has */ \
      "SELECT a.attempt_id AS attempt, a.trial_id AS trial, t.config_id AS config," \
      " sweep.name AS sweep, t.replicate, t.fold, a.session_id AS session, a.rank, a.host, a.pid," \
      " a.started, a.finished, a.outcome, substr(a.error, 1, 1000) AS error, t.value, a.number," \
      " a.attempt_id IS a.last AS is_result" \
      TRIAL_PHASE_TABLE(QUERY_PHASE) \
      " FROM (SELECT *, row_number() OVER t AS number, max(attempt_id) FILTER (WHERE outcome IN" \
      " ('done', 'diverged', 'failed')) OVER (PARTITION BY trial_id) AS last FROM attempt" \
      " WINDOW t AS (PARTITION BY trial_id ORDER BY attempt_id)) AS a" \
      " JOIN trial AS t USING (trial_id) JOIN config USING (config_id)" \
      " JOIN sweep USING (sweep_id) ORDER BY a.host, a.rank, a.started, a.attempt_id") \
    X(SETTING_NAMES, /* of a sweep, its axes first. words: configurations with a text */ \
      "SELECT s.key AS setting, count(*) FILTER (WHERE s.type = 'text') AS words" \
      " FROM config JOIN json_each(config.params) AS s LEFT JOIN axis" \
      " ON axis.sweep_id = config.sweep_id AND axis.name = s.key WHERE config.sweep_id = ?1" \
      " GROUP BY s.key ORDER BY min(axis.ordinal) IS NULL, min(axis.ordinal), min(s.id), s.key") \
    X(METRIC_NAMES, /* of a sweep, without the test part, the objective first */ \
      "SELECT DISTINCT m.split, m.name FROM config JOIN trial USING (config_id)" \
      " JOIN metric AS m USING (trial_id) WHERE sweep_id = ?1" \
      " AND (m.split IN ('train', 'val') OR m.split = 'stop') ORDER BY m.split || '_' || m.name <>" \
      " (SELECT objective FROM sweep WHERE sweep_id = ?1), m.split DESC, m.name") \
    X(BOARD_TRIALS, /* of a sweep, by configuration: those that have begun, with the last attempt */ \
      "SELECT t.trial_id AS trial, t.config_id AS config, t.replicate, t.fold, t.state, t.best_epoch," \
      " coalesce(a.started, 0.0) AS started, a.finished FROM config JOIN trial AS t USING (config_id)" \
      " LEFT JOIN attempt AS a ON a.attempt_id = (SELECT max(x.attempt_id) FROM attempt AS x" \
      " WHERE x.trial_id = t.trial_id) WHERE sweep_id = ?1 AND t.state <> 'pending'" \
      " ORDER BY t.config_id, t.replicate, t.fold") \
    X(CONFIG_HPARAMS, /* of a configuration; text: the value as text */ \
      "SELECT s.key AS setting, s.value, CAST(s.value AS TEXT) AS text FROM config," \
      " json_each(config.params) AS s WHERE config_id = ?1 ORDER BY s.id") \
    X(PROFILE, /* of a session; 0: the last one that ran trials, else the last one. counted: ranks \
                  with counters. seconds: all that rank 0 counted, which is the session up to its \
                  last counters */ \
      "WITH s AS (SELECT * FROM session WHERE session_id = iif(?1, ?1, coalesce(" \
      "(SELECT max(session_id) FROM traffic WHERE activity = 'compute')," \
      " (SELECT max(session_id) FROM session))))" \
      "SELECT session_id AS session, outcome, command, ranks," \
      " (SELECT count(DISTINCT rank) FROM traffic AS t WHERE t.session_id = s.session_id) AS counted," \
      " (SELECT sum(seconds) FROM traffic AS t WHERE t.session_id = s.session_id" \
      " AND rank = 0 AND NOT " QUERY_TRAINS ") AS seconds," \
      " (SELECT coalesce(sum(calls), 0) FROM traffic AS t WHERE t.session_id = s.session_id" \
      " AND activity = 'send') AS messages," \
      " (SELECT coalesce(sum(bytes), 0) FROM traffic AS t WHERE t.session_id = s.session_id" \
      " AND activity = 'send') AS bytes FROM s") \
    X(CONFIG, /* id of a configuration, also below */ \
      "SELECT sweep, objective, place, config, trials, mean, sd, se, diff, diff_se, pairs," \
      " within_se, flops, seconds FROM leaderboard" \
      " JOIN sweep ON sweep.name = leaderboard.sweep WHERE config = ?1") \
    X(CONFIG_SETTINGS, /* varies: 'axis', or '' */ \
      "SELECT s.key AS setting, s.value, iif(axis.name IS NULL, '', 'axis') AS varies" \
      " FROM config, json_each(config.params) AS s LEFT JOIN axis" \
      " ON axis.sweep_id = config.sweep_id AND axis.name = s.key" \
      " WHERE config_id = ?1 ORDER BY s.id") \
    X(CONFIG_TRIALS, \
      "SELECT trial_id AS trial, replicate, fold, state, value, epochs_run, best_epoch, seconds," \
      " attempts, " QUERY_ERROR " AS error FROM trial WHERE config_id = ?1 ORDER BY trial_id") \
    X(CONFIG_TEST, /* on the test part, over done trials */ \
      "SELECT name AS test, count(*) AS trials, avg(v) AS mean," \
      " sqrt(sum(d * d) / (count(*) - 1)) AS sd FROM (SELECT m.name, m.value AS v," \
      " m.value - avg(m.value) OVER (PARTITION BY m.name) AS d FROM trial" \
      " JOIN metric AS m USING (trial_id) WHERE config_id = ?1 AND state = 'done'" \
      " AND m.split = 'test' AND m.name <> 'loss') GROUP BY name ORDER BY name") \
    X(TRIAL, /* id of a trial, also below */ \
      "SELECT sweep.name AS sweep, trial_id AS trial, config_id AS config, replicate, fold, state," \
      " value, epochs_run, best_epoch, seconds, predicted, trial.flops, peak_bytes, attempts," \
      " substr(error, 1, 1000) AS error, trial.key FROM trial JOIN config USING (config_id)" \
      " JOIN sweep USING (sweep_id) WHERE trial_id = ?1") \
    X(TRIAL_RECORD, \
      "SELECT sweep_id, sweep.name, objective, data_digest, config_id, replicate, fold, trial.key," \
      " state, value, epochs_run, best_epoch FROM trial JOIN config USING (config_id)" \
      " JOIN sweep USING (sweep_id) WHERE trial_id = ?1") \
    X(TRIAL_SESSION, /* that computed its result */ \
      "SELECT version, cpu, blas, blas_kernel, attempt.host FROM attempt JOIN session" \
      " USING (session_id) WHERE trial_id = ?1 AND attempt.outcome IN ('done', 'diverged')" \
      " ORDER BY attempt_id DESC LIMIT 1") \
    X(DONE, /* of a sweep */ \
      "SELECT trial_id, config_id FROM config JOIN trial USING (config_id)" \
      " WHERE sweep_id = ?1 AND state = 'done' ORDER BY trial_id") \
    X(TRIAL_METRICS, \
      "SELECT name AS metric, max(value) FILTER (WHERE split = 'train') AS train," \
      " max(value) FILTER (WHERE split = 'val') AS val," \
      " max(value) FILTER (WHERE split = 'test') AS test," \
      " max(value) FILTER (WHERE split = 'stop') AS stop" \
      " FROM metric WHERE trial_id = ?1 GROUP BY name ORDER BY name") \
    X(LEVELS, /* of a sweep: values of each axis, ascending */ \
      "SELECT axis.name AS axis, level.value FROM axis, json_each(axis.levels) AS level" \
      " WHERE sweep_id = ?1 ORDER BY ordinal, axis.name, level.key") \
    X(LUCKY, /* of a sweep: a row if it has done trials without epochs beside others whose epoch \
                was chosen by val */ \
      "SELECT 1 WHERE EXISTS (SELECT 1 FROM config JOIN trial USING (config_id) WHERE sweep_id = ?1" \
      " AND model_type_is(params ->> 'type', 'trains')" \
      " AND NOT model_type_is(params ->> 'type', 'has_epochs') AND state = 'done')" \
      " AND EXISTS (SELECT 1 FROM config JOIN trial USING (config_id) WHERE sweep_id = ?1" \
      " AND model_type_is(params ->> 'type', 'has_epochs') AND coalesce(params ->> 'stop', 0) = 0" \
      " AND state = 'done' AND best_epoch > 0 AND NOT EXISTS (SELECT 1 FROM metric" \
      " WHERE metric.trial_id = trial.trial_id AND split = 'stop'))") \
    X(REPEATED, /* of a sweep: a row if replicates were validated on the same samples: by a split \
                   file, or by folds on which each model without random numbers repeats all its \
                   metrics (an accuracy alone may be equal by chance) */ \
      "SELECT 1 WHERE EXISTS (SELECT 1 FROM sweep JOIN config USING (sweep_id) JOIN trial" \
      " USING (config_id) WHERE sweep_id = ?1 AND parts = 'given' AND params ->> 'folds' <= 1" \
      " AND state = 'done' AND replicate > 0)" \
      " OR EXISTS (SELECT 1 FROM (SELECT config_id, fold, count(*) AS n, min(m.value) AS low," \
      " max(m.value) AS high FROM config JOIN trial USING (config_id) JOIN metric AS m USING (trial_id)" \
      " WHERE sweep_id = ?1 AND model_type_is(params ->> 'type', 'trains')" \
      " AND NOT model_type_is(params ->> 'type', 'draws_random') AND state = 'done'" \
      " AND m.split = 'val' GROUP BY config_id, fold, m.name)" \
      " GROUP BY config_id HAVING count(DISTINCT fold) > 1 AND min(n) > 1 AND sum(high > low) = 0)") \
    X(TRIAL_TIMING, \
      "SELECT phase, seconds, 100 * seconds / sum(seconds) OVER () AS percent" \
      " FROM timing WHERE trial_id = ?1 ORDER BY seconds DESC") \
    X(TRIAL_ATTEMPTS, \
      "SELECT attempt_id AS attempt, session_id AS session, rank, host, pid," \
      " datetime(started, 'unixepoch') AS started_utc, max(0.0, coalesce(finished," \
      " iif(outcome = 'running', " QUERY_NOW ", NULL)) - started)" \
      " AS seconds, outcome," \
      " " QUERY_ERROR " AS error FROM attempt WHERE trial_id = ?1 ORDER BY attempt_id") \
    X(TRIAL_MODEL, \
      "SELECT length(safetensors) AS bytes FROM model WHERE trial_id = ?1") \
    X(CONFIG_MODELS, \
      "SELECT trial_id AS trial, length(safetensors) AS bytes FROM trial JOIN model" \
      " USING (trial_id) WHERE config_id = ?1 ORDER BY trial_id") \
    X(PREDICTIONS, /* of a configuration: out-of-fold; numbers, or names of classes with a JSON \
                      object of probabilities or of scores */ \
      "SELECT trial_id AS trial, replicate, fold, sample, id, sample_group, observed," \
      " prediction.predicted, probabilities, scores FROM trial JOIN prediction USING (trial_id)" \
      " WHERE config_id = ?1 ORDER BY trial_id, sample") \
    X(CLASS_SCORES, /* of a configuration: probabilities or scores of its predictions */ \
      "SELECT trial_id AS trial, sample, c.key AS class, c.value AS score FROM trial" \
      " JOIN prediction USING (trial_id), json_each(iif(json_valid(coalesce(probabilities, scores))," \
      " coalesce(probabilities, scores), '{}')) AS c" \
      " WHERE config_id = ?1 ORDER BY trial_id, sample, c.id") \
    X(DATA_FACTS, /* of a sweep */ \
      "SELECT topic, ordinal, name, value FROM data_fact WHERE sweep_id = ?1" \
      " ORDER BY topic, ordinal") \
    X(MODELS_MISSING, /* of a sweep: done trials without a model, of the best configuration and \
                         of the choice of --rule 1se */ \
      "WITH " SQL_CHOSEN "SELECT trial_id AS trial, config_id AS config, value, is_best" \
      " FROM chosen JOIN trial ON config_id = config" \
      " WHERE state = 'done' AND trial_id NOT IN (SELECT trial_id FROM model)" \
      " ORDER BY is_best DESC, trial_id") \
    X(PREDICTABLE, /* of a sweep: trials with a model, of the same configurations; epoch_s: seconds \
                      of an epoch */ \
      "WITH " SQL_CHOSEN "SELECT trial_id AS trial, config_id AS config," \
      " trial.seconds / max(epochs_run, 1) AS epoch_s, EXISTS (SELECT 1 FROM prediction AS p" \
      " WHERE p.trial_id = trial.trial_id) AS is_stored FROM chosen JOIN trial ON config_id = config" \
      " WHERE state = 'done' AND EXISTS (SELECT 1 FROM model WHERE model.trial_id = trial.trial_id)" \
      " ORDER BY is_best DESC, trial_id") \
    X(WITH_MODELS, /* of a sweep */ \
      "SELECT trial_id AS trial FROM config JOIN trial USING (config_id) JOIN model" \
      " USING (trial_id) WHERE sweep_id = ?1 ORDER BY trial_id") \
    X(TRIAL_CHECKPOINT, /* of a trial without a result */ \
      "SELECT epoch, seconds, length(state) AS bytes FROM checkpoint WHERE trial_id = ?1") \
    X(PROFILE_ACTIVITIES, /* of a session, like the next three: all its ranks together */ \
      "WITH " QUERY_TRAFFIC "SELECT iif(" QUERY_TRAINS ", 'worker', 'main') AS thread, activity," \
      " sum(calls) AS calls, nullif(sum(bytes), 0) AS bytes, sum(seconds) AS seconds," \
      " round(100 * sum(seconds) / (whole * ranks), 1) AS percent FROM t, w GROUP BY activity" \
      " ORDER BY thread DESC, " QUERY_ACTIVITY_ORDER) \
    X(PROFILE_RANKS, /* percent of the session */ \
      "WITH " QUERY_TRAFFIC "SELECT rank, host, coalesce(sum(calls)" \
      " FILTER (WHERE activity = 'compute'), 0) AS trials," \
      QUERY_SHARE("compute") "," QUERY_SHARE("idle") "," QUERY_SHARE("start") "," \
      QUERY_SHARE("store") "," QUERY_SHARE("commit") "," QUERY_SHARE("schedule") "," \
      QUERY_SHARE("send") "," QUERY_SHARE("receive") "," QUERY_SHARE("poll") "," \
      QUERY_SHARE("wait") \
      " FROM t, w GROUP BY rank ORDER BY rank") \
    X(PROFILE_SIZES, \
      "WITH " QUERY_TRAFFIC "SELECT activity, size AS up_to, sum(calls) AS calls," \
      " sum(bytes) AS bytes, sum(seconds) AS seconds, 1e6 * sum(seconds) / sum(calls) AS mean_us" \
      " FROM t WHERE size > 0 GROUP BY activity, size ORDER BY activity DESC, size") \
    X(PROFILE_COUNTERS, \
      "WITH " QUERY_TRAFFIC "SELECT rank, host, activity, size, calls, bytes, seconds," \
      " round(100 * seconds / whole, 1) AS percent FROM t, w" \
      " ORDER BY rank, " QUERY_ACTIVITY_ORDER ", size") \
    X(TRIAL_CURVE, \
      "SELECT epoch, train_loss, val_loss, val_value, seconds FROM curve" \
      " WHERE trial_id = ?1 ORDER BY epoch") \
    X(SWEEP_RECORD, /* id of a sweep, also below. share: n_val / n_train, of its first \
                       configuration */ \
      "SELECT direction, task, file, ini, data_digest, samples, features, classes, planned," \
      " created, updated, coalesce((SELECT " SQL_SHARE " FROM config WHERE config.sweep_id =" \
      " sweep.sweep_id ORDER BY config_id LIMIT 1), 0.0) AS share FROM sweep WHERE sweep_id = ?1") \
    X(SWEEP_TYPES, /* model type of each configuration */ \
      "SELECT config_id AS config, coalesce(params ->> 'type', '') AS type FROM config" \
      " WHERE sweep_id = ?1 ORDER BY config_id") \
    X(SWEEP_VALUES, /* the objective of each trial; NULL before it is done */ \
      "SELECT config_id AS config, replicate, fold, iif(state = 'done', value, NULL) AS value" \
      " FROM config JOIN trial USING (config_id) WHERE sweep_id = ?1") \
    X(SWEEP_FAILURES, /* most frequent first */ \
      "SELECT state, count(*) AS trials, min(trial_id) AS example, " QUERY_ERROR " AS reason" \
      " FROM config JOIN trial USING (config_id) WHERE sweep_id = ?1" \
      " AND state IN ('diverged', 'failed') GROUP BY state, reason" \
      " ORDER BY count(*) DESC, min(trial_id) LIMIT 20") \
    X(SWEEP_SESSIONS, /* that began trials of it. busy_s: their seconds in these */ \
      "WITH a AS (SELECT session_id, sum(max(0.0, attempt.finished - attempt.started)) AS busy_s" \
      " FROM config CROSS JOIN trial USING (config_id) CROSS JOIN attempt USING (trial_id)" \
      " WHERE sweep_id = ?1 GROUP BY session_id)" \
      "SELECT session_id AS session, started, finished, outcome, ranks, host, command, version," \
      " coalesce(cpu, '') AS cpu, coalesce(job, '') AS job, coalesce(busy_s, 0.0) AS busy_s" \
      " FROM a JOIN session USING (session_id) ORDER BY session_id") \
    X(SWEEP_ATTEMPTS, /* other ends than `done` first, then the longest */ \
      "SELECT trial_id AS trial, config_id AS config, coalesce(session_id, 0) AS session, rank," \
      " host, started, finished, outcome, count(*) OVER () AS attempts" \
      " FROM config CROSS JOIN trial USING (config_id) CROSS JOIN attempt USING (trial_id)" \
      " WHERE sweep_id = ?1 ORDER BY outcome = 'done', finished - started DESC, attempt_id" \
      " LIMIT 20000") \
    X(CONFIG_CURVES, /* of the done trials of a configuration */ \
      "SELECT trial_id AS trial, replicate, fold, coalesce(best_epoch, 0) AS best_epoch, epoch," \
      " train_loss, val_loss, val_value FROM trial JOIN curve USING (trial_id)" \
      " WHERE config_id = ?1 AND state = 'done' ORDER BY trial_id, epoch")

/* clang-format on */

enum query {
#define QUERY_ENUM(id, sql) QUERY_##id,
    QUERY_TABLE(QUERY_ENUM)
#undef QUERY_ENUM
        QUERY_COUNT
};

int query_table(struct result_table *out, struct store *store, enum query query, int64_t id,
                struct err *err);

/* Pass the rows of a query to `row` one by one, each as a table of one row, borrowed for the call.
 * -1 and err: the query failed, or `row` returned -1. */
int query_each(struct store *store, enum query query, int64_t id,
               int (*row)(void *arg, const struct result_table *row, struct err *err), void *arg,
               struct err *err);

/* Return the ranks of the last session: rank, host, trials, busy_s (seconds in trials), diverged,
 * failed; sorted by rank and host. */
int query_workers(struct result_table *out, struct store *store, struct err *err);

/* Count the results of a session in n intervals that divide its first `seconds` equally. Earlier
 * and later ones count in the first and last interval. */
int query_throughput(int64_t *counts, int32_t n, struct store *store, int64_t session_id,
                     double seconds, struct err *err);

/* Write a sweep file that trains exactly one configuration, with the same keys. */
int query_ini(struct buf *out, struct store *store, int64_t config_id, struct err *err);

/* "12", or with its letter "c12". False: invalid. */
bool query_parse_id(int64_t *id, const char *text, char letter);

#endif
