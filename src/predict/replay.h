/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs trials again from a database: its sweep file, the data that the file names, and the settings
 * of the configuration. */
#ifndef PREDICT_REPLAY_H
#define PREDICT_REPLAY_H

#include "base/text_list.h"
#include "data/core/dataset.h"
#include "grid/plan.h"
#include "store/store.h"
#include "trial/model_runner.h"

struct replay {
    const char *db;              /* path; borrowed, like the next two */
    struct store *store;         /* open for reading */
    const struct text_list *set; /* overrides; may be empty */
    int64_t sweep_id;            /* whose data are loaded; 0: none */
    struct dataset data;
    struct prepared *prepared;
    int64_t config_id; /* that is planned; 0: none */
    struct sweep sweep;
    struct plan plan;
    struct model_runner *runner;
};

struct replay_trial {
    int64_t trial_id, config_id, sweep_id;
    int32_t replicate, fold;
    enum trial_state state;
    double value; /* NaN: none */
    int32_t epochs_run, best_epoch;
    char key[HASH_HEX_SIZE];
    char digest[HASH_HEX_SIZE]; /* of its training data */
    char sweep[256];            /* name */
    char objective[64];
};

/* -1 and err: there is no such trial. */
int replay_find(struct replay_trial *trial, struct store *store, int64_t trial_id, struct err *err);

/* Prepare plan, data, inputs and runner of a trial, and read the data if they belong to another
 * sweep. number: the trial's place in the plan. -1 and err: the data cannot be read or have
 * changed, or the settings give another key than the stored one. */
int replay_prepare(struct replay *replay, const struct replay_trial *trial, int64_t *number,
                   struct err *err);

/* The same without the data, whose task is known: nothing can be run. */
int replay_prepare_alone(struct replay *replay, const struct replay_trial *trial, enum task task,
                         struct err *err);

/* The settings of the prepared trial. */
void replay_settings(const struct replay *replay, struct settings *out);

/* Run the prepared trial. The caller releases result. */
void replay_run(struct trial_result *result, struct replay *replay, int64_t number);

/* Accepts one that is zero except for db, store and set. */
void replay_release(struct replay *replay);

#endif
