/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/init/init_propose.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "data/format.h"
#include "grid/param.h"
#include "run/advice.h"
#include "trial/model_type.h"

enum { KEY_COLUMN = 13, COMMENT_COLUMN = 36 };

void init_lines_release(struct init_lines *lines)
{
    if (!lines)
        return;
    for (int32_t i = 0; i < lines->n; i++) {
        free(lines->line[i].value);
        free(lines->line[i].comment);
    }
    free(lines->line);
    memset(lines, 0, sizeof *lines);
}

/* Return the part of a value that could not be read back (grid/inifile.h); NULL: none. */
static const char *unfit(const char *value)
{
    size_t n = strlen(value);

    for (const char *c = value; *c; c++) {
        if ((unsigned char)*c < ' ')
            return "a control character";
        if (*c == ';' && c > value && c[-1] == ' ')
            return "' ;', which begins a comment";
        if (c[0] == '$' && c[1] == '{')
            return "'${', which names a variable of the environment";
    }
    if (n == 0 || value[0] == ' ' || value[n - 1] == ' ')
        return "a blank at its end";
    return NULL;
}

static int append(struct init_lines *lines, struct init_line line, struct err *err)
{
    struct init_line *grown = realloc(lines->line, (size_t)(lines->n + 1) * sizeof *grown);

    if (!grown || !line.value || !line.comment) {
        free(line.value);
        free(line.comment);
        lines->line = grown ? grown : lines->line;
        return err_nomem(err, "sweep file", (size_t)(lines->n + 1) * sizeof *grown);
    }
    lines->line = grown;
    lines->line[lines->n++] = line;
    return 0;
}

int init_lines_add(struct init_lines *lines, enum param_id id, const char *value,
                   const char *comment, const char *what, struct err *err)
{
    const char *why = unfit(value);

    if (why)
        return err_set(err, "%s \"%.80s\" contains %s: a sweep file cannot name it: rename it",
                       what, value, why);
    return append(lines, (struct init_line){id, false, strdup(value), strdup(comment)}, err);
}

int init_lines_add_off(struct init_lines *lines, enum param_id id, const char *value,
                       const char *comment, struct err *err)
{
    if (unfit(value))
        return 0;
    return append(lines, (struct init_line){id, true, strdup(value), strdup(comment)}, err);
}

/* ---- paths ---- */

/* Owned; NULL: memory is short, or there is no such folder. name: out, where the name begins. */
static char *real_folder(const char *path, size_t *name)
{
    size_t n = strlen(path);
    char *folder, *real;

    while (n > 1 && path[n - 1] == '/')
        n--;
    while (n > 0 && path[n - 1] != '/')
        n--;
    *name = n;
    folder = n ? strndup(path, n) : strdup(".");
    real = folder ? realpath(folder, NULL) : NULL;
    free(folder);
    return real;
}

/* Both are absolute. */
static void put_relative(struct buf *out, const char *from, const char *to)
{
    size_t same = 0, i = 0;

    while (from[i] && from[i] == to[i]) {
        i++;
        if ((!from[i] || from[i] == '/') && (!to[i] || to[i] == '/'))
            same = i;
    }
    for (const char *at = from + same; *at; at += strcspn(at, "/")) {
        at += strspn(at, "/");
        if (*at)
            buf_puts(out, "../");
    }
    to += same + strspn(to + same, "/");
    buf_puts(out, to);
    if (*to)
        buf_putc(out, '/');
}

int init_path(struct buf *out, const char *output, const char *path, struct err *err)
{
    size_t at, unused;
    char *from, *to;

    if (*path == '/' || !strchr(output, '/')) {
        buf_puts(out, path);
        return 0;
    }
    from = real_folder(output, &unused);
    to = real_folder(path, &at);
    if (from && to) {
        put_relative(out, from, to);
        buf_puts(out, path + at);
    }
    free(from);
    free(to);
    return from && to ? 0 : err_set(err, "%s: cannot find its path from %s", path, output);
}

/* ---- text ---- */

