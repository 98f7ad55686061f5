/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries of kept models and of stored predictions. Rows of QUERY_TABLE
 * (store/query/query.h). */
#ifndef STORE_QUERY_MODEL_QUERIES_H
#define STORE_QUERY_MODEL_QUERIES_H

#include "store/sql.h"

/* clang-format off */
#define QUERY_MODEL_TABLE(X) \
    X(CONFIG_MODELS, \
      "trial:i", \
      "SELECT trial_id AS trial, length(safetensors) AS bytes FROM trial JOIN model" \
      " USING (trial_id) WHERE config_id = ?1 ORDER BY trial_id") \
    X(CONFIG_KEPT, /* of a configuration: done trials, and those with a model; has_stop: a stop \
                      part chose the epoch */ \
      "trials:n models:n epoch:n has_stop:i", \
      "SELECT count(*) AS trials, sum(EXISTS (SELECT 1 FROM model AS m" \
      " WHERE m.trial_id = trial.trial_id)) AS models, coalesce(max(best_epoch), 0) AS epoch," \
      " EXISTS (SELECT 1 FROM trial AS t JOIN metric USING (trial_id) WHERE t.config_id = ?1" \
      " AND split = 'stop') AS has_stop FROM trial WHERE config_id = ?1 AND state = 'done'" \
      " GROUP BY config_id") \
    X(TRIAL_MODEL, "", \
      "SELECT length(safetensors) AS bytes FROM model WHERE trial_id = ?1") \
    X(MODELS_MISSING, /* of a sweep: done trials without a model, of the best configuration and \
                         of the choice of --rule 1se */ \
      "trial:i config:i value:R is_best:i", \
      "WITH " SQL_CHOSEN "SELECT trial_id AS trial, config_id AS config, value, is_best" \
      " FROM chosen JOIN trial ON config_id = config" \
      " WHERE state = 'done' AND trial_id NOT IN (SELECT trial_id FROM model)" \
      " ORDER BY is_best DESC, trial_id") \
    X(PREDICTABLE, /* of a sweep: trials with a model, of the same configurations; epoch_s: seconds \
                      of an epoch */ \
      "trial:i config:i epoch_s:R is_stored:i", \
      "WITH " SQL_CHOSEN "SELECT trial_id AS trial, config_id AS config," \
      " trial.seconds / max(epochs_run, 1) AS epoch_s, EXISTS (SELECT 1 FROM prediction AS p" \
      " WHERE p.trial_id = trial.trial_id) AS is_stored FROM chosen JOIN trial ON config_id = config" \
      " WHERE state = 'done' AND EXISTS (SELECT 1 FROM model WHERE model.trial_id = trial.trial_id)" \
      " ORDER BY is_best DESC, trial_id") \
    X(WITH_MODELS, /* of a sweep */ \
      "trial:i", \
      "SELECT trial_id AS trial FROM config JOIN trial USING (config_id) JOIN model" \
      " USING (trial_id) WHERE sweep_id = ?1 ORDER BY trial_id") \
    X(PREDICTIONS, /* of a configuration: out-of-fold; numbers, or names of classes with a JSON \
                      object of probabilities or of scores. place: of the group among all of them, \
                      from 1; 0 without one */ \
      "trial:i replicate:n fold:n sample:n id:s sample_group:S place:n probabilities:S scores:S", \
      "SELECT trial_id AS trial, replicate, fold, sample, id, sample_group," \
      " iif(sample_group IS NULL, 0, dense_rank() OVER (PARTITION BY sample_group IS NULL" \
      " ORDER BY sample_group)) AS place, observed," \
      " prediction.predicted, probabilities, scores FROM trial JOIN prediction USING (trial_id)" \
      " WHERE config_id = ?1 ORDER BY trial_id, sample") \
    X(CLASS_SCORES, /* of a configuration: probabilities or scores of its predictions */ \
      "trial:i sample:i class:s", \
      "SELECT trial_id AS trial, sample, c.key AS class, c.value AS score FROM trial" \
      " JOIN prediction USING (trial_id), json_each(iif(json_valid(coalesce(probabilities, scores))," \
      " coalesce(probabilities, scores), '{}')) AS c" \
      " WHERE config_id = ?1 ORDER BY trial_id, sample, c.id")
/* clang-format on */

#endif
