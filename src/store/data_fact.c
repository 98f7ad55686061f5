/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/data_fact.h"

#include <string.h>

#include "base/fault.h"
#include "store/db.h"

int data_facts_begin(struct data_facts *facts, struct store *store, const char *sweep,
                     struct err *err)
{
    sqlite3_stmt *row = db_bind(store, STATEMENT_SWEEP_FIND, err, "s", sweep);

    *facts = (struct data_facts){.store = store};
    return db_integer(store, row, 0, &facts->sweep_id, err) || db_begin(store, err) ? -1 : 0;
}

static void end_topic(struct data_facts *facts)
{
    if (facts->topic.size)
        buf_printf(&facts->counts, "%s\"%s\":%d", facts->counts.size ? "," : "",
                   buf_text(&facts->topic), facts->ordinal);
    buf_clear(&facts->topic);
    facts->ordinal = 0;
}

int data_facts_put(struct data_facts *facts, const char *topic, const char *name,
                   const struct cell *value, struct err *err)
{
    static const char *const types[] = {[CELL_NULL] = "isnss",
                                        [CELL_INTEGER] = "isnsi",
                                        [CELL_REAL] = "isnsd",
                                        [CELL_TEXT] = "isnss"};
    const char *type = types[value->type];
    struct store *store = facts->store;
    sqlite3_stmt *put;

    if (strcmp(buf_text(&facts->topic), topic) != 0) {
        end_topic(facts);
        buf_puts(&facts->topic, topic);
    }
    if (value->type == CELL_INTEGER)
        put = db_bind(store, STATEMENT_FACT_PUT, err, type, facts->sweep_id, topic,
                      (int)facts->ordinal, name, value->i);
    else if (value->type == CELL_REAL)
        put = db_bind(store, STATEMENT_FACT_PUT, err, type, facts->sweep_id, topic,
                      (int)facts->ordinal, name, value->f);
    else
        put = db_bind(store, STATEMENT_FACT_PUT, err, type, facts->sweep_id, topic,
                      (int)facts->ordinal, name, value->type == CELL_TEXT ? value->s : NULL);
    facts->ordinal++;
    return db_finish(store, put, err);
}

int data_facts_end(struct data_facts *facts, struct err *err)
{
    struct buf counts = {0};
    int rc;

    end_topic(facts);
    buf_printf(&counts, "{%s}", buf_text(&facts->counts));
    if (buf_failed(&counts) || buf_failed(&facts->counts) || buf_failed(&facts->topic))
        rc = err_nomem(err, "facts", facts->counts.size);
    else
        rc = db_finish(facts->store,
                       db_bind(facts->store, STATEMENT_FACTS_TRIM, err, "is", facts->sweep_id,
                               buf_text(&counts)),
                       err);
    buf_release(&counts);
    FAULT("store: facts about the data were written");
    return rc;
}

void data_facts_release(struct data_facts *facts)
{
    buf_release(&facts->topic);
    buf_release(&facts->counts);
    *facts = (struct data_facts){0};
}
