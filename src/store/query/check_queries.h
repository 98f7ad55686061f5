/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries that check rows of tables that no trial repeats. Each row has its place in the table, and
 * its first fault, "rank = -3: must be a rank of the session", or NULL. Rows of QUERY_TABLE
 * (store/query/query.h). */
#ifndef STORE_QUERY_CHECK_QUERIES_H
#define STORE_QUERY_CHECK_QUERIES_H

/* A branch of CASE: the fault if the condition is false or NULL. */
#define SQL_UNLESS(condition, column, wanted)                                               \
    " WHEN (" condition ") IS NOT TRUE THEN '" column " = ' || coalesce(iif(typeof(" column \
    ") = 'text', quote(substr(" column ", 1, 40)), CAST(" column " AS TEXT)), "             \
    "'NULL') || ': must be " wanted "'"

/* More than any run counts: 30 years, and a petabyte. Sums over the ranks stay exact enough. */
#define SQL_COUNTED(column) SQL_UNLESS(column " BETWEEN 0 AND 1e15", column, "from 0 to 1e15")

/* An outcome of a sample in a column. */
#define SQL_OUTCOME(column)                                                               \
    SQL_UNLESS("task <> 'classification' OR typeof(" column ") = 'text'", column,         \
               "the name of a class")                                                     \
    SQL_UNLESS("task = 'classification' OR (typeof(" column ") <> 'text' AND abs(" column \
               " + 0.0) < 9e999)",                                                        \
               column, "a number")

/* True for NULL, and for a JSON object of numbers whose members satisfy a condition on j.value. */
#define SQL_OBJECT(column, member, whole)                                  \
    column " IS NULL OR (SELECT count(*) > 0 AND count(*) = count(j.key)"  \
           " FILTER (WHERE j.type IN ('integer', 'real')" member ")" whole \
           " FROM json_each(iif(json_valid(" column "), " column ", '{}')) AS j)"

#define SQL_OF_TRIAL SQL_UNLESS("state IS NOT NULL", "trial", "a trial of this file")
#define SQL_OF_DONE(what) SQL_UNLESS("state = 'done'", "state", "done, as of each trial with " what)

