/* The configurations of a sweep in the database, by their keys: read once, so that a plan of many
 * configurations is looked up in memory. Internal to src/store. */
#ifndef STORE_CONFIG_INDEX_H
#define STORE_CONFIG_INDEX_H

#include "store/db.h"

struct config_slot {
    struct hash key;
    int64_t config_id; /* 0: the slot is empty */
};

/* A hash table with open addressing, at most half full. */
struct config_index {
    struct config_slot *slots; /* [n_slots] owned */
    size_t n_slots;            /* 0 or a power of two */
    size_t n;
};

/* Read those of a sweep. Pair with config_index_release(), which takes a zeroed one. -1 and err:
 * the database cannot be read, a key is none, memory is short. */
int config_index_read(struct config_index *index, struct store *store, int64_t sweep_id,
                      struct err *err);
void config_index_release(struct config_index *index);

/* 0: no configuration of the sweep has this key. */
int64_t config_index_find(const struct config_index *index, struct hash key);

#endif