static void put_line(struct buf *out, bool is_off, const char *key, const char *value,
                     const char *comment)
{
    size_t start = out->size;

    buf_printf(out, "%s%-*s =%s%s", is_off ? "; " : "", is_off ? KEY_COLUMN - 2 : KEY_COLUMN, key,
               *value == ';' ? "" : " ", value);
    if (*comment) {
        buf_putc(out, ' ');
        while (!buf_failed(out) && out->size - start < COMMENT_COLUMN)
            buf_putc(out, ' ');
        buf_printf(out, " ; %s", comment);
    }
    buf_putc(out, '\n');
}

/* Words keep their order. */
static int by_number(const void *a, const void *b)
{
    double x = strtod(*(const char *const *)a, NULL), y = strtod(*(const char *const *)b, NULL);

    return (x > y) - (x < y);
}

static void put_setting(struct buf *out, const struct proposal_setting *s)
{
    const char *value[PROPOSAL_VALUES];
    const struct param *p = &param_table[s->id];
    struct buf text = {0};

    for (int32_t i = 0; i < s->n; i++)
        value[i] = s->value[i];
    if (p->type == PARAM_INT || p->type == PARAM_REAL)
        qsort(value, (size_t)s->n, sizeof *value, by_number);
    for (int32_t i = 0; i < s->n; i++)
        buf_printf(&text, "%s%s", i ? ", " : "", value[i]);
    put_line(out, false, p->key, buf_text(&text), s->comment);
    buf_release(&text);
}

static void open_section(struct buf *out, bool *is_open, const char *section)
{
    if (!*is_open)
        buf_printf(out, "\n[%s]\n", section);
    *is_open = true;
}

static void put_section(struct buf *out, const char *section, const struct init_lines *lines,
                        const struct proposal *p)
{
    bool is_grid = !strcmp(section, "grid"), is_open = false;

    for (int32_t i = 0; i < lines->n; i++) {
        const struct init_line *line = &lines->line[i];

        if (is_grid || strcmp(param_table[line->id].section, section) != 0)
            continue;
        open_section(out, &is_open, section);
        put_line(out, line->is_off, param_table[line->id].key, line->value, line->comment);
    }
    for (int32_t i = 0; p && i < p->n; i++) {
        const struct proposal_setting *s = &p->setting[i];

        if (s->is_axis != is_grid || (!is_grid && strcmp(param_table[s->id].section, section) != 0))
            continue;
        open_section(out, &is_open, section);
        put_setting(out, s);
    }
}

void init_write(struct buf *out, const char *title, const struct init_lines *lines,
                const struct proposal *proposal)
{
    static const char *const sections[] = {"sweep", "data",  "graph", "split",
                                           "model", "train", "grid"};

    for (const char *at = title; *at; at += *at == '\n') {
        size_t n = strcspn(at, "\n");

        buf_printf(out, ";%s%.*s\n", n ? " " : "", (int)n, at);
        at += n;
    }
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        put_section(out, sections[i], lines, proposal);
}

/* ---- settings ---- */

static struct proposal_setting *add(struct proposal *p, enum param_id id, const char *comment)
{
    struct proposal_setting *s = &p->setting[p->n++];

    assert(p->n <= PROPOSAL_SETTINGS);
    *s = (struct proposal_setting){.id = id};
    snprintf(s->comment, sizeof s->comment, "%s", comment);
    return s;
}

static void set(struct proposal *p, enum param_id id, const char *value, const char *comment)
{
    struct proposal_setting *s = add(p, id, comment);

    s->n = 1;
    snprintf(s->value[0], sizeof s->value[0], "%s", value);
}

/* A budget may halve the epochs once. Shorter trainings cannot be compared. */
static void set_epochs(struct proposal *p, int32_t epochs)
{
    struct proposal_setting *s =
        add(p, P_EPOCHS, "passes over the training samples; the best one counts");

    s->n = 1;
    s->least = epochs / 2;
    snprintf(s->value[0], sizeof s->value[0], "%d", epochs);
}

