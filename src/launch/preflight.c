/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch/preflight.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "data/format.h"
#include "data/text/file_names.h"
#include "launch/environment.h"
#include "store/database_file.h"

static int32_t most_of(const struct sweep *sweep, enum param_id id)
{
    int32_t n;
    const union value *values = sweep_values(sweep, id, &n);
    int64_t most = values->i;

    for (int32_t i = 1; i < n; i++)
        most = values[i].i > most ? values[i].i : most;
    return (int32_t)most;
}

int32_t preflight_threads(const struct sweep *sweep)
{
    return most_of(sweep, P_THREADS);
}

struct gpu_wish preflight_gpus(const struct sweep *sweep)
{
    const union value *fixed = sweep->fixed.v;

    return (struct gpu_wish){.gpus = sweep_is_program(sweep) ? fixed[P_GPUS].f : 0,
                             .per_host = (int32_t)fixed[P_GPUS_PER_HOST].i,
                             .ranks = most_of(sweep, P_RANKS)};
}

static double size_of(const char *path)
{
    struct stat st;

    return *path && !stat(path, &st) ? (double)st.st_size : 0;
}

void preflight_job(struct checks_job *job, const struct sweep *sweep, const char *db)
{
    const union value *fixed;
    const char *path;

    *job = (struct checks_job){.threads = 1, .db = db};
    job->is_network = strcmp(database_file_journal_mode(db, &job->filesystem), "wal") != 0;
    if (!sweep)
        return;
    fixed = sweep->fixed.v;
    path = fixed[P_GENOTYPES].s;
    job->threads = preflight_threads(sweep);
    /* A lower bound of the features' memory. A genotype is a byte, in text a digit and a comma, in a .bed
     * file two bits; another number is four bytes, in text up to some twenty. Packed files count with
     * their size on disk. */
    job->share_bytes = data_format_at(fixed[P_FORMAT].i)->is_simulated
                           ? (double)fixed[P_SAMPLES].i * (double)fixed[P_MARKERS].i
                           : size_of(path) * (file_names_end_in(path, ".bed") ? 4 : 0.5) +
                                 size_of(fixed[P_FEATURES].s) / 8;
}

bool preflight_is_on(void)
{
    const char *checks = getenv(LAUNCH_CHECKS);

    return !checks || strcmp(checks, "off") != 0;
}
