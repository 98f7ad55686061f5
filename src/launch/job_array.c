/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch/job_array.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

#define MOST 1000000000

/* missing: the number of a variable that is not set; negative: an error. */
static int number(long *out, const char *name, long least, long missing, struct err *err)
{
    const char *text = getenv(name);
    char *end;

    *out = missing;
    if (!text && missing >= 0)
        return 0;
    if (!text)
        return err_set(err,
                       "--shard auto: this is an element of a job array, but %s is not set: give "
                       "--shard K/N",
                       name);
    errno = 0;
    *out = strtol(text, &end, 10);
    if (errno || end == text || *end || *out < least || *out > MOST)
        return err_set(err, "--shard auto: %s = '%s': must be an integer in [%ld, %d]", name, text,
                       least, MOST);
    return 0;
}

static int place(struct shard *shard, long index, long first, long last, long step, struct err *err)
{
    long n = (last - first) / step + 1;

    if (last < first || index < first || index > last || (index - first) % step)
        return err_set(err,
                       "--shard auto: index %ld is not one of %ld, %ld ... %ld: give --shard K/N",
                       index, first, first + step, last);
    if (n > SHARD_MAX)
        return err_set(err, "--shard auto: an array of %ld elements: must be at most %d", n,
                       SHARD_MAX);
    *shard = (struct shard){(int32_t)((index - first) / step + 1), (int32_t)n};
    return 1;
}

static int slurm_shard(struct shard *shard, struct err *err)
{
    long id, min, max, step, count;

    if (number(&id, "SLURM_ARRAY_TASK_ID", 0, -1, err) ||
        number(&min, "SLURM_ARRAY_TASK_MIN", 0, -1, err) ||
        number(&max, "SLURM_ARRAY_TASK_MAX", 0, -1, err) ||
        number(&step, "SLURM_ARRAY_TASK_STEP", 1, 1, err) ||
        number(&count, "SLURM_ARRAY_TASK_COUNT", 1, -1, err))
        return -1;
    if (max < min || count != (max - min) / step + 1)
        return err_set(err,
                       "--shard auto: the job array has gaps: %ld elements do not fill %ld to %ld "
                       "in steps of %ld: use --array=1-%ld; to run elements of a complete array of "
                       "N again, give --shard K/N (--shard $SLURM_ARRAY_TASK_ID/N if its indexes "
                       "began with 1)",
                       count, min, max, step, count);
    return place(shard, id, min, max, step, err);
}

int job_array_shard(struct shard *shard, struct err *err)
{
    bool is_slurm = getenv("SLURM_ARRAY_TASK_ID") != NULL;
    long index, last, step;

    *shard = (struct shard){1, 1};
    if (number(&index, "LSB_JOBINDEX", 0, 0, err))
        return -1;
    if (is_slurm && index)
        return err_set(err, "--shard auto: both SLURM_ARRAY_TASK_ID and LSB_JOBINDEX are set: give "
                            "--shard K/N");
    if (is_slurm)
        return slurm_shard(shard, err);
    if (!index)
        return 0;
    if (number(&last, "LSB_JOBINDEX_END", 1, -1, err) ||
        number(&step, "LSB_JOBINDEX_STEP", 1, 1, err))
        return -1;
    return place(shard, index, (index - 1) % step + 1, last, step, err);
}

/* Offset of the extension or the end. */
static size_t stem(const char *db)
{
    const char *dot = strrchr(db, '.'), *slash = strrchr(db, '/');
    const char *name = slash ? slash + 1 : db;

    return dot && dot > name ? (size_t)(dot - db) : strlen(db);
}

/* Offset of ".KofN", or 0. */
static size_t find_shard(struct shard *shard, const char *db)
{
    size_t end = stem(db), at = end;
    int k, n, used = 0;

    while (at > 0 && db[at - 1] != '.' && db[at - 1] != '/')
        at--;
    if (at < 2 || db[at - 1] != '.' || db[at - 2] == '/' ||
        strspn(db + at, "0123456789of") != end - at ||
        sscanf(db + at, "%6dof%6d%n", &k, &n, &used) != 2 || at + (size_t)used != end || k < 1 ||
        k > n || n > SHARD_MAX)
        return 0;
    *shard = (struct shard){k, n};
    return at - 1;
}

bool job_array_database_shard(struct shard *shard, const char *db)
{
    return find_shard(shard, db) > 0;
}

void job_array_database(struct buf *out, const char *db, const struct shard *shard)
{
    struct shard named;

    buf_clear(out);
    if (shard->n == 1 || (find_shard(&named, db) && named.k == shard->k && named.n == shard->n))
        buf_puts(out, db);
    else
        buf_printf(out, "%.*s.%dof%d%s", (int)stem(db), db, shard->k, shard->n, db + stem(db));
}

/* Refuse databases of another number of shards beside db, the name before job_array_database(): an
 * element that is submitted alone would take itself for an array of one and run everything again. */
static int check_beside(const char *db, const struct shard *shard, struct err *err)
{
    size_t end = stem(db);
    struct buf pattern = {0};
    struct shard named;
    glob_t found = {0};
    int rc = 0;

    for (size_t i = 0; i < end; i++)
        buf_printf(&pattern, strchr("*?[\\", db[i]) ? "\\%c" : "%c", db[i]);
    buf_printf(&pattern, ".*of*%s", db + end);
    if (!buf_failed(&pattern) && !glob(buf_text(&pattern), 0, NULL, &found))
        for (size_t i = 0; !rc && i < found.gl_pathc; i++)
            if (find_shard(&named, found.gl_pathv[i]) == end && named.n != shard->n)
                rc = err_set(err,
                             "--shard auto: %s belongs to a sweep of %d shards, but this array has "
                             "%d element%s: to run some of these shards again, give --shard K/%d; "
                             "to split the sweep differently, give another --db",
                             found.gl_pathv[i], named.n, shard->n, shard->n == 1 ? "" : "s",
                             named.n);
    globfree(&found);
    buf_release(&pattern);
    return rc;
}

/* db may already be the name of a shard. */
static void put_merge(struct buf *out, const char *db, int32_t n)
{
    size_t end = stem(db), base;
    struct buf whole = {0}, word = {0};
    struct shard named;

    base = find_shard(&named, db);
    if (!base)
        base = end;
    buf_printf(&whole, "%.*s%s", (int)base, db, db + end);
    buf_puts(out, escape_shell(&word, buf_text(&whole)));
    buf_clear(&whole);
    buf_printf(&whole, "%.*s", (int)base, db);
    buf_printf(out, " %s.*of%d", escape_shell(&word, buf_text(&whole)), n);
    if (db[end])
        buf_puts(out, escape_shell(&word, db + end));
    buf_release(&whole);
    buf_release(&word);
}

int job_array_share_open(struct job_array_share *share, const char *option, const char *db,
                         struct err *err)
{
    share->base = db;
    share->shard = (struct shard){1, 1};
    if (option && strcmp(option, "auto") != 0) {
        if (shard_parse(&share->shard, option, err))
            return err_wrap(err, "--shard");
    } else if (option) {
        int rc = job_array_shard(&share->shard, err);

        share->is_alone = rc == 0;
        if (rc < 0 || (rc == 1 && check_beside(db, &share->shard, err)))
            return -1;
    }
    job_array_database(&share->db, db, &share->shard);
    put_merge(&share->merge, db, share->shard.n);
    if (buf_failed(&share->db) || buf_failed(&share->merge))
        return err_nomem(err, "name of the database", strlen(db));
    return 0;
}

void job_array_share_release(struct job_array_share *share)
{
    buf_release(&share->db);
    buf_release(&share->merge);
}
