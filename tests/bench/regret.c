/* SPDX-License-Identifier: BSD-3-Clause */
/* The loss of a search beside a complete grid, and its cost. Decisions are replayed on stored grids.
 * usage: regret SEEDS TABLE.csv...
 *        regret folds | speed
 * TABLE: columns config, the axes, replicate, fold, and for each number of epochs, in growing order, value_EPOCHS
 * (empty: diverged) and seconds_EPOCHS. Larger values are better.
 * Prints lines "RULE COST COST_SE REGRET REGRET_SE", then regret and its error for each table. The cost is the share
 * of the grid, or the number of full configurations; the regret is in standard errors of the best configuration.
 * `folds`: a race over 5 x 5 simulated folds. `speed`: the seconds that a proposal takes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "search/gp.h"
#include "search/halving.h"
#include "search/paired.h"
#include "search/race.h"
#include "search/sobol.h"

enum {
    MOST_CONFIGS = 1024,
    MOST_AXES = 16,
    MOST_COLUMNS = 64,
    MOST_RUNGS = 4,
    MOST_FOLDS = 32,
    MOST_TABLES = 16
};

/* Configurations of which a model, or Sobol points, with halving cost as much as 24 in full. */
enum { TRIED = 64, RUNG_MODEL = 73, RUNG_SOBOL = 77, FULL = 24 };

struct table {
    int32_t n, n_axes, n_columns, n_rungs, folds, epochs[MOST_RUNGS];
    int32_t n_levels[MOST_AXES], level[MOST_CONFIGS][MOST_AXES];
    int32_t axis[MOST_COLUMNS];
    double u[MOST_CONFIGS * MOST_COLUMNS];                /* (n, n_columns) */
    double scores[MOST_RUNGS][MOST_CONFIGS * MOST_FOLDS]; /* (n, folds) */
    double mean[MOST_CONFIGS], se;                        /* the standard error of the best mean */
    double best;
};

struct outcome {
    double cost;  /* full configurations */
    double score; /* of the configuration that the rule ends with */
};

/* ---- tables ---- */

static void fail(const char *path, const char *what)
{
    fprintf(stderr, "regret: %s: %s\n", path, what);
    exit(1);
}

/* Split a line at its commas. Returns the number of fields. */
static int split(char *line, char **field)
{
    int n = 0;

    line[strcspn(line, "\r\n")] = 0;
    for (char *at = line; at && n < MOST_COLUMNS; n++) {
        field[n] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = 0;
    }
    return n;
}

/* Levels of an axis: their texts, in order of appearance. */
struct levels {
    char text[32][32];
    int32_t n;
    bool is_number;
};

static int32_t level_of(struct levels *levels, const char *text)
{
    char *end;

    for (int32_t i = 0; i < levels->n; i++)
        if (strcmp(levels->text[i], text) == 0)
            return i;
    strtod(text, &end);
    levels->is_number = levels->is_number && !*end;
    if (levels->n == sizeof levels->text / sizeof *levels->text)
        fail(text, "is one level too many");
    snprintf(levels->text[levels->n], sizeof *levels->text, "%s", text);
    return levels->n++;
}

/* The place of level i in the order of numbers. */
static int32_t rank_of(const struct levels *levels, int32_t i)
{
    int32_t rank = 0;

    for (int32_t j = 0; j < levels->n; j++)
        rank += atof(levels->text[j]) < atof(levels->text[i]);
    return rank;
}

/* An axis of numbers has a column with the ranks of its levels in [0, 1]; one with words has a column for each level,
 * so that any two words are at distance 1. */
static void encode(struct table *t, const struct levels *levels)
{
    t->n_columns = 0;
    for (int32_t a = 0; a < t->n_axes; a++)
        for (int32_t c = 0; c < (levels[a].is_number ? 1 : levels[a].n); c++)
            t->axis[t->n_columns++] = a;
    for (int32_t i = 0; i < t->n; i++)
        for (int32_t a = 0, c = 0; a < t->n_axes; a++) {
            double *u = t->u + i * t->n_columns;

            if (levels[a].is_number)
                u[c++] = (double)rank_of(&levels[a], t->level[i][a]) / fmax(1, levels[a].n - 1);
            for (int32_t l = 0; !levels[a].is_number && l < levels[a].n; l++)
                u[c++] = t->level[i][a] == l ? M_SQRT1_2 : 0;
        }
    for (int32_t i = 0; i < t->n; i++)
        for (int32_t a = 0; a < t->n_axes; a++)
            if (levels[a].is_number)
                t->level[i][a] = rank_of(&levels[a], t->level[i][a]);
}