static void set_int(struct proposal *p, enum param_id id, int32_t value, const char *comment)
{
    char text[PROPOSAL_VALUE_BYTES];

    snprintf(text, sizeof text, "%d", value);
    set(p, id, text, comment);
}

/* values: with blanks between them, those to keep longest first. */
static void sweep_over(struct proposal *p, enum param_id id, const char *values,
                       const char *comment)
{
    struct proposal_setting *s = add(p, id, comment);

    s->is_axis = true;
    while (*values && s->n < PROPOSAL_VALUES) {
        size_t n = strcspn(values, " ");

        snprintf(s->value[s->n++], sizeof s->value[0], "%.*s", (int)n, values);
        values += n + (values[n] == ' ');
    }
}

const struct proposal_setting *proposal_find(const struct proposal *p, enum param_id id)
{
    for (int32_t i = 0; i < p->n; i++)
        if (p->setting[i].id == id)
            return &p->setting[i];
    return NULL;
}

/* ---- sweep and split ---- */

static bool is_of_graphs(const struct init_facts *f)
{
    return f->format->samples == DATA_GRAPHS;
}

/* Ridge solves for one unknown per sample. */
static bool suits_ridge(const struct init_facts *f)
{
    return !is_of_graphs(f) && f->n_labelled <= 5000 &&
           (f->format->has_genotypes || !f->is_classification);
}

/* shares of the test part, and of a single validation part */
#define TEST 0.2
#define VAL 0.2

/* The samples that train or validate. */
static int32_t count_dealt(const struct init_facts *f)
{
    if (f->has_split)
        return f->n_train + f->n_val;
    return f->n_labelled - (int32_t)(TEST * f->n_labelled);
}

/* The samples that a part should have. Parts of groups differ in size. */
static int32_t enough(bool has_groups)
{
    return has_groups ? ADVICE_FEW * 4 / 3 : ADVICE_FEW;
}

/* least samples for a correlation */
#define LEAST_CORRELATED 3
/* More samples need no folds. */
#define ONE_PART 20000
/* With two, each model would train on only half of the samples. */
#define LEAST_FOLDS 3

/* Fewer folds have larger validation parts. If even those are smaller than the advice recommends,
 * parts that allow a correlation suffice. */
static int32_t choose_folds(const struct init_facts *f)
{
    int32_t most = f->n_groups && f->n_groups < 10 ? f->n_groups / 2 : 5, least;
    int32_t one_part = f->format->proposal.one_part;

    if (f->has_split && f->n_val)
        return 0;
    if (!f->has_split && f->n_labelled >= (one_part ? one_part : ONE_PART))
        return 0;
    for (int32_t folds = most; folds >= LEAST_FOLDS; folds--)
        if (count_dealt(f) / folds >= enough(f->n_groups > 0))
            return folds;
    least = count_dealt(f) / LEAST_CORRELATED;
    return least >= most ? most : least > 2 ? least : 2;
}

/* Without folds, fewer trials of a configuration give no intervals. */
#define LEAST_REPLICATES 3

/* Replicates help most where the parts are small. */
static int32_t choose_replicates(const struct init_facts *f)
{
    if (f->has_split && f->n_val)
        return 5;
    if (!choose_folds(f))
        return LEAST_REPLICATES;
    return f->n_labelled < 100 ? 10 : f->n_labelled < 500 ? 5 : f->n_labelled < 2000 ? 2 : 1;
}

/* Return the training samples of the smallest fold, with the stop part. */
static int32_t count_training(int32_t n_dealt, int32_t n_val, int32_t folds)
{
    return n_dealt - (folds ? (n_dealt + folds - 1) / folds : n_val);
}

/* Return the smallest stop part that does not leave the choice of the epoch to chance. If no share
 * is large enough, the samples are better used for training. */
static const char *choose_stop(int32_t n_training, bool has_groups)
{
    static const char *const shares[] = {"0.1", "0.2", "0.25", "0.3"};
    const size_t n = sizeof shares / sizeof *shares;

    for (size_t i = 0; i < n; i++)
        if ((int32_t)(atof(shares[i]) * n_training) >= enough(has_groups))
            return shares[i];
    return (int32_t)(atof(shares[n - 1]) * n_training) >= ADVICE_FEW ? shares[n - 1] : shares[1];
}

