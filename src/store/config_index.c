#include "store/config_index.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

/* The slot of a key, or the empty one where it belongs. Keys are hashes: any of their bits do. */
static struct config_slot *slot_of(const struct config_index *index, struct hash key)
{
    size_t at = (size_t)key.low & (index->n_slots - 1);

    while (index->slots[at].config_id && !hash_equal(index->slots[at].key, key))
        at = (at + 1) & (index->n_slots - 1);
    return &index->slots[at];
}

static int grow(struct config_index *index, struct err *err)
{
    struct config_index grown = {.n_slots = index->n_slots ? 2 * index->n_slots : FIRST_SLOTS,
                                 .n = index->n};

    grown.slots = calloc(grown.n_slots, sizeof *grown.slots);
    if (!grown.slots)
        return err_nomem(err, "configurations", grown.n_slots * sizeof *grown.slots);
    for (size_t i = 0; i < index->n_slots; i++)
        if (index->slots[i].config_id)
            *slot_of(&grown, index->slots[i].key) = index->slots[i];
    free(index->slots);
    *index = grown;
    return 0;
}

static int add(struct config_index *index, struct store *store, sqlite3_stmt *row, struct err *err)
{
    struct config_slot slot = {.config_id = sqlite3_column_int64(row, 0)};
    const char *key = (const char *)sqlite3_column_text(row, 1);

    if (slot.config_id <= 0)
        return err_set(err,
                       "%s: a configuration has the number %lld: must be above 0; the file is "
                       "damaged, or another program changed it",
                       store->path, (long long)slot.config_id);
    if (!key || hash_parse(&slot.key, key))
        return err_set(err,
                       "%s: configuration %lld has the key '%s': must be 32 hexadecimal digits",
                       store->path, (long long)slot.config_id, key ? key : "");
    if (2 * (index->n + 1) > index->n_slots && grow(index, err))
        return -1;
    *slot_of(index, slot.key) = slot;
    index->n++;
    return 0;
}

int config_index_read(struct config_index *index, struct store *store, int64_t sweep_id,
                      struct err *err)
{
    sqlite3_stmt *row = db_bind(store, STATEMENT_CONFIGS_OF, err, "i", sweep_id);
    int rc = row ? 1 : -1;

    while (rc == 1 && (rc = db_step(store, row, err)) == 1)
        if (add(index, store, row, err)) {
            sqlite3_reset(row);
            rc = -1;
        }
    return rc;
}

void config_index_release(struct config_index *index)
{
    free(index->slots);
    *index = (struct config_index){0};
}

int64_t config_index_find(const struct config_index *index, struct hash key)
{
    return index->n_slots ? slot_of(index, key)->config_id : 0;
}
