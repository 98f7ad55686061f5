/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "random.h"
#include "tensor/activation.h"
#include "unit.h"

/* Each activation against a plain twin, at widths that reach every branch. */

static double plain_activation(enum activation activation, double u)
{
    switch (activation) {
    case ACTIVATION_TANH:
        return tanh(u);
    case ACTIVATION_ELU:
        return u > 0 ? u : exp(u) - 1;
    case ACTIVATION_GELU:
        return u * (1 + erf(u / sqrt(2))) / 2;
    default:
        return u > 0 ? u : 0;
    }
}

static double plain_slope(enum activation activation, double u)
{
    const double step = 1e-6;

    if (activation == ACTIVATION_RELU)
        return u > 0;
    return (plain_activation(activation, u + step) - plain_activation(activation, u - step)) /
           (2 * step);
}

static void check_activation(int32_t width, enum activation activation, bool drops)
{
    static const int32_t rows[] = {4, 0, 2};
    struct mat z = random_mat(5, width, 1), h = random_mat(3, width, 2),
               d = random_mat(3, width, 3);
    int32_t stride = dropout_stride(width);
    uint16_t *bits = malloc(3 * (size_t)stride * sizeof *bits);
    struct dropout dropout;
    float h0;
    struct mat bias = random_mat(1, width, 4), slope = random_mat(3, width, 5);
    bool keeps_slope = activation_keeps_slope(activation);

    assert_non_null(bits);
    dropout_init(&dropout, 0.4, seed, RNG_DROPOUT);
    dropout_bits(bits, &dropout, 0, NULL, 3, width);
    activation_forward(&h, NULL, &z, rows, bias.v, activation, drops ? &dropout : NULL, bits);
    h0 = h.v[width - 1];
    activation_forward(&h, keeps_slope ? &slope : NULL, &z, rows, bias.v, activation,
                       drops ? &dropout : NULL, bits);
    assert_close((double)h0, (double)h.v[width - 1]);
    activation_back(&d, keeps_slope ? &slope : &h, activation, drops ? &dropout : NULL, bits);
    for (int32_t i = 0; i < 3; i++)
        for (int32_t j = 0; j < width; j++) {
            double in = (double)mat_row(&z, rows[i])[j] + (double)bias.v[j];
            double scale = 1;

            if (drops)
                scale = bits[i * stride + j] >= dropout.threshold ? (double)dropout.scale : 0;
            assert_close((double)mat_row(&h, i)[j], scale * plain_activation(activation, in));
            assert_close((double)mat_row(&d, i)[j], scale * plain_slope(activation, in) *
                                                        (double)number(3, (int64_t)i * width + j));
        }
    free(bits);
    mat_release(&z), mat_release(&h), mat_release(&d), mat_release(&bias), mat_release(&slope);
}

static void test_activate(void **state)
{
    (void)state;
    for (size_t w = 0; w < N_WIDTHS; w++)
        for (int drops = 0; drops < 2; drops++)
            for (int a = ACTIVATION_RELU; a <= ACTIVATION_GELU; a++)
                check_activation(widths[w], (enum activation)a, drops);
}

/* A rectifier that loses NaN would hide a diverged training. */
static void test_keeps_nan(void **state)
{
    float z[20], bias[20] = {0};
    struct mat m = mat_view(z, 1, 20);

    (void)state;
    for (int a = ACTIVATION_RELU; a <= ACTIVATION_GELU; a++) {
        for (int j = 0; j < 20; j++)
            z[j] = NAN;
        activation_forward(&m, NULL, &m, NULL, bias, (enum activation)a, NULL, NULL);
        for (int j = 0; j < 20; j++)
            assert_true(isnan(z[j]));
    }
}

/* h is 0 at u = 0, where the slope is 1, and for a dropped element, where the slope is 0. */
static void check_at_zero(enum activation activation)
{
    float z[8] = {0}, bias[8] = {0}, h[8], d[8];
    uint16_t bits[8] = {0, 65535, 0, 65535, 0, 65535, 0, 65535};
    struct mat z_mat = mat_view(z, 1, 8), h_mat = mat_view(h, 1, 8), d_mat = mat_view(d, 1, 8);
    struct dropout dropout;

    dropout_init(&dropout, 0.5, seed, RNG_DROPOUT);
    activation_forward(&h_mat, NULL, &z_mat, NULL, bias, activation, &dropout, bits);
    for (int j = 0; j < 8; j++)
        d[j] = 1;
    activation_back(&d_mat, &h_mat, activation, &dropout, bits);
    for (int j = 0; j < 8; j++)
        assert_true(d[j] == (j % 2 ? 2.0f : 0.0f));
}

static void test_at_zero(void **state)
{
    (void)state;
    check_at_zero(ACTIVATION_TANH);
    check_at_zero(ACTIVATION_ELU);
}

/* Exponentials overflow there, and 1 + erf cancels. */
static void test_far_from_zero(void **state)
{
    static const float far[] = {-1e30f, -200, -30, -6, 6, 30, 200, 1e30f};
    float bias[8] = {0}, h[8], slope[8];
    struct mat z = mat_view((float *)far, 1, 8), h_mat = mat_view(h, 1, 8),
               slope_mat = mat_view(slope, 1, 8);

    (void)state;
    activation_forward(&h_mat, NULL, &z, NULL, bias, ACTIVATION_ELU, NULL, NULL);
    for (int j = 0; j < 8; j++)
        assert_close((double)h[j], far[j] > 0 ? (double)far[j] : exp((double)far[j]) - 1);
    activation_forward(&h_mat, &slope_mat, &z, NULL, bias, ACTIVATION_GELU, NULL, NULL);
    for (int j = 0; j < 8; j++) {
        assert_close((double)h[j], far[j] > 0 ? (double)far[j] : 0);
        assert_close((double)slope[j], far[j] > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_activate),
        cmocka_unit_test(test_keeps_nan),
        cmocka_unit_test(test_at_zero),
        cmocka_unit_test(test_far_from_zero),
    };

    return cmocka_run_group_tests_name("activation", tests, NULL, NULL);
}
