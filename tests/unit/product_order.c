/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "base/rng.h"
#include "gcn/first_layer.h"
#include "unit.h"

/* Counts work by doing it: the loops of each order, with a counter in the innermost. */

static struct rng rng;
static uint32_t drawn;

static int random_int(int from, int to)
{
    return from + (int)(rng_uniform(&rng, 0, drawn++) * (to - from + 1));
}

static int32_t n_ops; /* multiply-adds */

static void dense(int m, int k, int n)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < k; l++)
                n_ops++;
}

static void sparse(int entries, int n)
{
    for (int e = 0; e < entries; e++)
        for (int j = 0; j < n; j++)
            n_ops++;
}

static int dense_ops, sparse_ops;

static void count_layer(bool propagates_first, const int below, const int above, const int entries,
                        const int in, const int out)
{
    int n = propagates_first ? above : below;
    int width = propagates_first ? in : out;

    n_ops = 0;
    dense(n, in, out); /* forward */
    dense(in, n, out); /* gradient of W */
    dense(n, out, in); /* gradient of H */
    dense_ops = n_ops;
    n_ops = 0;
    sparse(entries, width); /* forward */
    sparse(entries, width); /* backward */
    sparse_ops = n_ops;
}

static double cost_counted(void)
{
    return dense_ops + 4.0 * sparse_ops;
}

static void test_upper_layers(void **state)
{
    int n_first = 0;

    (void)state;
    for (int i = 0; i < 300; i++) {
        int above = random_int(1, 20), below = random_int(above, 40);
        int entries = random_int(above, 5 * above), in = random_int(1, 12), out = random_int(1, 12);
        struct layer_shape shape = {below, above, entries, in, out};
        double first, second;

        count_layer(true, below, above, entries, in, out);
        first = cost_counted();
        count_layer(false, below, above, entries, in, out);
        second = cost_counted();
        if (first == second)
            continue;
        assert_int_equal(product_order_propagates_first(&shape), first < second);
        n_first += first < second;
    }
    assert_in_range(n_first, 30, 270);
}

enum { N = 30, F = 24 };

struct pattern {
    bool a[N][N], x[N][F], ax[N][F];
    int looks, sums; /* of codes, for a row of the product and of the transposed one */
};

static void draw(struct pattern *p)
{
    double density_a = rng_uniform(&rng, 1, drawn), density_x = pow(rng_uniform(&rng, 2, drawn), 3);

    memset(p, 0, sizeof *p);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            p->a[i][k] = i == k || rng_uniform(&rng, 3, drawn++) < density_a * density_a;
    for (int k = 0; k < N; k++)
        for (int j = 0; j < F; j++)
            p->x[k][j] = rng_uniform(&rng, 4, drawn++) < density_x;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < F; j++)
            for (int k = 0; k < N; k++)
                p->ax[i][j] |= p->a[i][k] && p->x[k][j];
    p->looks = random_int(1, F);
    p->sums = random_int(1, F);
}

/* Cost of forward and backward over the first rows1 and rows0 rows, for one column of W. Rows are
 * alike on average: count all and take the share. */
static double count_first(enum first_form form, const struct pattern *p, int rows1, int rows0)
{
    double a = 0, x = 0, ax = 0, cells = 0, looks = 0;

    for (int i = 0; i < N; i++) {
        for (int k = 0; k < N; k++)
            a += p->a[i][k];
        for (int j = 0; j < F; j++) {
            cells++;
            x += p->x[i][j];
            ax += p->ax[i][j];
        }
    }
    for (int i = 0; i < rows0; i++)
        for (int g = 0; g < p->looks; g++)
            looks++;
    for (int i = 0; i < N; i++)
        for (int g = 0; g < p->sums; g++)
            looks++;
    switch (form) {
    case FIRST_AX_DENSE:
        return 2 * cells * rows1 / N;
    case FIRST_AX_SPARSE:
        return 2 * 4 * ax * rows1 / N;
    case FIRST_X_SPARSE:
        return 2 * 4 * (x * rows0 / N + a * rows1 / N);
    default:
        return looks + 2 * 4 * a * rows1 / N;
    }
}

static void count_entries(struct first_shape *shape, const struct pattern *p)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            shape->entries_a += p->a[i][k];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < F; j++) {
            shape->entries_x += p->x[i][j];
            shape->entries_ax += p->ax[i][j];
        }
}

static void test_first_layer(void **state)
{
    int chosen[FIRST_FORM_COUNT] = {0};

    (void)state;
    for (int i = 0; i < 500; i++) {
        bool has[FIRST_FORM_COUNT];
        int rows1 = random_int(1, N), rows0 = random_int(rows1, N);
        enum first_form best = FIRST_FORM_COUNT;
        struct first_shape shape = {
            .n_samples = N, .n_features = F, .rows1 = rows1, .rows0 = rows0};
        struct pattern p;

        draw(&p);
        count_entries(&shape, &p);
        shape.coded_row = p.looks;
        shape.coded_tn = (double)p.sums * N;
        for (int form = 0; form < FIRST_FORM_COUNT; form++)
            has[form] = random_int(0, 3) > 0;
        has[random_int(0, FIRST_FORM_COUNT - 1)] = true;
        for (int form = 0; form < FIRST_FORM_COUNT; form++)
            if (has[form] &&
                (best == FIRST_FORM_COUNT || count_first((enum first_form)form, &p, rows1, rows0) <
                                                 count_first(best, &p, rows1, rows0) - 1e-9))
                best = (enum first_form)form;
        assert_int_equal(product_order_choose(&shape, has), best);
        chosen[best]++;
    }
    for (int form = 0; form < FIRST_FORM_COUNT; form++)
        assert_true(chosen[form] > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_upper_layers),
        cmocka_unit_test(test_first_layer),
    };

    rng_init(&rng, hash_text("association"), RNG_SIMULATE);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
