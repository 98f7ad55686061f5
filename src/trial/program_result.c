/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/program_result.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(struct program_metric) == sizeof(struct trial_metric), "names of equal size");
static_assert((int)PROGRAM_NAME == (int)TRIAL_NAME, "names of equal size");

/* The member of struct gcn_epoch with this meaning; NULL: none. */
static double *member_of(struct gcn_epoch *epoch, const char *name, const char *objective)
{
    if (!strcmp(name, objective))
        return &epoch->val_value;
    if (!strcmp(name, "train_loss"))
        return &epoch->train_loss;
    return strcmp(name, "val_loss") ? NULL : &epoch->val_loss;
}

static void place_points(struct trial_result *r, const struct program_report *report,
                         const char *objective)
{
    int32_t at = 0;

    for (int32_t i = 0; i < report->n_points; i++) {
        const struct program_point *p = &report->points[i];
        double *member;

        while (report->epochs[at] != p->epoch)
            at++;
        member = member_of(&r->curve[at], report->names[p->name], objective);
        if (member)
            *member = p->value;
        else if (!isnan(p->value))
            r->points[r->n_points++] =
                (struct trial_point){.epoch = p->epoch, .name = p->name, .value = p->value};
    }
}

static int take_curve(struct trial_result *r, struct program_report *report, const char *objective,
                      struct err *err)
{
    size_t n = (size_t)report->n_epochs, n_names = (size_t)report->n_names;

    if (!n)
        return 0;
    r->curve = malloc(n * sizeof *r->curve);
    r->points = malloc(((size_t)report->n_points + 1) * sizeof *r->points);
    r->curve_names = calloc(n_names + 1, sizeof *r->curve_names);
    if (!r->curve || !r->points || !r->curve_names)
        return err_nomem(err, "curve", n * sizeof *r->curve);
    for (size_t i = 0; i < n; i++)
        r->curve[i] = (struct gcn_epoch){.train_loss = NAN, .val_loss = NAN, .val_value = NAN};
    r->n_curve = report->n_epochs;
    if (n_names)
        memcpy(r->curve_names, report->names, n_names * sizeof *r->curve_names);
    r->n_curve_names = report->n_names;
    place_points(r, report, objective);
    r->epochs = report->epochs;
    report->epochs = NULL;
    return 0;
}

static int take_metrics(struct trial_result *r, const struct program_report *report,
                        struct err *err)
{
    size_t n = (size_t)report->n_metrics;

    r->reported = calloc(n + 1, sizeof *r->reported);
    if (!r->reported)
        return err_nomem(err, "metrics", n * sizeof *r->reported);
    for (size_t i = 0; i < n; i++) {
        snprintf(r->reported[i].name, sizeof r->reported[i].name, "%s", report->metrics[i].name);
        r->reported[i].value = report->metrics[i].value;
    }
    r->n_reported = report->n_metrics;
    return 0;
}

int program_result_take(struct trial_result *r, struct program_report *report,
                        const char *objective, struct err *err)
{
    r->value = report->objective;
    r->epochs_run = report->n_epochs;
    r->best_epoch = report->best >= 0 ? report->epochs[report->best] : 0;
    if (take_metrics(r, report, err) || take_curve(r, report, objective, err))
        return -1;
    r->state = isfinite(r->value) ? TRIAL_DONE : TRIAL_DIVERGED;
    *r->error = '\0';
    if (r->state == TRIAL_DIVERGED) {
        snprintf(r->error, sizeof r->error, "%s is %s", objective,
                 isnan(r->value) ? "NaN" : "infinite");
        r->value = NAN;
    }
    return 0;
}