static int32_t count_val(const struct init_facts *f)
{
    return f->has_split ? f->n_val : (int32_t)(VAL * f->n_labelled);
}

static bool has_tiny_parts(const struct init_facts *f)
{
    int32_t folds = choose_folds(f);
    int32_t n = count_training(count_dealt(f), count_val(f), folds);

    return (folds ? count_dealt(f) / folds : count_val(f)) < LEAST_CORRELATED ||
           (!f->n_stop && (int32_t)(atof(choose_stop(n, f->n_groups > 0)) * n) < LEAST_CORRELATED);
}

/* With a smaller share, a model that always predicts the other class has too high an accuracy. */
#define UNEQUAL 0.4

/* Each validation part can have a member of the rarest class. */
static bool has_enough_rarest(const struct init_facts *f)
{
    int32_t folds = choose_folds(f), n = f->n_rarest - (int32_t)ceil(TEST * f->n_rarest);

    return f->has_split || (folds ? n >= folds : n > 1);
}

static void propose_objective(struct proposal *p, const struct init_facts *f)
{
    if (!f->is_classification && has_tiny_parts(f))
        set(p, P_OBJECTIVE, "val_rmse", "parts are too small for a correlation: rank by the error");
    else if (!f->is_classification && f->format->has_genotypes)
        set(p, P_OBJECTIVE, "val_pearson", "rank by the correlation of predicted and true values");
    else if (!f->is_classification)
        set(p, P_OBJECTIVE, "val_r2",
            "rank by the share of variance explained; 0: as good as the mean");
    else if (f->n_classes == 2 && f->rarest < UNEQUAL && !has_enough_rarest(f))
        set(p, P_OBJECTIVE, "val_log_loss",
            "a class is too rare for a ROC area in each part: rank by the probabilities");
    else if (f->n_classes == 2 && f->rarest < UNEQUAL)
        set(p, P_OBJECTIVE, "val_roc_auc", "the classes are of unequal size: rank by the ROC area");
    else
        set(p, P_OBJECTIVE, "val_accuracy", "rank by the share of samples classified correctly");
}

#define LEAST_GROUPS 6

static void propose_sweep(struct proposal *p, const struct init_facts *f)
{
    int32_t folds = choose_folds(f);

    propose_objective(p, f);
    set(p, P_SEED, "1", "parts, folds, first weights and dropout all follow from it");
    set_int(p, P_REPLICATES, choose_replicates(f),
            folds          ? "repeats with other folds and other weights; more for few samples"
            : f->has_split ? "repeats with other weights; the validation samples are the same"
                           : "repeats with other random numbers");
    set_int(p, P_FOLDS, folds,
            folds          ? "cross-validation outside the test part"
            : f->has_split ? "0: one fold, as the parts are given"
                           : "0: one validation part, as there are many samples");
}

/* With given parts, validation samples choose the epoch, as in published results, unless ridge would
 * be at a disadvantage. */
static bool needs_stop(const struct init_facts *f)
{
    return !f->n_stop && (!f->has_split || !f->n_val || suits_ridge(f));
}

static void propose_split(struct proposal *p, const struct init_facts *f)
{
    int32_t folds = choose_folds(f);

    if (!f->has_split)
        set(p, P_TEST, "0.2", "share of the samples that is kept for the final score");
    if (!f->has_split && folds == 0)
        set(p, P_VAL, "0.2", "share that ranks the configurations");
    p->n_dealt = count_dealt(f);
    if (needs_stop(f))
        set(p, P_STOP,
            choose_stop(count_training(p->n_dealt, count_val(f), folds), f->n_groups > 0),
            suits_ridge(f)
                ? "share of the training samples that chooses the epoch; fair beside ridge"
                : "share of the training samples that chooses the epoch");
}

/* ---- samples that are nodes or rows ---- */