static void read_rows(struct table *t, FILE *file, struct levels *levels)
{
    char line[4096], *field[MOST_COLUMNS];
    double(*scores)[MOST_RUNGS] = calloc(MOST_CONFIGS * MOST_FOLDS, sizeof *scores);
    int32_t n = 0;

    while (scores && fgets(line, sizeof line, file) && n < MOST_CONFIGS * MOST_FOLDS) {
        const int n_fields = split(line, field);

        if (n_fields != 3 + t->n_axes + 2 * t->n_rungs)
            continue;
        t->n = atoi(field[0]);
        if (t->n < 1 || t->n > MOST_CONFIGS)
            break;
        for (int32_t a = 0; a < t->n_axes; a++)
            t->level[t->n - 1][a] = level_of(&levels[a], field[1 + a]);
        for (int32_t r = 0; r < t->n_rungs; r++) {
            const char *value = field[3 + t->n_axes + 2 * r];

            scores[n][r] = *value ? atof(value) : -INFINITY;
        }
        n++;
    }
    t->folds = n / t->n;
    for (int32_t i = 0; i < n; i++)
        for (int32_t r = 0; r < t->n_rungs; r++)
            t->scores[r][i] = scores[i][r];
    free(scores);
}

static void table_read(struct table *t, const char *path)
{
    char line[4096], *field[MOST_COLUMNS];
    struct levels levels[MOST_AXES] = {0};
    FILE *file = fopen(path, "r");
    int n_fields, replicate = 1;
    struct paired of_best;
    int32_t best = 0;

    if (!file || !fgets(line, sizeof line, file))
        fail(path, "cannot be read");
    n_fields = split(line, field);
    while (replicate < n_fields && strcmp(field[replicate], "replicate") != 0)
        replicate++;
    *t = (struct table){.n_axes = replicate - 1, .n_rungs = (n_fields - replicate - 2) / 2};
    if (t->n_axes < 1 || t->n_axes > MOST_AXES || t->n_rungs < 1 || t->n_rungs > MOST_RUNGS)
        fail(path, "is no table of a grid");
    for (int32_t r = 0; r < t->n_rungs; r++)
        t->epochs[r] = atoi(field[replicate + 2 + 2 * r] + strlen("value_"));
    for (int32_t a = 0; a < t->n_axes; a++)
        levels[a].is_number = true;
    read_rows(t, file, levels);
    fclose(file);
    if (t->n < RUNG_SOBOL || t->n > MOST_CONFIGS || t->folds < 2 || t->folds > MOST_FOLDS)
        fail(path, "has too few or too many configurations or folds");
    for (int32_t a = 0; a < t->n_axes; a++)
        t->n_levels[a] = levels[a].n;
    encode(t, levels);
    for (int32_t i = 0; i < t->n; i++) {
        t->mean[i] = paired_mean(t->scores[t->n_rungs - 1] + i * t->folds, t->folds);
        best = t->mean[i] > t->mean[best] ? i : best;
    }
    of_best = paired_difference(t->scores[t->n_rungs - 1] + best * t->folds, NULL, t->folds);
    t->best = of_best.mean;
    t->se = of_best.sd / sqrt(of_best.n);
}

/* ---- orders: which configurations are tried; each writes n of them to ids ---- */

static struct rng numbers(uint32_t seed)
{
    struct rng rng;

    rng_init(&rng, (struct hash){38, seed}, RNG_SEARCH);
    return rng;
}

static void order_random(int32_t *ids, const struct table *t, int32_t n, uint32_t seed)
{
    const struct rng rng = numbers(seed);
    int32_t all[MOST_CONFIGS];

    for (int32_t i = 0; i < t->n; i++)
        all[i] = i;
    rng_shuffle(all, (size_t)t->n, &rng, 0);
    memcpy(ids, all, (size_t)n * sizeof *ids);
}

