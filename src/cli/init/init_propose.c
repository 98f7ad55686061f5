/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/init/init_propose.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/outfile.h"
#include "data/text/file_names.h"
#include "run/advice.h"
#include "search/allocator.h"
#include "trial/model_type.h"

enum { KEY_COLUMN = 13, COMMENT_COLUMN = 36, MOST_VALUES = 8 };

void init_lines_release(struct init_lines *lines)
{
    for (int32_t i = 0; lines && i < lines->n; i++) {
        buf_release(&lines->line[i].value);
        buf_release(&lines->line[i].comment);
    }
    if (lines)
        memset(lines, 0, sizeof *lines);
}

void init_lines_add(struct init_lines *lines, enum init_line_kind kind, enum param_id id,
                    const char *value, const char *comment)
{
    struct init_line *line = &lines->line[lines->n];
    size_t n = strlen(value);
    bool has_control = false;

    for (const char *c = value; *c; c++)
        has_control |= (unsigned char)*c < ' ';
    /* Otherwise the value could not be read back (grid/inifile.h). */
    if (n && !has_control && *value != ' ' && value[n - 1] != ' ' && !strstr(value, " ;") &&
        !strstr(value, "${")) {
        assert(lines->n < INIT_LINES);
        *line = (struct init_line){.kind = kind, .id = id};
        buf_puts(&line->value, value);
        buf_puts(&line->comment, comment);
        lines->n++;
    } else if (kind != INIT_OFF && !lines->has_failed) {
        lines->has_failed = true;
        err_set(&lines->err,
                "%s = \"%.80s\": a sweep file cannot name it: rename it without control "
                "characters, ' ;', '${' and blanks at its ends",
                param_table[id].key, value);
    }
}

struct init_line *init_lines_find(struct init_lines *lines, enum param_id id)
{
    for (int32_t i = 0; i < lines->n; i++)
        if (lines->line[i].id == id)
            return &lines->line[i];
    return NULL;
}

static int32_t number(struct init_lines *lines, enum param_id id)
{
    return atoi(buf_text(&init_lines_find(lines, id)->value));
}

/* Return the next value of an axis, and step past it; false: there is none. */
static bool next_value(char out[32], const char **at)
{
    size_t n = strcspn(*at, " ");

    snprintf(out, 32, "%.*s", (int)n, *at);
    *at += n + ((*at)[n] == ' ');
    return n > 0;
}

bool init_lines_has_value(struct init_lines *lines, enum param_id id, const char *value)
{
    struct init_line *line = init_lines_find(lines, id);
    bool has = !line || line->kind != INIT_AXIS;
    const char *at = has ? "" : buf_text(&line->value);
    char one[32];

    while (!has && next_value(one, &at))
        has = !strcmp(one, value);
    return has;
}

/* ---- text ---- */

void init_path(struct buf *out, const char *output, const char *path)
{
    const char *slash;
    struct buf relative = {0}, whole = {0};
    size_t same = 0;

    while (!strncmp(output, "./", 2))
        output += 2;
    slash = strrchr(output, '/');
    for (size_t i = 0; output[i] && output[i] == path[i]; i++)
        same = output[i] == '/' ? i + 1 : same;
    for (const char *at = output + same; (at = strchr(at, '/')); at++)
        buf_puts(&relative, "../");
    buf_puts(&relative, path + same);
    buf_printf(&whole, "%.*s/%s", slash ? (int)(slash - output) : 0, output, buf_text(&relative));
    if (!slash)
        buf_puts(out, path);
    else if (*path != '/' && outfile_is_same(buf_text(&whole), path))
        buf_puts(out, buf_text(&relative));
    else /* the output's folder is a link, or above this one */
        file_names_put_absolute(out, path);
    buf_release(&relative);
    buf_release(&whole);
}

/* Words keep their order. */
static int by_number(const void *a, const void *b)
{
    double x = strtod(a, NULL), y = strtod(b, NULL);

    return (x > y) - (x < y);
}

static void put_values(struct buf *out, const struct init_line *line)
{
    enum param_type type = param_table[line->id].type;
    const char *at = buf_text(&line->value);
    char values[MOST_VALUES][32];
    size_t n = 0;

    while (n < MOST_VALUES && next_value(values[n], &at))
        n++;
    if (type == PARAM_INT || type == PARAM_REAL)
        qsort(values, n, sizeof *values, by_number);
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%s%s", i ? ", " : "", values[i]);
}

