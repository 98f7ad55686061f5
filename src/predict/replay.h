/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials of a database, run again from what it holds: the sweep file of their sweep, the data that
 * this names, and the settings of their configuration. */
#ifndef PREDICT_REPLAY_H
#define PREDICT_REPLAY_H

#include "base/text_list.h"
#include "data/core/dataset.h"
#include "grid/plan.h"
#include "store/store.h"
#include "trial/model_runner.h"

struct replay {
    const char *db;              /* path, for messages; borrowed, like the next two */
    struct store *store;         /* open for reading */
    const struct text_list *set; /* overrides, say of a path; may be empty */
    int64_t sweep_id;            /* whose data are there; 0: none */
    struct dataset data;
    struct prepared *prepared;
    int64_t config_id; /* whose plan is there; 0: none */
    struct sweep sweep;
    struct plan plan; /* of this configuration alone */
    bool is_before; /* the trial was computed by an earlier revision of its type of model: its kept
                       model is as good as any, and training it again gives other numbers */
    struct model_runner *runner;
};

/* A trial as the database has it. */
struct replay_trial {
    int64_t trial_id, config_id, sweep_id;
    int32_t replicate, fold;
    enum trial_state state;
    double value; /* NaN where there is none */
    int32_t epochs_run, best_epoch;
    char key[HASH_HEX_SIZE];
    char digest[HASH_HEX_SIZE]; /* of the data it was trained on */
    char sweep[256];            /* name */
    char objective[32];
};

/* -1 and err: no such trial. */
int replay_find(struct replay_trial *trial, struct store *store, int64_t trial_id, struct err *err);

/* Make plan, data, prepared and runner those of a trial, reading data where they are of another
 * sweep; number: the trial's in the plan. -1 and err: the data cannot be read or are others than
 * the sweep's, or the settings give another key than the one stored. */
int replay_prepare(struct replay *replay, const struct replay_trial *trial, int64_t *number,
                   struct err *err);

/* The same without the data, whose task is known: there is a plan of the trial's configuration and
 * nothing to run. -1 and err as above. */
int replay_prepare_alone(struct replay *replay, const struct replay_trial *trial, enum task task,
                         struct err *err);

/* The settings of what was prepared, resolved. */
void replay_settings(const struct replay *replay, struct settings *out);

/* Run what was prepared. result: trial_result_release() it. */
void replay_run(struct trial_result *result, struct replay *replay, int64_t number);

/* Takes one that is zero but for db, store and set. */
void replay_release(struct replay *replay);

#endif