static void order_sobol(int32_t *ids, const struct table *t, int32_t n, uint32_t seed)
{
    const struct rng rng = numbers(seed);
    bool is_taken[MOST_CONFIGS] = {false};
    double u[MOST_AXES];

    for (uint32_t point = 0; n > 0; point++) {
        sobol_point(u, t->n_axes, point, &rng);
        for (int32_t i = 0; i < t->n; i++) {
            int32_t a = 0;

            while (a < t->n_axes && t->level[i][a] == (int32_t)(u[a] * t->n_levels[a]))
                a++;
            if (a < t->n_axes || is_taken[i])
                continue;
            is_taken[i] = true;
            *ids++ = i;
            n--;
        }
    }
}

/* The model, by the scores of one rung. */
static void order_model(int32_t *ids, const struct table *t, int32_t n, uint32_t seed, int32_t rung,
                        int32_t batch)
{
    bool is_seen[MOST_CONFIGS] = {false};
    double *u = malloc(sizeof t->u), *scores = malloc(sizeof *t->scores), z[MOST_CONFIGS],
           improvement[MOST_CONFIGS];
    const size_t columns = (size_t)t->n_columns, folds = (size_t)t->folds;
    int32_t done = 2 * (t->n_axes + 1);
    struct gp_points points = {u, t->axis, z, .n_columns = t->n_columns, .n_axes = t->n_axes};
    struct err err;
    struct gp gp;

    done = done < n ? done : n;
    order_sobol(ids, t, done, seed);
    for (int32_t i = 0; i < done; i++)
        is_seen[ids[i]] = true;
    while (done < n) {
        const int32_t n_out = n - done < batch ? n - done : batch;

        for (int32_t i = 0; i < done; i++) {
            memcpy(u + (size_t)i * columns, t->u + (size_t)ids[i] * columns, columns * sizeof *u);
            memcpy(scores + (size_t)i * folds, t->scores[rung] + (size_t)ids[i] * folds,
                   folds * sizeof *scores);
        }
        gp_targets(z, &points.noise, scores, done, t->folds);
        points.n = done;
        if (gp_fit(&gp, &points, &err) ||
            gp_choose(ids + done, improvement, n_out, &gp, t->u, t->n, is_seen, &err))
            fail("model", err.text);
        gp_release(&gp);
        for (int32_t i = 0; i < n_out; i++)
            is_seen[ids[done + i]] = true;
        done += n_out;
    }
    free(u);
    free(scores);
}

/* ---- rules: how far each one is tried ---- */

static double best_of(const struct table *t, const int32_t *ids, int32_t n)
{
    double best = -INFINITY;

    for (int32_t i = 0; i < n; i++)
        best = fmax(best, t->mean[ids[i]]);
    return best;
}

static struct outcome halving(const struct table *t, const int32_t *ids, int32_t n, double slack)
{
    double *scores = malloc(sizeof *t->scores);
    const size_t folds = (size_t)t->folds;
    int32_t left[MOST_CONFIGS], n_left = n, share = n, before = 0;
    struct outcome out = {.cost = 0};

    memcpy(left, ids, (size_t)n * sizeof *left);
    for (int32_t r = 0; r < t->n_rungs; r++) {
        bool keep[MOST_CONFIGS];
        int32_t at = 0;

        out.cost += (double)n_left * (t->epochs[r] - before) / t->epochs[t->n_rungs - 1];
        before = t->epochs[r];
        if (r == t->n_rungs - 1)
            break;
        for (int32_t i = 0; i < n_left; i++)
            memcpy(scores + (size_t)i * folds, t->scores[r] + (size_t)left[i] * folds,
                   folds * sizeof *scores);
        share = halving_share(share, 3);
        halving_keep(keep, NULL, NULL, scores, n_left, t->folds, share, slack);
        for (int32_t i = 0; i < n_left; i++)
            if (keep[i])
                left[at++] = left[i];
        n_left = at;
    }
    out.score = best_of(t, left, n_left);
    free(scores);
    return out;
}

static double race_cost(const double *scores, int32_t n, int32_t k, bool *is_alive)
{
    int32_t n_alive = n, trials = 0;

    for (int32_t i = 0; i < n; i++)
        is_alive[i] = true;
    for (int32_t m = 1; m <= k; m++) {
        trials += n_alive;
        if (m >= race_first(k) && m < k)
            n_alive = race_drop(is_alive, NULL, NULL, scores, n, m, k, race_first(k), 0.05);
    }
    return (double)trials / k;
}

static struct outcome race(const struct table *t, const int32_t *ids, int32_t n)
{
    double *scores = malloc(sizeof *t->scores);
    const size_t folds = (size_t)t->folds;
    bool is_alive[MOST_CONFIGS];
    struct outcome out = {.score = -INFINITY};

