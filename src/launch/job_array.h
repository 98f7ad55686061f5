/* SPDX-License-Identifier: BSD-3-Clause */
/* The job array that this process is an element of, as Slurm and LSF put it into the environment,
 * and the database of a shard. */
#ifndef LAUNCH_JOB_ARRAY_H
#define LAUNCH_JOB_ARRAY_H

#include "base/buf.h"
#include "grid/shard.h"

/* Values as they stand there; NULL: not set. */
struct job_array_environment {
    const char *slurm_id, *slurm_min, *slurm_max, *slurm_step, *slurm_count;
    const char *lsf_index, *lsf_end, *lsf_step; /* index 0: not an array */
};

struct job_array_environment job_array_environment(void);

/* The part of the sweep that is this element's: 1 + its place in the array, of as many as the array
 * has elements. 0 and the whole sweep where there is no array, 1 where there is one; -1 and err:
 * the array has gaps (then elements have no place), or the variables make no sense.
 * LSF does not tell the first index: it is taken to be the smallest that the step allows. */
int job_array_shard(struct shard *shard, const struct job_array_environment *environment,
                    struct err *err);

/* "NAME.KofN.db" for "NAME.db" (any extension); the same where that is what it is called already,
 * or the shard is the whole. */
void job_array_database(struct buf *out, const char *db, const struct shard *shard);

/* Which shard the name of a database says it is of; false where it says none. */
bool job_array_database_shard(struct shard *shard, const char *db);

/* Refuse to cut a sweep anew: -1 and err where beside db (the name before job_array_database()) lie
 * databases of another number of shards. One element that is submitted by itself would otherwise
 * take itself for an array of one, and run everything again. */
int job_array_check_beside(const char *db, const struct shard *shard, struct err *err);

/* What --shard and --db mean together. */
struct job_array_share {
    struct shard shard;
    struct buf db;    /* owned; of this shard */
    struct buf merge; /* owned; "NAME.db NAME.*ofN.db": what joins the shards */
    const char *base; /* --db as given; borrowed */
    bool is_alone;    /* auto, but not in an array */
};

/* option: K/N, auto, or NULL for the whole sweep. -1 and err: what the functions above refuse, or
 * memory is short. Release takes a zeroed one. */
int job_array_share_open(struct job_array_share *share, const char *option, const char *db,
                         struct err *err);
void job_array_share_release(struct job_array_share *share);

#endif