static void put_line(struct buf *out, const struct init_line *line)
{
    const char *value = buf_text(&line->value);
    bool is_off = line->kind == INIT_OFF;
    size_t start = out->size;

    buf_printf(out, "%s%-*s =%s", is_off ? "; " : "", is_off ? KEY_COLUMN - 2 : KEY_COLUMN,
               param_table[line->id].key, *value == ';' ? "" : " ");
    if (line->kind == INIT_AXIS)
        put_values(out, line);
    else
        buf_puts(out, value);
    if (line->comment.size) {
        int used = buf_failed(out) ? 0 : (int)(out->size - start);

        buf_printf(out, "%*s ; %s", used < COMMENT_COLUMN ? COMMENT_COLUMN - used : 1, "",
                   buf_text(&line->comment));
    }
    buf_putc(out, '\n');
}

void init_write(struct buf *out, const struct init_lines *lines)
{
    static const char *const sections[] = {"sweep", "data",  "graph",  "split",
                                           "model", "train", "search", "grid"};

    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) {
        bool is_open = false;

        for (int32_t i = 0; i < lines->n; i++) {
            const struct init_line *line = &lines->line[i];

            if (strcmp(line->kind >= INIT_AXIS ? "grid" : param_table[line->id].section,
                       sections[k]) != 0)
                continue;
            if (!is_open)
                buf_printf(out, "\n[%s]\n", sections[k]);
            is_open = true;
            put_line(out, line);
        }
    }
}

/* ---- settings ---- */

static void set(struct init_lines *lines, enum param_id id, const char *value, const char *comment)
{
    init_lines_add(lines, INIT_SET, id, value, comment);
}

static void set_int(struct init_lines *lines, enum param_id id, int32_t value, const char *comment)
{
    char text[32];

    snprintf(text, sizeof text, "%d", value);
    set(lines, id, text, comment);
}

static void sweep_over(struct init_lines *lines, enum param_id id, const char *values,
                       const char *comment)
{
    init_lines_add(lines, INIT_AXIS, id, values, comment);
}

/* ---- sweep and split ---- */