static void propose_baselines(struct proposal *p, const struct init_facts *f)
{
    struct buf names = {0}, notes = {0}, comment = {0};
    const struct model_type *type;
    int n = 0;

    for (int64_t i = 0; (type = model_type(i)); i++) {
        if (!type->proposal || (!type->has_epochs && !suits_ridge(f)))
            continue;
        buf_printf(&names, "%s%s", names.size ? " " : "", type->name);
        if (*type->proposal)
            buf_printf(&notes, "%s%s is %s", n++ ? ", " : "", type->name, type->proposal);
    }
    buf_printf(&comment, "baseline%s: %s", n == 1 ? "" : "s", buf_text(&notes));
    sweep_over(p, P_TYPE, buf_text(&names), buf_text(&comment));
    buf_release(&names);
    buf_release(&notes);
    buf_release(&comment);
}

static void propose_rows(struct proposal *p, const struct init_facts *f)
{
    const struct data_proposal *values = &f->format->proposal;
    bool is_small = f->n_samples < 60;

    if (f->has_edges) {
        set(p, P_BUILD, "file", "join samples by the edges given");
    } else {
        set(p, P_BUILD, "knn", "join each sample to its most similar ones");
        set(p, P_METRIC, f->is_dosages ? "kinship" : "correlation",
            f->is_dosages ? "similarity of two samples (VanRaden 2008)"
                          : "similarity of two samples' features");
    }
    propose_split(p, f);
    set(p, P_LAYERS, values->layers,
        "graph convolutions: a prediction sees neighbours of neighbours");
    if (!f->is_sparse && f->n_features >= 2 * f->n_samples)
        set(p, P_REDUCE, "exact", "features outnumber samples: the same model from fewer columns");
    set_epochs(p, values->epochs);
    set(p, P_PATIENCE, values->patience, "stop after so many passes without a better value");
    set(p, P_WEIGHT_DECAY, "5e-4", "pulls weights towards zero, against overfitting");
    propose_baselines(p, f);
    if (!f->has_edges)
        sweep_over(p, P_K, is_small ? "5 3" : "10 3", "gcn: neighbours of each sample");
    sweep_over(p, P_HIDDEN_SIZE, values->hidden_size, "gcn, mlp: width of the hidden layer");
    sweep_over(p, P_LEARNING_RATE, values->learning_rate, "gcn, mlp: step size");
    sweep_over(p, P_DROPOUT, values->dropout,
               "gcn, mlp: share of hidden units switched off in training");
    if (suits_ridge(f))
        sweep_over(p, P_LAMBDA, "1 3 0.3 10 0.1 30 0.03 100",
                   "ridge: residual over genetic variance, (1 - h2) / h2");
}

/* ---- samples that are graphs ---- */

static void propose_training(struct proposal *p, const struct init_facts *f)
{
    const struct data_proposal *values = &f->format->proposal;
    int32_t n = f->n_labelled, batch_size = n < 300 ? 16 : n < 1000 ? 32 : 64;

    set_epochs(p, values->epochs ? values->epochs : n < 300 ? 100 : 60);
    set_int(p, P_BATCH_SIZE, values->batch_size ? values->batch_size : batch_size,
            "graphs in a step");
    set(p, P_SCHEDULE, "cosine", "the step size falls to almost 0 in the last epoch");
    set(p, P_WEIGHT_DECAY, "1e-4", "pulls weights towards zero, against overfitting");
}

static void propose_graphs(struct proposal *p, const struct init_facts *f)
{
    const struct data_proposal *values = &f->format->proposal;

    propose_split(p, f);
    set(p, P_BATCH_NORM, "yes", "normalise hidden units: deeper networks need it");
    set(p, P_RESIDUAL, "yes", "add a convolution's input to its output, from the second on");
    set(p, P_DROPOUT, values->dropout, "share of hidden units switched off in training");
    propose_training(p, f);
    propose_baselines(p, f);
    sweep_over(p, P_LAYERS, values->layers, "graph convolutions");
    sweep_over(p, P_POOL, values->pool, "what stands for a graph, from its nodes");
    sweep_over(p, P_HIDDEN_SIZE, values->hidden_size, "width of every convolution");
    sweep_over(p, P_LEARNING_RATE, values->learning_rate, "step size");
}

