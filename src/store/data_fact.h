/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes facts about the data of a sweep, so that reports need no data files. */
#ifndef STORE_DATA_FACT_H
#define STORE_DATA_FACT_H

#include "store/result_table.h"
#include "store/store.h"

struct data_facts {
    struct store *store;
    int64_t sweep_id;
    const char *topic; /* of the last fact, borrowed */
    int32_t ordinal;   /* of the last fact in its topic */
};

/* Find a registered sweep. */
int data_facts_begin(struct data_facts *facts, struct store *store, const char *sweep,
                     struct err *err);

/* Drop the facts of earlier runs. Part of the transaction, like data_facts_put(). */
int data_facts_drop(struct data_facts *facts, struct err *err);

/* Add a fact; those of a topic follow one another. topic: a word of letters and '_', borrowed until
 * the next call. */
int data_facts_put(struct data_facts *facts, const char *topic, const char *name,
                   const struct cell *value, struct err *err);

#endif
