/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/exit_status.h"
#include "base/leftover.h"
#include "base/log.h"
#include "base/outfile.h"
#include "launch/child_run.h"
#include "launch/stop.h"
#include "run/scale_study.h"
#include "sched/cost_formula.h"
#include "store/query/query.h"

enum { PATH_SIZE = 4096 };

struct place {
    char file[PATH_SIZE], db[PATH_SIZE], messages[PATH_SIZE];
};

/* The last line that the run printed, without the name of the program. */
static void read_reason(char *out, size_t size, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[1024];

    snprintf(out, size, "no message");
    while (file && fgets(line, sizeof line, file)) {
        const char *text = strncmp(line, "espalier: ", 10) ? line : line + 10;

        if (*text != '\n')
            snprintf(out, size, "%.*s", (int)strcspn(text, "\n"), text);
    }
    if (file)
        fclose(file);
}

static int fail_run(const struct scale_point *point, int status, const struct place *place,
                    struct err *err)
{
    char reason[1024];

    read_reason(reason, sizeof reason, place->messages);
    return err_set(err, "threads = %d, ranks = %d: the run ended with status %d: %s",
                   point->threads, point->ranks, status, reason);
}

/* trials: of the only configuration. The first one does not count. */
static int take_times(struct scale_point *point, const struct scale_study *study,
                      const struct result_table *trials, struct err *err)
{
    double *seconds = calloc((size_t)study->n_trials, sizeof *seconds);
    int rc = seconds ? 0 : err_nomem(err, "times", (size_t)study->n_trials * sizeof *seconds);

    for (int64_t i = 0; !rc && i < trials->n_rows && i < study->n_trials; i++) {
        const char *state = result_table_text(trials, i, "state");

        seconds[i] = result_table_real(trials, i, "seconds");
        if (strcmp(state, "done") != 0)
            rc = err_set(err,
                         "threads = %d, ranks = %d: a trial of the configuration %s, so its time "
                         "says nothing: choose another configuration with --where or --set",
                         point->threads, point->ranks, state);
    }
    if (!rc)
        scale_take(point, seconds + 1, study->n_trials - 1);
    free(seconds);
    return rc;
}

/* In the only session. A trial on one rank has no counters of a gang. */
static int read_communication(struct scale_point *point, struct store *store, struct err *err)
{
    static const char *const parts[] = {"sum", "share", "agree", "members"};
    double trials_s = 0, percent_s = 0;
    struct result_table ranks;

    if (query_table(&ranks, store, QUERY_PROFILE_GANGS, 1, err))
        return -1;
    for (int64_t r = 0; r < ranks.n_rows; r++) {
        double rank_s = result_table_real(&ranks, r, "trials_s");

        trials_s += rank_s;
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            percent_s += rank_s * result_table_real(&ranks, r, parts[i]);
    }
    point->communication = trials_s > 0 ? percent_s / trials_s / 100 : 0;
    result_table_release(&ranks);
    return 0;
}

static int read_times(struct scale_point *point, const struct scale_study *study, const char *db,
                      struct err *err)
{
    struct result_table trials = {0};
    struct store *store = NULL;
    int rc = store_open_reader(&store, db, err) ||
                     query_table(&trials, store, QUERY_CONFIG_TRIALS, 1, err)
                 ? -1
                 : 0;

    if (!rc && trials.n_rows != study->n_trials)
        rc = err_set(err, "%s: %lld trials instead of %d", db, (long long)trials.n_rows,
                     study->n_trials);
    if (!rc)
        rc = take_times(point, study, &trials, err);
    if (!rc)
        rc = read_communication(point, store, err);
    result_table_release(&trials);
    store_close(store);
    return rc;
}

static int measure(struct scale_point *point, const struct scale_study *study, int64_t epochs,
                   const struct place *place, struct err *err)
{
    char n[16], threads[32], ranks[32], train[48];
    int status = 0;

    snprintf(n, sizeof n, "%d", point->ranks);
    snprintf(threads, sizeof threads, "resources.threads=%d", point->threads);
    snprintf(ranks, sizeof ranks, "resources.ranks=%d", point->ranks);
    snprintf(train, sizeof train, "train.epochs=%lld", (long long)epochs);
    remove(place->db);
    if (child_run(&status,
                  (const char *const[]){CHILD_SELF, "run", place->file, "--ranks", n, "--db",
                                        place->db, "--progress", "none", "--grace", "0s", "--set",
                                        threads, "--set", ranks, epochs ? "--set" : NULL, train,
                                        NULL},
                  place->messages, place->messages, err))
        return -1;
    if (stop_signal)
        return 0;
    if (status != EXIT_OK)
        return fail_run(point, status, place, err);
    return read_times(point, study, place->db, err);
}

static int measure_epochs(struct scale_short *trial, const struct scale_study *study,
                          const struct place *place, struct err *err)
{
    struct scale_point point = {.threads = 1, .ranks = 1};
    int rc = measure(&point, study, trial->epochs, place, err);

    trial->seconds = point.seconds;
    return rc;
}

/* By runs of few and of more epochs. */
static int choose_epochs(struct scale_study *study, const struct place *place, struct err *err)
{
    struct scale_short few = {.epochs = scale_few_epochs(study)}, more = few;

    if (study->epochs || !study->all_epochs)
        return 0;
    if (measure_epochs(&few, study, place, err))
        return -1;
    more.epochs = scale_more_epochs(study, &few);
    if (stop_signal || more.epochs == few.epochs)
        more = few;
    else if (measure_epochs(&more, study, place, err))
        return -1;
    study->epochs = scale_epochs(study, &few, &more);
    return 0;
}

static char *make_folder(struct err *err)
{
    const char *below = getenv("TMPDIR");
    char path[PATH_SIZE], *name;

    snprintf(path, sizeof path, "%s/scale", below && *below ? below : "/tmp");
    name = leftover_name(path);
    if (!name) {
        err_nomem(err, "the name of a folder", 0);
        return NULL;
    }
    if (!mkdir(name, 0700))
        return name;
    err_set(err, "%s: %s; set TMPDIR to a folder that you can write to", name, strerror(errno));
    leftover_forget(name);
    return NULL;
}

static int measure_all(struct scale_study *study, const char *folder, struct err *err)
{
    struct place place;
    int rc;

    snprintf(place.file, sizeof place.file, "%s/scale.ini", folder);
    snprintf(place.db, sizeof place.db, "%s/scale.db", folder);
    snprintf(place.messages, sizeof place.messages, "%s/messages", folder);
    rc = outfile_save(place.file, OUTFILE_NEW, study->file.data, study->file.size, err) ||
                 choose_epochs(study, &place, err)
             ? -1
             : 0;
    for (int32_t i = 0; !rc && !stop_signal && i < study->n_points; i++) {
        struct scale_point *p = &study->points[i];

        rc = measure(p, study, study->epochs, &place, err);
        if (!rc && !stop_signal)
            log_info("threads = %d, ranks = %d: %.4g s a trial", p->threads, p->ranks, p->seconds);
    }
    return rc;
}

int scale_measure(struct scale_study *study, bool *is_stopped, struct err *err)
{
    char *folder = make_folder(err);
    int rc = folder ? measure_all(study, folder, err) : -1;

    *is_stopped = stop_signal != 0;
    leftover_remove(folder);
    return rc;
}