/* Ridge solves for one unknown per sample. */
static bool suits_ridge(const struct init_facts *f)
{
    return f->format->samples != DATA_GRAPHS && f->n_labelled <= 5000 &&
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

/* Parts of groups differ in size. */
static int32_t enough(const struct init_facts *f)
{
    return f->n_groups ? ADVICE_FEW * 4 / 3 : ADVICE_FEW;
}

/* More samples need no folds. */
#define ONE_PART 20000
#define MOST_FOLDS 5
/* With two, each model would train on only half of the samples. */
#define LEAST_FOLDS 3

/* Fewer folds have larger validation parts. If even those are small, training samples count
 * more. */
static int32_t choose_folds(const struct init_facts *f)
{
    int32_t most = f->n_groups && f->n_groups < 2 * MOST_FOLDS ? f->n_groups / 2 : MOST_FOLDS;
    int32_t one_part = f->format->proposal.one_part ? f->format->proposal.one_part : ONE_PART;

    if (f->has_split ? f->n_val > 0 : f->n_labelled >= one_part)
        return 0;
    for (int32_t folds = most; folds >= LEAST_FOLDS; folds--)
        if (count_dealt(f) / folds >= enough(f))
            return folds;
    return most;
}

/* Without folds, fewer trials of a configuration give no intervals. */
#define LEAST_REPLICATES 3

/* Return the smallest stop part that does not leave the choice of the epoch to chance. If no share
 * is large enough, the samples are better used for training. */
static const char *choose_stop(const struct init_facts *f, int32_t folds)
{
    static const char *const shares[] = {"0.1", "0.2", "0.25", "0.3"};
    const size_t n = sizeof shares / sizeof *shares;
    int32_t n_val = f->has_split ? f->n_val : (int32_t)(VAL * f->n_labelled);
    int32_t n_training = count_dealt(f) - (folds ? (count_dealt(f) + folds - 1) / folds : n_val);

    for (size_t i = 0; i < n; i++)
        if ((int32_t)(atof(shares[i]) * n_training) >= enough(f))
            return shares[i];
    return (int32_t)(atof(shares[n - 1]) * n_training) >= ADVICE_FEW ? shares[n - 1] : shares[1];
}

/* With a smaller share, a model that always predicts the other class has too high an accuracy. */
#define UNEQUAL 0.4
/* With fewer, five validation parts, or the stop parts, have too few for a correlation. */
#define FEW_SAMPLES 24
/* With fewer, a validation part may have no member of the class. */
#define FEW_MEMBERS 7

static void propose_objective(struct init_lines *lines, const struct init_facts *f)
{
    bool is_rare = f->n_classes == 2 && f->n_rarest < UNEQUAL * f->n_labelled;

    if (!f->is_classification && f->n_labelled < FEW_SAMPLES)
        set(lines, P_OBJECTIVE, "val_rmse",
            "parts are too small for a correlation: rank by the error");
    else if (!f->is_classification && f->format->has_genotypes)
        set(lines, P_OBJECTIVE, "val_pearson",
            "rank by the correlation of predicted and true values");
    else if (!f->is_classification)
        set(lines, P_OBJECTIVE, "val_r2",
            "rank by the share of variance explained; 0: as good as the mean");
    else if (is_rare && f->n_rarest < FEW_MEMBERS)
        set(lines, P_OBJECTIVE, "val_log_loss",
            "a class is too rare for a ROC area in each part: rank by the probabilities");
    else if (is_rare)
        set(lines, P_OBJECTIVE, "val_roc_auc",
            "the classes are of unequal size: rank by the ROC area");
    else
        set(lines, P_OBJECTIVE, "val_accuracy",
            "rank by the share of samples classified correctly");
}

static int32_t choose_epochs(const struct init_facts *f)
{
    int32_t epochs = f->format->proposal.epochs;

    return epochs ? epochs : f->n_labelled < 300 ? 100 : 60;
}

static void propose_sweep(struct init_lines *lines, const struct init_facts *f)
{
    int32_t n = f->n_labelled, folds = choose_folds(f);

    propose_objective(lines, f);
    set(lines, P_SEED, "1", "parts, folds, first weights and dropout all follow from it");
    /* Replicates help most where the parts are small. */
    set_int(lines, P_REPLICATES,
            f->has_split && f->n_val ? 5
            : !folds                 ? LEAST_REPLICATES
            : n < 100                ? 10
            : n < 500                ? 5
            : n < 2000               ? 2
                                     : 1,
            folds          ? "repeats with other folds and other weights; more for few samples"
            : f->has_split ? "repeats with other weights; the validation samples are the same"
                           : "repeats with other random numbers");
    set_int(lines, P_FOLDS, folds,
            folds          ? "cross-validation outside the test part"
            : f->has_split ? "0: one fold, as the parts are given"
                           : "0: one validation part, as there are many samples");
    if (f->is_sparse && f->format->samples == DATA_NODES)
        set(lines, P_SCALE, "row", "divide the features of each node by their sum");
    if (!f->has_split)
        set(lines, P_TEST, "0.2", "share of the samples that is kept for the final score");
    if (!f->has_split && folds == 0)
        set(lines, P_VAL, "0.2", "share that ranks the configurations");
    /* With given parts, validation samples choose the epoch, as in published results, unless ridge
     * would be at a disadvantage. */
    if (!f->n_stop && (!f->has_split || !f->n_val || suits_ridge(f)))
        set(lines, P_STOP, choose_stop(f, folds),
            suits_ridge(f)
                ? "share of the training samples that chooses the epoch; fair beside ridge"
                : "share of the training samples that chooses the epoch");
    set_int(lines, P_EPOCHS, choose_epochs(f),
            "passes over the training samples; the best one counts");
}

/* ---- samples that are nodes or rows ---- */

static void propose_baselines(struct init_lines *lines, const struct init_facts *f)
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
    sweep_over(lines, P_TYPE, buf_text(&names), buf_text(&comment));
    buf_release(&names);
    buf_release(&notes);
    buf_release(&comment);
}

static void propose_rows(struct init_lines *lines, const struct init_facts *f)
{
    const struct data_proposal *values = &f->format->proposal;
    bool is_small = f->n_samples < 60;

    if (f->has_edges) {
        set(lines, P_BUILD, "file", "join samples by the edges given");
    } else {
        set(lines, P_BUILD, "knn", "join each sample to its most similar ones");
        set(lines, P_METRIC, f->is_dosages ? "kinship" : "correlation",
            f->is_dosages ? "similarity of two samples (VanRaden 2008)"
                          : "similarity of two samples' features");
    }
    set(lines, P_LAYERS, values->layers,
        "graph convolutions: a prediction sees neighbours of neighbours");
    if (!f->is_sparse && f->n_features >= 2 * f->n_samples)
        set(lines, P_REDUCE, "exact",
            "features outnumber samples: the same model from fewer columns");
    set(lines, P_PATIENCE, values->patience, "stop after so many passes without a better value");
    set(lines, P_WEIGHT_DECAY, "5e-4", "pulls weights towards zero, against overfitting");
    propose_baselines(lines, f);
    if (!f->has_edges)
        sweep_over(lines, P_K, is_small ? "5 3" : "10 3", "gcn: neighbours of each sample");
    sweep_over(lines, P_HIDDEN_SIZE, values->hidden_size, "gcn, mlp: width of the hidden layer");
    sweep_over(lines, P_LEARNING_RATE, values->learning_rate, "gcn, mlp: step size");
    sweep_over(lines, P_DROPOUT, values->dropout,
               "gcn, mlp: share of hidden units switched off in training");
    if (suits_ridge(f))
        sweep_over(lines, P_LAMBDA, "1 3 0.3 10 0.1 30 0.03 100",
                   "ridge: residual over genetic variance, (1 - h2) / h2");
}