void propose(struct proposal *out, const struct init_facts *facts)
{
    struct init_facts f = *facts;

    memset(out, 0, sizeof *out);
    out->uses_group = f.n_groups >= LEAST_GROUPS && !f.has_split;
    if (!out->uses_group)
        f.n_groups = 0;
    propose_sweep(out, &f);
    if (f.is_sparse && f.format->samples == DATA_NODES)
        set(out, P_SCALE, "row", "divide the features of each node by their sum");
    else if (f.has_wide_features)
        set(out, P_SCALE, "standardize", "each feature to mean 0 and standard deviation 1");
    if (is_of_graphs(&f))
        propose_graphs(out, &f);
    else
        propose_rows(out, &f);
}

/* ---- to a budget ---- */

static struct proposal_setting *find(struct proposal *p, enum param_id id)
{
    for (int32_t i = 0; i < p->n; i++)
        if (p->setting[i].id == id)
            return &p->setting[i];
    return NULL;
}

static bool shrink_axis(struct proposal_setting *s, int32_t least)
{
    if (s->n <= least)
        return false;
    s->n--;
    return true;
}

static bool shrink_number(struct proposal_setting *s, int32_t least)
{
    int32_t value = atoi(s->value[0]), half = value / 2;

    least = least < s->least ? s->least : least;
    half = half < least ? least : half;
    if (value <= least)
        return false;
    snprintf(s->value[0], sizeof s->value[0], "%d", half);
    return true;
}

bool proposal_has_value(const struct proposal *p, enum param_id id, const char *value)
{
    const struct proposal_setting *s = proposal_find(p, id);
    bool has = !s || !s->is_axis;

    for (int32_t i = 0; s && i < s->n; i++)
        has = has || !strcmp(s->value[i], value);
    return has;
}

/* The least informative values go first. */
static const struct {
    enum param_id id;
    bool is_axis;
    int32_t least; /* values of an axis, or the number itself */
} steps[] = {
    {P_REPLICATES, false, 3}, {P_DROPOUT, true, 2},
    {P_LAMBDA, true, 6},      {P_LEARNING_RATE, true, 2},
    {P_REPLICATES, false, 2}, {P_HIDDEN_SIZE, true, 1},
    {P_LAYERS, true, 1},      {P_K, true, 1},
    {P_REPLICATES, false, 1}, {P_POOL, true, 1},
    {P_DROPOUT, true, 1},     {P_FOLDS, false, 3},
    {P_EPOCHS, false, 1},     {P_LEARNING_RATE, true, 1},
    {P_LAMBDA, true, 3},
};

/* Larger folds leave fewer samples for training. */
static void fit_stop(struct proposal *p)
{
    struct proposal_setting *stop = find(p, P_STOP);
    int32_t folds = atoi(find(p, P_FOLDS)->value[0]);

    if (stop && folds)
        snprintf(stop->value[0], sizeof stop->value[0], "%s",
                 choose_stop(count_training(p->n_dealt, 0, folds), p->uses_group));
}

static int32_t least_of(const struct proposal *p, size_t step)
{
    bool needs_replicates =
        steps[step].id == P_REPLICATES && !atoi(proposal_find(p, P_FOLDS)->value[0]);

    return needs_replicates ? LEAST_REPLICATES : steps[step].least;
}

bool proposal_shrink(struct proposal *p)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct proposal_setting *s = find(p, steps[i].id);
        int32_t least = least_of(p, i);

        if (!s || s->is_axis != steps[i].is_axis)
            continue;
        if (s->is_axis ? !shrink_axis(s, least) : !shrink_number(s, least))
            continue;
        if (s->id == P_FOLDS)
            fit_stop(p);
        return true;
    }
    return false;
}

int64_t proposal_repeats(const struct proposal *p)
{
    int64_t folds = atoi(proposal_find(p, P_FOLDS)->value[0]);

    return atoi(proposal_find(p, P_REPLICATES)->value[0]) * (folds ? folds : 1);
}