    for (int32_t i = 0; i < n; i++)
        memcpy(scores + (size_t)i * folds, t->scores[t->n_rungs - 1] + (size_t)ids[i] * folds,
               folds * sizeof *scores);
    out.cost = race_cost(scores, n, t->folds, is_alive);
    for (int32_t i = 0; i < n; i++)
        if (is_alive[i])
            out.score = fmax(out.score, t->mean[ids[i]]);
    free(scores);
    return out;
}

/* ---- the rows ---- */

static struct outcome in_full(const struct table *t, const int32_t *ids, int32_t n)
{
    return (struct outcome){n, best_of(t, ids, n)};
}

static struct outcome on_half(const struct table *t, uint32_t seed, int rule)
{
    const int32_t n = t->n / 2;
    struct outcome out;
    int32_t ids[MOST_CONFIGS];

    order_random(ids, t, n, seed);
    out = rule == 2 ? race(t, ids, n) : halving(t, ids, n, rule == 1 ? -1 : 0.5);
    if (rule == 3)
        out.score = best_of(t, ids, (int32_t)lround(out.cost));
    return (struct outcome){out.cost / n, out.score - best_of(t, ids, n) + t->best};
}

static struct outcome half_halving(const struct table *t, uint32_t seed)
{
    return on_half(t, seed, 0);
}

static struct outcome half_plain(const struct table *t, uint32_t seed)
{
    return on_half(t, seed, 1);
}

static struct outcome half_race(const struct table *t, uint32_t seed)
{
    return on_half(t, seed, 2);
}

static struct outcome half_random(const struct table *t, uint32_t seed)
{
    return on_half(t, seed, 3);
}

static struct outcome random_full(const struct table *t, uint32_t seed)
{
    int32_t ids[MOST_CONFIGS];

    order_random(ids, t, TRIED, seed);
    return in_full(t, ids, TRIED);
}

static struct outcome sobol_full(const struct table *t, uint32_t seed)
{
    int32_t ids[MOST_CONFIGS];

    order_sobol(ids, t, TRIED, seed);
    return in_full(t, ids, TRIED);
}

static struct outcome model_8(const struct table *t, uint32_t seed)
{
    int32_t ids[MOST_CONFIGS];

    order_model(ids, t, TRIED, seed, t->n_rungs - 1, 8);
    return in_full(t, ids, TRIED);
}

static struct outcome model_16(const struct table *t, uint32_t seed)
{
    int32_t ids[MOST_CONFIGS];

    order_model(ids, t, TRIED, seed, t->n_rungs - 1, 16);
    return in_full(t, ids, TRIED);
}

static struct outcome model_halving(const struct table *t, uint32_t seed)
{
    int32_t ids[MOST_CONFIGS];

    order_model(ids, t, RUNG_MODEL, seed, 0, 8);
    return halving(t, ids, RUNG_MODEL, 0.5);
}

static struct outcome sobol_halving(const struct table *t, uint32_t seed)
{
    int32_t ids[MOST_CONFIGS];

    order_sobol(ids, t, RUNG_SOBOL, seed);
    return halving(t, ids, RUNG_SOBOL, 0.5);
}

static struct outcome random_24(const struct table *t, uint32_t seed)
{
    int32_t ids[MOST_CONFIGS];

    order_random(ids, t, FULL, seed);
    return in_full(t, ids, FULL);
}

static const struct {
    const char *name;
    struct outcome (*run)(const struct table *t, uint32_t seed);
} rules[] = {{"halving", half_halving},
             {"halving_plain", half_plain},
             {"random_halving", half_random},
             {"race", half_race},
             {"random_64", random_full},
             {"sobol_64", sobol_full},
             {"model_64_batch_8", model_8},
             {"model_64_batch_16", model_16},
             {"model_halving_24", model_halving},
             {"sobol_halving_24", sobol_halving},
             {"random_24", random_24}};

/* Mean and standard error of n values that were summed, alone and squared. */
static void moments(double out[2], double sum, double squares, int n)
{
    out[0] = sum / n;
    out[1] = sqrt(fmax(squares / n - out[0] * out[0], 0) / (n - 1));
}

