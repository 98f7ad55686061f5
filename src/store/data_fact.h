/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes facts about the data of a sweep, so that reports need no data files. */
#ifndef STORE_DATA_FACT_H
#define STORE_DATA_FACT_H

#include "store/result_table.h"
#include "store/store.h"

/* Zero after data_facts_release(). */
struct data_facts {
    struct store *store;
    int64_t sweep_id;
    struct buf topic;  /* of the last fact */
    int32_t ordinal;   /* of the next one in this topic */
    struct buf counts; /* JSON object: facts of each topic */
};

/* Begin the facts of a registered sweep. Part of the transaction, like the next two. Pair with
 * data_facts_release(), also after a failure. */
int data_facts_begin(struct data_facts *facts, struct store *store, const char *sweep,
                     struct err *err);

/* Add a fact; those of a topic follow one another. Writes nothing if the file has it already.
 * topic: a word of letters and '_'. */
int data_facts_put(struct data_facts *facts, const char *topic, const char *name,
                   const struct cell *value, struct err *err);

/* Drop facts of the sweep that were not added again. */
int data_facts_end(struct data_facts *facts, struct err *err);

void data_facts_release(struct data_facts *facts);

#endif
