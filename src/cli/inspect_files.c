/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/inspect_files.h"

#include <stdio.h>

#include "cli/print/cli.h"
#include "data/core/resemblance.h"
#include "report/report.h"
#include "run/leaks.h"

/* Save the text if rc is 0, and release it. */
static int save(int rc, struct buf *text, const char *path, const struct inputs *inputs,
                struct err *err)
{
    if (!rc)
        rc = cli_save(path, text, inputs, err);
    buf_release(text);
    return rc;
}

static int put_ids(struct buf *out, const struct names *ids, const char *file,
                   const struct names *others, struct err *err)
{
    struct resemblance r;
    int rc = resemblance_init(&r, others, err);

    for (int32_t i = 0; !rc && i < ids->n; i++) {
        const char *like = resemblance_find(&r, ids->text[i]);

        report_put_csv(out, ids->text[i]);
        buf_putc(out, ',');
        report_put_csv(out, file);
        buf_putc(out, ',');
        report_put_csv(out, like ? like : "");
        buf_putc(out, '\n');
    }
    resemblance_release(&r);
    return rc;
}

int inspect_save_unmatched(const char *path, const struct data_unmatched *unmatched,
                           const struct given *given, const struct inputs *inputs, struct err *err)
{
    const char *genotypes = given->v[P_GENOTYPES].s;
    const char *phenotypes = given->v[P_PHENOTYPES].s;
    struct buf text = {0};
    int rc;

    buf_puts(&text, "id,file,resembles\n");
    rc = put_ids(&text, &unmatched->genotypes, genotypes, &unmatched->phenotypes, err);
    if (!rc)
        rc = put_ids(&text, &unmatched->phenotypes, phenotypes, &unmatched->genotypes, err);
    return save(rc, &text, path, inputs, err);
}

static void put_part(struct buf *out, const struct dataset *d, const int32_t *nodes, int32_t n,
                     const char *prefix, enum part part)
{
    for (int32_t i = 0; i < n; i++) {
        report_put_csv(out, dataset_id(d, nodes[i]));
        buf_printf(out, ",%s,%s", prefix, part_name(part));
        if (d->group) {
            buf_putc(out, ',');
            report_put_csv(out, dataset_group_name(d, d->group[nodes[i]]));
        }
        buf_putc(out, '\n');
    }
}

static int put_splits(struct buf *out, struct job *job, const struct settings *s, struct err *err)
{
    char prefix[32];

    buf_printf(out, "id,replicate,fold,part%s\n", job->data.group ? ",group" : "");
    for (int32_t r = 0; r < job->plan.replicates; r++)
        for (int32_t f = 0; f < job->plan.folds; f++) {
            const struct split *split = prepared_split(job->prepared, s, r, f, err);

            if (!split)
                return -1;
            snprintf(prefix, sizeof prefix, "%d,%d", r, f);
            put_part(out, &job->data, split->train, split->n_train, prefix, PART_TRAIN);
            put_part(out, &job->data, split->val, split->n_val, prefix, PART_VAL);
            put_part(out, &job->data, split->test, split->n_test, prefix, PART_TEST);
            put_part(out, &job->data, split->stop, split->n_stop, prefix, PART_STOP);
        }
    return 0;
}

int inspect_save_splits(const char *path, struct job *job, const struct settings *s,
                        const struct inputs *inputs, struct err *err)
{
    struct buf text = {0};

    return save(put_splits(&text, job, s, err), &text, path, inputs, err);
}

static void put_duplicate(void *arg, const struct leaks_member *m)
{
    struct buf *out = arg;

    buf_printf(out, "%d,", m->set);
    report_put_csv(out, m->id);
    buf_printf(out, ",%s,%d,%s\n", m->is_apart ? "yes" : "no", m->replicate, m->side);
}

int inspect_save_duplicates(const char *path, struct job *job, const struct inputs *inputs,
                            struct err *err)
{
    struct buf text = {0};

    buf_puts(&text, "set,id,both_sides,replicate,part\n");
    return save(leaks_each_duplicate(job, put_duplicate, &text, err), &text, path, inputs, err);
}