static void print_rule(int rule, int n_seeds, const struct table *tables, int n_tables)
{
    double regret[MOST_TABLES][2], cost = 0, mean = 0, square = 0;

    for (int i = 0; i < n_tables; i++) {
        const struct table *t = &tables[i];
        double sum = 0, squares = 0;

        for (int seed = 0; seed < n_seeds; seed++) {
            const struct outcome o = rules[rule].run(t, (uint32_t)seed);
            const double lost = (t->best - o.score) / t->se;

            cost += o.cost / n_seeds / n_tables;
            sum += lost;
            squares += lost * lost;
        }
        moments(regret[i], sum, squares, n_seeds);
        mean += regret[i][0] / n_tables;
        square += regret[i][1] * regret[i][1];
    }
    printf("%s %.3f %.3f %.3f", rules[rule].name, cost, mean, sqrt(square) / n_tables);
    for (int i = 0; i < n_tables; i++)
        printf(" %.3f %.3f", regret[i][0], regret[i][1]);
    putchar('\n');
    fflush(stdout);
}

/* 64 configurations whose true scores and noise have sd 1, on 25 folds. Prints cost and regret in units of that sd. */
static void simulate_folds(void)
{
    enum { N = 64, K = 25, RUNS = 400 };
    double cost = 0, regret = 0;

    for (uint32_t run = 0; run < RUNS; run++) {
        const struct rng rng = numbers(run);
        double scores[N * K], most = -INFINITY, found = -INFINITY;
        bool is_alive[N];

        for (uint32_t i = 0; i < N; i++)
            for (uint32_t f = 0; f < K; f++)
                scores[i * K + f] = rng_normal(&rng, 0, i) + 2 * rng_normal(&rng, 1, f) +
                                    rng_normal(&rng, 2, i * K + f);
        cost += race_cost(scores, N, K, is_alive) / N / RUNS;
        for (int i = 0; i < N; i++) {
            most = fmax(most, paired_mean(scores + i * K, K));
            if (is_alive[i])
                found = fmax(found, paired_mean(scores + i * K, K));
        }
        regret += (most - found) * sqrt(K) / RUNS;
    }
    printf("%.3f %.4f\n", cost, regret);
}

/* A process of 256 points in 8 columns, and 16 choices among 100,000. */
static void time_proposal(void)
{
    enum { N = 256, M = 100000, COLUMNS = 8, N_OUT = 16 };
    static const int32_t axis[COLUMNS] = {0, 1, 2, 3, 4, 5, 6, 7};
    static double u[N * COLUMNS], candidates[M * COLUMNS], scores[N];
    static bool is_seen[M];
    double z[N], improvement[N_OUT], begun_s;
    struct gp_points points = {u, axis, z, .n = N, .n_columns = COLUMNS, .n_axes = COLUMNS};
    const struct rng rng = numbers(1);
    int32_t out[N_OUT];
    struct err err;
    struct gp gp;

    for (uint32_t i = 0; i < M; i++)
        sobol_point(candidates + i * COLUMNS, COLUMNS, i, &rng);
    for (uint32_t i = 0; i < N; i++) {
        memcpy(u + i * COLUMNS, candidates + (size_t)(i * 390) * COLUMNS, sizeof *u * COLUMNS);
        scores[i] = sin(6 * u[i * COLUMNS]) + u[i * COLUMNS + 1] + 0.3 * rng_normal(&rng, 0, i);
        is_seen[i * 390] = true;
    }
    begun_s = clock_now(&clock_thread);
    gp_targets(z, &points.noise, scores, N, 1);
    if (gp_fit(&gp, &points, &err) ||
        gp_choose(out, improvement, N_OUT, &gp, candidates, M, is_seen, &err))
        fail("speed", err.text);
    printf("%.3f\n", clock_now(&clock_thread) - begun_s);
    gp_release(&gp);
}

int main(int argc, char **argv)
{
    static struct table tables[MOST_TABLES];
    const int n_tables = argc - 2;

    if (argc == 2 && strcmp(argv[1], "folds") == 0) {
        simulate_folds();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "speed") == 0) {
        time_proposal();
        return 0;
    }
    if (n_tables < 1 || n_tables > MOST_TABLES || atoi(argv[1]) < 2) {
        fputs("usage: regret SEEDS TABLE.csv... | folds | speed\n", stderr);
        return 2;
    }
    for (int i = 0; i < n_tables; i++)
        table_read(&tables[i], argv[2 + i]);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        print_rule((int)i, atoi(argv[1]), tables, n_tables);
    return 0;
}
