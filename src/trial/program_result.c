/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/program_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The member of struct gcn_epoch with this meaning; NULL: none. */
static double *member_of(struct gcn_epoch *epoch, const char *name, const char *objective)
{
    if (!strcmp(name, objective))
        return &epoch->val_value;
    if (!strcmp(name, "train_loss"))
        return &epoch->train_loss;
    return strcmp(name, "val_loss") ? NULL : &epoch->val_loss;
}

/* Move points to the members of `curve` that are for them. */
static void place_points(struct trial_result *r, const char *objective)
{
    int32_t n = r->n_points, at = 0;

    r->n_points = 0;
    for (int32_t i = 0; i < n; i++) {
        const struct program_point p = r->points[i];
        double *member;

        while (r->epochs[at] != p.epoch)
            at++;
        member = member_of(&r->curve[at], r->curve_names[p.name], objective);
        if (member)
            *member = p.value;
        else if (!isnan(p.value))
            r->points[r->n_points++] = p;
    }
}

static int take_curve(struct trial_result *r, struct program_report *report, const char *objective,
                      struct err *err)
{
    size_t n = (size_t)report->n_epochs;

    if (!n)
        return 0;
    r->curve = malloc(n * sizeof *r->curve);
    if (!r->curve)
        return err_nomem(err, "curve", n * sizeof *r->curve);
    for (size_t i = 0; i < n; i++)
        r->curve[i] = (struct gcn_epoch){.train_loss = NAN, .val_loss = NAN, .val_value = NAN};
    r->n_curve = report->n_epochs;
    r->epochs = report->epochs;
    r->curve_names = report->names;
    r->n_curve_names = report->n_names;
    r->points = report->points;
    r->n_points = report->n_points;
    report->epochs = NULL;
    report->names = NULL;
    report->points = NULL;
    place_points(r, objective);
    return 0;
}

int program_result_take(struct trial_result *r, struct program_report *report,
                        const char *objective, struct err *err)
{
    r->value = report->objective;
    r->epochs_run = report->n_epochs;
    r->best_epoch = report->best >= 0 ? report->epochs[report->best] : 0;
    if (take_curve(r, report, objective, err))
        return -1;
    r->reported = report->metrics;
    r->n_reported = report->n_metrics;
    report->metrics = NULL;
    r->state = isfinite(r->value) ? TRIAL_DONE : TRIAL_DIVERGED;
    *r->error = '\0';
    if (r->state == TRIAL_DIVERGED) {
        snprintf(r->error, sizeof r->error, "%s is %s", objective,
                 isnan(r->value) ? "NaN" : "infinite");
        r->value = NAN;
    }
    return 0;
}

void program_result_take_unfinished(struct trial_result *r, struct program_report *report,
                                    const char *objective)
{
    struct err ignored;

    if (r->reported)
        return;
    if (!report->names)
        (void)!program_report_finish(report); /* that results are missing does not matter */
    if (!report->names || take_curve(r, report, objective, &ignored))
        return;
    r->epochs_run = report->n_epochs;
    r->reported = report->metrics;
    r->n_reported = report->n_metrics;
    report->metrics = NULL;
}

int64_t program_result_epochs(const int32_t *epochs, int32_t n)
{
    return n ? (int64_t)epochs[n - 1] + (epochs[0] == 0) : 0;
}

void program_result_hold(struct trial_result *r, const struct settings *s, int64_t until,
                         bool is_cut)
{
    const bool is_max = s->v[P_DIRECTION].i == param_choice(P_DIRECTION, "max");

    if (is_cut)
        r->value = NAN;
    for (int32_t i = 0;
         is_cut && i < r->n_curve && program_result_epochs(r->epochs, i + 1) <= until; i++) {
        const double value = r->curve[i].val_value;

        if (isfinite(value) && !(is_max ? value <= r->value : value >= r->value)) {
            r->value = value;
            r->best_epoch = r->epochs[i];
        }
    }
    r->state = TRIAL_HELD;
    r->epochs_run = (int32_t)until;
    *r->error = '\0';
}
