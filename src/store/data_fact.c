/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/data_fact.h"

#include <string.h>

#include "base/fault.h"
#include "store/db.h"

int data_facts_begin(struct data_facts *facts, struct store *store, const char *sweep,
                     struct err *err)
{
    *facts = (struct data_facts){.store = store, .topic = ""};
    return db_ask(&facts->sweep_id, store, STATEMENT_SWEEP_FIND, err, "s", sweep);
}

int data_facts_drop(struct data_facts *facts, struct err *err)
{
    if (db_begin(facts->store, err) ||
        db_do(facts->store, STATEMENT_FACTS_DELETE, err, "i", facts->sweep_id))
        return -1;
    FAULT("store: facts about the data were dropped");
    return 0;
}

int data_facts_put(struct data_facts *facts, const char *topic, const char *name,
                   const struct cell *value, struct err *err)
{
    facts->ordinal = strcmp(facts->topic, topic) ? 0 : facts->ordinal + 1;
    facts->topic = topic;
    return db_do(facts->store, STATEMENT_FACT_INSERT, err, "isnsc", facts->sweep_id, topic,
                 (int)facts->ordinal, name, value);
}
