/* SPDX-License-Identifier: BSD-3-Clause */
/* The job array of this process (Slurm, LSF), and the database of a shard. */
#ifndef LAUNCH_JOB_ARRAY_H
#define LAUNCH_JOB_ARRAY_H

#include "base/buf.h"
#include "grid/shard.h"

/* This element's part of the sweep, by its place in the array of the environment. Returns 1 in an array; 0 and the
 * whole sweep elsewhere; -1 and err if the array has gaps or the variables are invalid. LSF does
 * not report the first index: it is assumed to be the smallest that the step allows. */
int job_array_shard(struct shard *shard, struct err *err);

/* "NAME.KofN.db" for "NAME.db". Unchanged if db is already that, or for the whole sweep. */
void job_array_database(struct buf *out, const char *db, const struct shard *shard);

/* False if the name has no shard. */
bool job_array_database_shard(struct shard *shard, const char *db);

/* The meaning of --shard and --db together. */
struct job_array_share {
    struct shard shard;
    struct buf db;    /* this shard's database */
    struct buf merge; /* "NAME.db NAME.*ofN.db", arguments of `merge` */
    const char *base; /* --db; borrowed */
    bool is_alone;
};

/* option: K/N, auto, or NULL for the whole sweep. */
int job_array_share_open(struct job_array_share *share, const char *option, const char *db,
                         struct err *err);
void job_array_share_release(struct job_array_share *share);

#endif
