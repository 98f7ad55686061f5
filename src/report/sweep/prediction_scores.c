/* SPDX-License-Identifier: BSD-3-Clause */
/* Scores of the out-of-fold predictions, of all together and of each fold.
 *
 * Sources: recall, precision and F1: van Rijsbergen 1979, "Information retrieval", chapter 7; for
 * two classes the recalls are sensitivity and specificity. Balanced accuracy: Brodersen et al. 2010,
 * "The balanced accuracy and its posterior distribution". Matthews correlation coefficient: Matthews
 * 1975; for more classes Gorodkin 2004, "Comparing two K-category assignments". */
#include <math.h>
#include <string.h>

#include "gcn/metric.h"
#include "report/sweep/sweep_read.h"

/* Some of the predictions, counted. */
struct counted {
    int32_t k;                   /* classes */
    int64_t *count;              /* (k, k) by observed and predicted class */
    int32_t n;                   /* in the arrays below: for classes those with scores */
    int32_t *label;              /* [n] observed class */
    float *score;                /* (n, k) */
    float *observed, *predicted; /* [n] of regression */
    void *scratch;
};

typedef double score_function(const struct counted *c, int32_t which);

/* ---- classes ---- */

static int64_t observed_of(const struct counted *c, int32_t class)
{
    int64_t n = 0;

    for (int32_t i = 0; i < c->k; i++)
        n += c->count[(size_t) class * (size_t)c->k + (size_t)i];
    return n;
}

static int64_t predicted_of(const struct counted *c, int32_t class)
{
    int64_t n = 0;

    for (int32_t i = 0; i < c->k; i++)
        n += c->count[(size_t)i * (size_t)c->k + (size_t) class];
    return n;
}