/* clang-format off */
#define QUERY_CHECK_TABLE(X) \
    X(CHECK_PREDICTION, "place:s fault:S", \
      "SELECT 't' || trial || ', sample ' || sample AS place, CASE" SQL_OF_DONE("predictions") \
      SQL_UNLESS("sample BETWEEN 0 AND samples - 1", "sample", "a sample of the sweep") \
      SQL_OUTCOME("observed") SQL_OUTCOME("predicted") \
      SQL_UNLESS(SQL_OBJECT("probabilities", " AND j.value BETWEEN 0 AND 1", \
                            " AND abs(total(j.value) - 1) < 0.01"), \
                 "probabilities", "a JSON object of numbers from 0 to 1 with the sum 1") \
      SQL_UNLESS(SQL_OBJECT("scores", "", ""), "scores", "a JSON object of numbers") \
      " END AS fault FROM (SELECT trial_id AS trial, sample, observed, prediction.predicted," \
      " probabilities, scores, state, task, samples FROM prediction LEFT JOIN trial USING (trial_id)" \
      " LEFT JOIN config USING (config_id) LEFT JOIN sweep USING (sweep_id) ORDER BY trial_id, sample)") \
    X(CHECK_TRAFFIC, /* of a session; 0: of all */ "place:s fault:S", \
      "SELECT 'session ' || session || ', rank ' || rank AS place, CASE" \
      SQL_UNLESS("ranks IS NOT NULL", "session", "a session of this file") \
      SQL_UNLESS("rank BETWEEN 0 AND ranks - 1", "rank", "a rank of the session") \
      SQL_UNLESS("is_traffic(activity, -1)", "activity", "an activity") \
      SQL_UNLESS("size >= 0 AND is_traffic(activity, size)", "size", "a size of this activity") \
      SQL_COUNTED("calls") SQL_COUNTED("bytes") \
      SQL_UNLESS("seconds BETWEEN 0 AND 1e9", "seconds", "from 0 to 1e9") " END AS fault FROM" \
      " (SELECT t.session_id AS session, rank, activity, size, calls, bytes, seconds, s.ranks" \
      " FROM traffic AS t LEFT JOIN session AS s USING (session_id)" \
      " WHERE t.session_id BETWEEN iif(?1, ?1, -9e18) AND iif(?1, ?1, 9e18))") \
    X(CHECK_FACT, /* next: facts before it in its topic */ "place:s fault:S", \
      "SELECT 'sweep ' || sweep || ', topic ' || substr(topic, 1, 40) || ', fact ' || ordinal AS place, CASE" \
      SQL_UNLESS("is_known", "sweep", "a sweep of this file") \
      SQL_UNLESS("ordinal = next", "ordinal", "the number after that of the fact before it") \
      SQL_UNLESS("typeof(value) <> 'real' OR abs(value) < 9e999", "value", "finite") \
      SQL_UNLESS("topic NOT IN ('class', 'group', 'target_bin', 'degree', 'part', 'marker'," \
                 " 'duplicate') OR (typeof(value) = 'integer' AND value >= 0)", \
                 "value", "a number of samples, nodes or markers") " END AS fault FROM" \
      " (SELECT f.sweep_id AS sweep, topic, ordinal, value, row_number()" \
      " OVER (PARTITION BY f.sweep_id, topic ORDER BY ordinal) - 1 AS next," \
      " sweep.sweep_id IS NOT NULL AS is_known FROM data_fact AS f LEFT JOIN sweep USING (sweep_id)" \
      " ORDER BY f.sweep_id, topic, ordinal)") \
    X(CHECK_LOG, "place:s fault:S", \
      "SELECT 't' || trial AS place, CASE" SQL_OF_TRIAL \
      SQL_UNLESS("kept <= 65536", "kept", "from 0 to 65536 bytes") \
      SQL_UNLESS("bytes >= kept", "bytes", "at least the bytes that are kept") " END AS fault FROM" \
      " (SELECT trial_id AS trial, bytes, length(tail) AS kept, state FROM log" \
      " LEFT JOIN trial USING (trial_id) ORDER BY trial_id)") \
    X(CHECK_FILE, "place:s fault:S", \
      "SELECT 't' || trial AS place, CASE" SQL_OF_DONE("kept files") \
      SQL_UNLESS("is_file_name(name)", "name", "the name of a file in the folder of the trial") \
      SQL_UNLESS("bytes >= 0", "bytes", "at least 0") " END AS fault FROM" \
      " (SELECT trial_id AS trial, name, bytes, state FROM file LEFT JOIN trial USING (trial_id)" \
      " ORDER BY trial_id, name)") \
    X(CHECK_CURVE_METRIC, "place:s fault:S", \
      "SELECT 't' || trial || ', epoch ' || epoch AS place, CASE" SQL_OF_TRIAL \
      SQL_UNLESS("has_epoch", "epoch", "an epoch of the curve") \
      SQL_UNLESS("length(CAST(name AS BLOB)) BETWEEN 1 AND 63", "name", "of 1 to 63 bytes") \
      " END AS fault FROM (SELECT m.trial_id AS trial, epoch, name, state," \
      " curve.epoch IS NOT NULL AS has_epoch FROM curve_metric AS m LEFT JOIN trial USING (trial_id)" \
      " LEFT JOIN curve USING (trial_id, epoch) ORDER BY m.trial_id, epoch, name)") \
    X(CHECK_MEMBER, /* leader: the rank that the attempt names */ "place:s fault:S", \
      "SELECT 'attempt ' || attempt || ', rank ' || rank AS place, CASE" \
      SQL_UNLESS("leader IS NOT NULL", "attempt", "an attempt of this file") \
      SQL_UNLESS("rank BETWEEN 0 AND ranks - 1", "rank", "a rank of the session") \
      SQL_UNLESS("is_led", "leader", "a member of the attempt, too") " END AS fault FROM" \
      " (SELECT m.attempt_id AS attempt, m.rank, a.rank AS leader, EXISTS (SELECT 1 FROM member AS o" \
      " WHERE o.attempt_id = m.attempt_id AND o.rank = a.rank) AS is_led," \
      " coalesce(s.ranks, 2147483647) AS ranks FROM member AS m LEFT JOIN attempt AS a" \
      " USING (attempt_id) LEFT JOIN session AS s USING (session_id) ORDER BY m.attempt_id, m.rank)")
/* clang-format on */

#endif
