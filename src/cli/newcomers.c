#include "cli/newcomers.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "data/load.h"

#define BATCH_FLOATS ((int64_t)1 << 27)
#define LEAST_BATCH 16

static int check_data(const struct dataset *data, const struct settings *settings, struct err *err)
{
    enum data_format format = (enum data_format)settings->v[P_FORMAT].i;

    if (format != DATA_GENOTYPE && format != DATA_SIMULATED)
        return err_set(err, "--genotypes: the data of the sweep are no genotypes (data.format): %s",
                       data->graph_start ? "new graphs are given with --graphs"
                                         : "samples of its own can be predicted, without it");
    if (data->n_markers < data->n_features)
        return err_set(err,
                       "--genotypes: the models take %d covariates too, which new genotypes have "
                       "not: train without data.covariates",
                       data->n_features - data->n_markers);
    return 0;
}

/* Ids of the data's samples that have a phenotype. */
static int index_known(struct names *known, const struct dataset *data, struct err *err)
{
    for (int32_t i = 0; i < data->n_samples; i++)
        if (dataset_is_labelled(data, i) && names_add(known, dataset_id(data, i), 1, err) < 0)
            return -1;
    return 0;
}

static int choose(struct newcomers *n, const struct dataset *data, bool takes_known,
                  struct err *err)
{
    const struct names *ids = recode_ids(&n->recode);
    struct names known = {0};
    int rc = takes_known ? 0 : index_known(&known, data, err);

    n->sample = malloc(((size_t)ids->n + 1) * sizeof *n->sample);
    n->id = malloc(((size_t)ids->n + 1) * sizeof *n->id);
    if (!rc && (!n->sample || !n->id))
        rc = err_nomem(err, "samples", (size_t)ids->n * sizeof *n->id);
    for (int32_t i = 0; !rc && i < ids->n; i++) {
        if (names_find(&known, ids->text[i]) >= 0) {
            n->n_known++;
            continue;
        }
        n->sample[n->n] = i;
        n->id[n->n++] = strdup(ids->text[i]);
        if (!n->id[n->n - 1])
            rc = err_nomem(err, "samples", strlen(ids->text[i]));
    }
    names_release(&known);
    return rc;
}

int newcomers_open(struct newcomers *n, const struct dataset *data, const struct settings *settings,
                   const char *path, bool takes_known, struct err *err)
{
    *n = (struct newcomers){.n_markers = data->n_markers};
    if (check_data(data, settings, err) ||
        recode_open(&n->recode, data, path, (enum data_dosage)settings->v[P_DOSAGE].i, err) ||
        choose(n, data, takes_known, err))
        return -1;
    if (n->n == 0)
        return err_set(err,
                       "%s: all %d samples have a phenotype in the data that were trained on; "
                       "--all predicts them too",
                       path, n->n_known);
    return 0;
}

void newcomers_close(struct newcomers *n)
{
    if (!n)
        return;
    for (int32_t i = 0; i < n->n; i++)
        free((char *)(uintptr_t)n->id[i]);
    free(n->id);
    free(n->sample);
    recode_close(&n->recode);
    memset(n, 0, sizeof *n);
}

int32_t newcomers_batch(const struct newcomers *n)
{
    int64_t most = BATCH_FLOATS / n->n_markers;

    if (most < LEAST_BATCH)
        most = LEAST_BATCH;
    return n->n < most ? n->n : (int32_t)most;
}

/* ---- reading ---- */

static void tell_markers(const struct newcomers *n)
{
    const struct recode_report *r = &n->report;
    const char *path = n->recode.path;

    log_info("%s: %d samples to predict, %d left out: they have a phenotype", path, n->n,
             n->n_known);
    log_info("%s: %d of %d markers found, %d of them with REF and ALT swapped; %d absent, %d of "
             "them with other alleles",
             path, r->n_found, n->n_markers, r->n_flipped, n->n_markers - r->n_found, r->n_other);
    if (r->n_by_name)
        log_warn("%s: %d markers found by name alone: that both count the same allele could not "
                 "be seen",
                 path, r->n_by_name);
}

static int check_found(const struct newcomers *n, bool is_forced, struct err *err)
{
    const struct recode_report *r = &n->report;
    const struct dataset *data = n->recode.data;

    if (r->n_found && (is_forced || r->n_found >= n->n_markers - r->n_found))
        return 0;
    return err_set(err,
                   "%s: %d of the %d markers that were trained on found (%d with other alleles), "
                   "the first is \"%.80s\": must be %s",
                   n->recode.path, r->n_found, n->n_markers, r->n_other,
                   dataset_feature_name(data, 0),
                   r->n_found ? "half of them at least, or --force" : "some of them");
}

int newcomers_read(struct mat *x, struct newcomers *n, int32_t first, int32_t count, bool is_forced,
                   struct err *err)
{
    int64_t n_missing = n->report.n_missing;

    if (recode_read(x, &n->report, &n->recode, n->sample + first, count, err))
        return -1;
    n->report.n_missing += n_missing;
    if (check_found(n, is_forced, err))
        return -1;
    if (!n->is_read)
        tell_markers(n);
    n->is_read = true;
    return 0;
}

void newcomers_tell_missing(const struct newcomers *n)
{
    const struct recode_report *r = &n->report;

    if (r->n_missing || r->n_found < n->n_markers)
        log_info("%s: absent markers and %lld missing calls (%.2g %% of those found) are the mean "
                 "of the data that were trained on",
                 n->recode.path, (long long)r->n_missing,
                 100 * (double)r->n_missing / ((double)r->n_found * n->n));
}