/* ---- samples that are graphs ---- */

static void propose_graphs(struct init_lines *lines, const struct init_facts *f)
{
    const struct data_proposal *values = &f->format->proposal;
    int32_t n = f->n_labelled, batch_size = n < 300 ? 16 : n < 1000 ? 32 : 64;

    set(lines, P_BATCH_NORM, "yes", "normalise hidden units: deeper networks need it");
    set(lines, P_RESIDUAL, "yes", "add a convolution's input to its output, from the second on");
    set(lines, P_DROPOUT, values->dropout, "share of hidden units switched off in training");
    set_int(lines, P_BATCH_SIZE, values->batch_size ? values->batch_size : batch_size,
            "graphs in a step");
    set(lines, P_SCHEDULE, "cosine", "the step size falls to almost 0 in the last epoch");
    set(lines, P_WEIGHT_DECAY, "1e-4", "pulls weights towards zero, against overfitting");
    propose_baselines(lines, f);
    sweep_over(lines, P_LAYERS, values->layers, "graph convolutions");
    sweep_over(lines, P_POOL, values->pool, "what stands for a graph, from its nodes");
    sweep_over(lines, P_HIDDEN_SIZE, values->hidden_size, "width of every convolution");
    sweep_over(lines, P_LEARNING_RATE, values->learning_rate, "step size");
}

/* Test, stop and validation parts each take whole groups. */
#define LEAST_GROUPS 6

bool propose_group(int32_t n_groups, bool has_split)
{
    return n_groups >= LEAST_GROUPS && !has_split;
}

void propose(struct init_lines *lines, const struct init_facts *f)
{
    propose_sweep(lines, f);
    if (f->format->samples == DATA_GRAPHS)
        propose_graphs(lines, f);
    else
        propose_rows(lines, f);
}

/* ---- to a budget ---- */

/* The least informative values go first. */
static const struct {
    enum param_id id;
    enum init_line_kind kind;
    int32_t least; /* values of an axis, or the number itself */
} steps[] = {
    {P_REPLICATES, INIT_SET, 3}, {P_DROPOUT, INIT_AXIS, 2},
    {P_LAMBDA, INIT_AXIS, 6},    {P_LEARNING_RATE, INIT_AXIS, 2},
    {P_REPLICATES, INIT_SET, 2}, {P_HIDDEN_SIZE, INIT_AXIS, 1},
    {P_LAYERS, INIT_AXIS, 1},    {P_K, INIT_AXIS, 1},
    {P_REPLICATES, INIT_SET, 1}, {P_POOL, INIT_AXIS, 1},
    {P_DROPOUT, INIT_AXIS, 1},   {P_FOLDS, INIT_SET, 3},
    {P_EPOCHS, INIT_SET, 0},     {P_LEARNING_RATE, INIT_AXIS, 1},
    {P_LAMBDA, INIT_AXIS, 3},
};

int64_t propose_repeats(struct init_lines *lines)
{
    int32_t folds = number(lines, P_FOLDS);

    return (int64_t)number(lines, P_REPLICATES) * (folds ? folds : 1);
}

/* Drop the last value of an axis, or halve a number. */
bool propose_smaller(struct init_lines *lines, const struct init_facts *f)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct init_line *line = init_lines_find(lines, steps[i].id);
        struct init_line *stop = init_lines_find(lines, P_STOP);
        int32_t least = steps[i].least, n;
        const char *value;

        if (!line || line->kind != steps[i].kind)
            continue;
        if (steps[i].id == P_REPLICATES && !number(lines, P_FOLDS))
            least = LEAST_REPLICATES;
        else if (steps[i].id == P_EPOCHS) /* shorter trainings cannot be compared */
            least = choose_epochs(f) / 2;
        value = buf_text(&line->value);
        n = line->kind == INIT_AXIS ? 1 : atoi(value);
        for (const char *at = value; line->kind == INIT_AXIS && (at = strchr(at, ' ')); at++)
            n++;
        if (n <= least)
            continue;
        if (line->kind == INIT_AXIS) {
            buf_cut(&line->value, (size_t)(strrchr(value, ' ') - value));
        } else {
            buf_clear(&line->value);
            buf_printf(&line->value, "%d", n / 2 < least ? least : n / 2);
        }
        if (steps[i].id == P_FOLDS && stop) { /* larger folds leave fewer samples for training */
            buf_clear(&stop->value);
            buf_puts(&stop->value, choose_stop(f, number(lines, P_FOLDS)));
        }
        return true;
    }
    return false;
}