static int64_t hits_of(const struct counted *c, int32_t class)
{
    return c->count[(size_t) class * (size_t)c->k + (size_t) class];
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static double recall(const struct counted *c, int32_t class)
{
    return ratio((double)hits_of(c, class), (double)observed_of(c, class));
}

static double precision(const struct counted *c, int32_t class)
{
    return ratio((double)hits_of(c, class), (double)predicted_of(c, class));
}

static double f1(const struct counted *c, int32_t class)
{
    return ratio(2 * (double)hits_of(c, class),
                 (double)(observed_of(c, class) + predicted_of(c, class)));
}

/* Over the classes that have a value. */
static double mean_of(score_function *function, const struct counted *c)
{
    double sum = 0;
    int32_t n = 0;

    for (int32_t class = 0; class < c->k; class ++) {
        double value = function(c, class);

        sum += isnan(value) ? 0 : value;
        n += !isnan(value);
    }
    return ratio(sum, n);
}

static double balanced_accuracy(const struct counted *c, int32_t which)
{
    (void)which;
    return mean_of(recall, c);
}

static double macro_f1(const struct counted *c, int32_t which)
{
    (void)which;
    return mean_of(f1, c);
}

static double accuracy(const struct counted *c, int32_t which)
{
    int64_t hits = 0, n = 0;

    (void)which;
    for (int32_t class = 0; class < c->k; class ++) {
        hits += hits_of(c, class);
        n += observed_of(c, class);
    }
    return ratio((double)hits, (double)n);
}

/* 0 if all predictions are of one class: they tell nothing. NaN if all samples are. */
static double matthews(const struct counted *c, int32_t which)
{
    double n = 0, hits = 0, both = 0, oo = 0, pp = 0;

    (void)which;
    for (int32_t class = 0; class < c->k; class ++) {
        double o = (double)observed_of(c, class), p = (double)predicted_of(c, class);

        n += o;
        hits += (double)hits_of(c, class);
        both += o * p;
        oo += o * o;
        pp += p * p;
    }
    if (n * n - oo <= 0)
        return NAN;
    return n * n - pp > 0 ? (hits * n - both) / sqrt((n * n - pp) * (n * n - oo)) : 0;
}

static double roc_auc(const struct counted *c, int32_t which)
{
    (void)which;
    return metric_classification(METRIC_ROC_AUC, c->label, c->score, c->n, c->k, c->scratch);
}

/* ---- numbers ---- */

static double of_numbers(const struct counted *c, int32_t which)
{
    return metric_regression((enum metric)which, c->observed, c->predicted, c->n, c->scratch);
}

/* ---- which scores ---- */

struct scorer {
    const char *metric;
    score_function *function;
    int32_t which; /* a class, or enum metric */
};

/* The second of two classes is the positive one, as for the metric roc_auc. */
static const struct scorer of_two[] = {
    {"sensitivity", recall, 1},
    {"specificity", recall, 0},
    {"precision", precision, 1},
    {"f1", f1, 1},
};
static const struct scorer of_classes[] = {
    {"accuracy", accuracy, -1}, {"balanced_accuracy", balanced_accuracy, -1},
    {"macro_f1", macro_f1, -1}, {"mcc", matthews, -1},
    {"roc_auc", roc_auc, -1},
};
static const enum metric of_regression[] = {METRIC_PEARSON, METRIC_SPEARMAN, METRIC_R2, METRIC_RMSE,
                                            METRIC_MAE};

#define COUNT(list) (int32_t)(sizeof(list) / sizeof *(list))

enum { MOST_OF_ALL = COUNT(of_two) + COUNT(of_classes), OF_EACH = 2 };

/* out: [MOST_OF_ALL + OF_EACH classes]. Returns their number. */
static int32_t list_scorers(struct scorer *out, int32_t n_classes, bool is_classification)
{
    int32_t n = 0;

    for (int32_t i = 0; !is_classification && i < COUNT(of_regression); i++)
        out[n++] = (struct scorer){metric_rows[of_regression[i]].name, of_numbers,
                                   (int32_t)of_regression[i]};
    for (int32_t i = 0; is_classification && n_classes == 2 && i < COUNT(of_two); i++)
        out[n++] = of_two[i];
    for (int32_t i = 0; is_classification && i < COUNT(of_classes); i++)
        out[n++] = of_classes[i];
    for (int32_t class = 0; n_classes != 2 && class < n_classes; class ++) {
        out[n++] = (struct scorer){"recall", recall, class};
        out[n++] = (struct scorer){"precision", precision, class};
    }
    return n;
}

/* ---- all and each fold ---- */

static int take(struct counted *c, struct sweep_data *data, struct err *err)
{
    const struct sweep_predictions *p = &data->predictions;
    size_t n = (size_t)p->n, k = (size_t)p->n_classes;

    c->k = p->n_classes;
    c->count = sweep_take(data, k * k, sizeof *c->count, err);
    c->label = sweep_take(data, n, sizeof *c->label, err);
    c->score = sweep_take(data, p->score ? n * k : 0, sizeof *c->score, err);
    c->observed = sweep_take(data, n, sizeof *c->observed, err);
    c->predicted = sweep_take(data, n, sizeof *c->predicted, err);
    c->scratch = sweep_take(data, metric_scratch_bytes(p->n, p->n_classes), 1, err);
    return c->count && c->label && c->score && c->observed && c->predicted && c->scratch ? 0 : -1;
}

static void add_class(struct counted *c, const struct sweep_predictions *p, int32_t i)
{
    const double *score = p->score ? p->score + (size_t)i * (size_t)c->k : NULL;
    int32_t observed = (int32_t)p->observed[i];

    c->count[(size_t)observed * (size_t)c->k + (size_t)p->predicted[i]]++;
    for (int32_t class = 0; score && class < c->k; class ++)
        if (isnan(score[class]))
            score = NULL;
    for (int32_t class = 0; score && class < c->k; class ++)
        c->score[(size_t)c->n * (size_t)c->k + (size_t) class] = (float)score[class];
    c->label[c->n] = observed;
    c->n += score != NULL;
}

/* The predictions from `begin` to before `end`. */
static void count(struct counted *c, const struct sweep_predictions *p, int32_t begin, int32_t end)
{
    c->n = 0;
    memset(c->count, 0, (size_t)c->k * (size_t)c->k * sizeof *c->count);
    for (int32_t i = begin; i < end; i++) {
        if (isnan(p->observed[i]) || isnan(p->predicted[i]))
            continue;
        if (c->k) {
            add_class(c, p, i);
        } else {
            c->observed[c->n] = (float)p->observed[i];
            c->predicted[c->n++] = (float)p->predicted[i];
        }
    }
}

/* The first prediction of the next part. */
static int32_t end_of(const struct sweep_predictions *p, int32_t begin)
{
    int32_t end = begin + 1;

    while (end < p->n && p->replicate[end] == p->replicate[begin] && p->fold[end] == p->fold[begin])
        end++;
    return end;
}

/* True for the same samples in the same order. */
static bool are_equal(const struct sweep_predictions *p, int32_t begin, int32_t end)
{
    if (end - begin != end_of(p, 0))
        return false;
    for (int32_t i = begin; i < end; i++)
        if (strcmp(p->id[i], p->id[i - begin]) != 0)
            return false;
    return true;
}

static void score_parts(struct sweep_predictions *p, struct counted *c,
                        const struct scorer *scorers)
{
    p->is_one_part = true;
    for (int32_t begin = 0, end; begin < p->n; begin = end) {
        end = end_of(p, begin);
        p->n_parts++;
        p->is_one_part = p->is_one_part && are_equal(p, begin, end);
        count(c, p, begin, end);
        /* Mean and sum of squares so far: Welford 1962. */
        for (int32_t s = 0; s < p->n_scores; s++) {
            double value = scorers[s].function(c, scorers[s].which);
            struct sweep_score *score = &p->scores[s];
            double before = score->mean;

            if (isnan(value))
                continue;
            score->folds++;
            score->mean += (value - before) / score->folds;
            score->sd += (value - before) * (value - score->mean);
        }
    }
    for (int32_t s = 0; s < p->n_scores; s++) {
        struct sweep_score *score = &p->scores[s];

        score->mean = score->folds ? score->mean : (double)NAN;
        score->sd = score->folds > 1 ? sqrt(score->sd / (score->folds - 1)) : (double)NAN;
    }
}

int sweep_score_predictions(struct sweep_data *data, struct err *err)
{
    struct sweep_predictions *p = &data->predictions;
    size_t most = MOST_OF_ALL + OF_EACH * (size_t)p->n_classes;
    struct scorer *scorers = sweep_take(data, most, sizeof *scorers, err);
    struct counted c = {0};

    p->scores = sweep_take(data, most, sizeof *p->scores, err);
    if (!scorers || !p->scores || take(&c, data, err))
        return -1;
    p->n_scores = list_scorers(scorers, p->n_classes, data->is_classification);
    count(&c, p, 0, p->n);
    for (int32_t s = 0; s < p->n_scores; s++) {
        p->scores[s].metric = scorers[s].metric;
        p->scores[s].class = data->is_classification ? scorers[s].which : -1;
        p->scores[s].together = scorers[s].function(&c, scorers[s].which);
    }
    score_parts(p, &c, scorers);
    return 0;
}

const struct sweep_score *sweep_find_score(const struct sweep_predictions *p, const char *metric)
{
    for (int32_t i = 0; i < p->n_scores; i++)
        if (!strcmp(p->scores[i].metric, metric))
            return isnan(p->scores[i].together) ? NULL : &p->scores[i];
    return NULL;
}

const char *sweep_part_word(const struct sweep_data *data)
{
    return data->folds > 1 ? "fold" : "trial";
}