/* ---- the search ---- */

/* Halving needs as many for its three rungs, and fewer are no search. */
#define LEAST_SEARCHED 9
/* The first half of them is spread evenly, so with fewer the model hardly chooses. */
#define LEAST_PROPOSED 24

#define COUNT_ROW(name) +1
enum { N_ALLOCATORS = 0 SEARCH_ALLOCATORS(COUNT_ROW, ) };
#undef COUNT_ROW

/* NULL: none is cheaper than the whole grid. Rungs need folds, which tell where they must not cut. */
static const struct allocator *choose_allocator(double *share, struct init_lines *lines,
                                                const struct init_facts *f, struct settings fixed,
                                                int32_t n)
{
    const struct allocator *best = NULL;
    const int32_t each = (int32_t)propose_repeats(lines);
    struct err err;

    *share = 1;
    for (int i = 0; i < N_ALLOCATORS; i++) {
        const struct allocator *one;

        fixed.v[P_ALLOCATE].i = i;
        one = allocator_of(&fixed);
        if (!one->decide || (one->has_rungs && !number(lines, P_FOLDS)) ||
            one->check(&fixed, n, each, suits_ridge(f) ? 0 : number(lines, P_EPOCHS), &err) ||
            one->expected_share(&fixed, each) >= *share)
            continue;
        *share = one->expected_share(&fixed, each);
        best = one;
    }
    return best;
}

static void propose_ranges(struct init_lines *lines)
{
    static const struct {
        enum param_id id;
        const char *range;
    } ranges[] = {{P_LEARNING_RATE, "loguniform(3e-4, 3e-2)"},
                  {P_WEIGHT_DECAY, "loguniform(1e-5, 1e-2)"},
                  {P_LAMBDA, "loguniform(0.03, 100)"}};

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        struct init_line *line = init_lines_find(lines, ranges[i].id);

        if (!line)
            continue;
        buf_puts(&line->comment, "; in a grid ");
        put_values(&line->comment, line);
        line->kind = INIT_RANGE;
        buf_clear(&line->value);
        buf_puts(&line->value, ranges[i].range);
    }
}

static void add_search(struct init_lines *lines, struct init_cost *cost,
                       const struct allocator *allocator, bool is_proposed, double share)
{
    char expected[DURATION_TEXT], most[DURATION_TEXT], text[160] = "";

    cost->expected_s = cost->full_s * share;
    duration_words(expected, cost->expected_s);
    duration_words(most, cost->full_s);
    if (is_proposed) {
        propose_ranges(lines);
        set(lines, P_PROPOSE, "model",
            "learns from the results so far; for a full grid delete [search] and write lists "
            "below");
        if (share == 1)
            snprintf(text, sizeof text, "about %s on one core; ", expected);
        strcat(text, "run it again with a larger number to go on");
        set_int(lines, P_CONFIGS, cost->n_configs, text);
    }
    if (share < 1) {
        snprintf(text, sizeof text,
                 "stops poor configurations early: about %s on one core; all: %s", expected, most);
        set(lines, P_ALLOCATE, allocator->name, text);
    }
}

bool propose_search(struct init_lines *lines, const struct init_facts *f,
                    const struct settings *fixed, struct init_cost *cost)
{
    const struct allocator *allocator;
    int32_t n = cost->n_configs;
    double share, each_s = cost->full_s / n;

    cost->expected_s = cost->full_s;
    if (cost->full_s <= cost->budget_s)
        return true;
    allocator = choose_allocator(&share, lines, f, *fixed, n);
    if (n >= LEAST_SEARCHED && cost->full_s * share <= cost->budget_s) {
        add_search(lines, cost, allocator, false, share);
        return true;
    }
    if (!allocator || !allocator->has_rungs)
        share = 1; /* the model is fitted to all folds */
    n = (int32_t)(cost->budget_s / (each_s * share));
    if (n < LEAST_PROPOSED)
        return false;
    cost->n_configs = n;
    cost->full_s = each_s * n;
    add_search(lines, cost, allocator, true, share);
    return true;
}
