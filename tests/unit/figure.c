/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures: scales and their ticks, widths of text, exact SVG, and every figure of small, large and
 * hostile sweeps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "report/figure/figure.h"
#include "report/figure/plot.h"
#include "scratch.h"

/* For LeakSanitizer: fontconfig keeps its configuration and patterns. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig";
}

/* ---- scales ---- */

static const char *ticks_of(struct buf *out, double low, double high, int n, bool is_log)
{
    struct value_range range = value_range_empty();
    struct axis_scale scale;

    buf_clear(out);
    value_range_add(&range, low);
    value_range_add(&range, high);
    scale_init(&scale, &range, n, is_log, 0, 100);
    for (int i = 0; i < scale.n_ticks; i++) {
        buf_puts(out, i ? " " : "");
        scale_label(out, &scale, scale.ticks[i]);
        assert_true(scale_at(&scale, scale.ticks[i]) > -1e-6);
        assert_true(scale_at(&scale, scale.ticks[i]) < 100 + 1e-6);
    }
    return buf_text(out);
}

static void test_ticks(void **state)
{
    static const struct {
        double low, high;
        int n;
        bool is_log;
        const char *ticks;
    } cases[] = {
        {0, 1, 6, false, "0.0 0.2 0.4 0.6 0.8 1.0"},
        {0.313, 0.379, 5, false, "0.30 0.32 0.34 0.36 0.38"},
        {-0.21, 0.13, 5, false, "−0.3 −0.2 −0.1 0.0 0.1 0.2"},
        {5, 5, 3, false, "4.5 5.0 5.5"},
        {0, 0, 3, false, "−1 0 1"},
        {1e7, 3e7, 3, false, "1e7 2e7 3e7"},
        {1e-9, 3e-9, 3, false, "1e−9 2e−9 3e−9"},
        {1e-4, 10, 8, true, "0.0001 0.001 0.01 0.1 1 10"},
        {0.02, 2.5, 6, true, "0.02 0.05 0.1 0.2 0.5 1 2"},
        {1e-30, 1e30, 5, true, "1e−26 1e−13 1 1e13 1e26"},
        {0.0004, 0.0016, 5, true, "0.0004 0.0006 0.0008 0.001 0.0012 0.0014 0.0016"},
        {-1, 10, 4, true, "10 15"},
        {-1, -1, 3, true, "−1.1 −1.0 −0.9"},
    };
    struct buf out = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(
            ticks_of(&out, cases[i].low, cases[i].high, cases[i].n, cases[i].is_log),
            cases[i].ticks);
    buf_release(&out);
}

/* Scales stay finite whatever the values are. */
static void test_scale_extremes(void **state)
{
    static const double values[] = {0,     -0.0,   1e-320, 5e-324,   1e308,     -1e308, 1.7e308,
                                    1e-10, 123456, -1e-5,  INFINITY, -INFINITY, NAN};
    const size_t n = sizeof values / sizeof *values;

    (void)state;
    for (size_t i = 0; i < 2 * n * n; i++) {
        struct value_range range = value_range_empty();
        struct axis_scale scale;

        value_range_add(&range, values[i % n]);
        value_range_add(&range, values[i / n % n]);
        scale_init(&scale, &range, 5, i >= n * n, 0, 100);
        assert_true(scale.low < scale.high && isfinite(scale.high - scale.low));
        assert_in_range(scale.n_ticks, 1, SCALE_TICKS);
        for (int k = 0; k < scale.n_ticks; k++)
            assert_true(isfinite(scale_at(&scale, scale.ticks[k])));
    }
}

/* ---- text ---- */

static void test_text(void **state)
{
    struct buf out = {0};

    (void)state;
    assert_float_equal(text_points("Hello", 10), 22.78, 1e-9); /* 722 556 222 222 556 */
    assert_float_equal(text_points("\xe4\xb8\xad", 10), 10, 1e-9);
    assert_float_equal(text_points("a\xcc\x81", 10), 5.56, 1e-9);
    assert_string_equal(text_fit(&out, "short", 7, 100), "short");
    assert_string_equal(text_fit(&out, "learning rate", 7, 35), "learning\xe2\x80\xa6");
    assert_true(text_points(text_fit(&out, "learning_rate_of_the_head", 7, 40), 7) <= 40);
    assert_string_equal(text_fit(&out, "caf\xc3\xa9\xc3\xa9\xc3\xa9", 10, 31),
                        "caf\xc3\xa9\xe2\x80\xa6");
    assert_string_equal(text_fit(&out, "long", 7, 2), "\xe2\x80\xa6");
    buf_release(&out);
}

static void test_numbers(void **state)
{
    struct buf out = {0};

    (void)state;
    assert_int_equal(plot_decimals(0.12), 2);
    assert_int_equal(plot_decimals(0.0045), 4);
    assert_int_equal(plot_decimals(120), 0);
    assert_int_equal(plot_decimals(NAN), 3);
    plot_put_fixed(&out, -0.0004, 3);
    buf_putc(&out, ' ');
    plot_put_fixed(&out, -0.25, 2);
    buf_putc(&out, ' ');
    plot_put_fixed(&out, 1.5e9, 2);
    plot_put_fixed(&out, NAN, 2);
    assert_string_equal(buf_text(&out), "0.000 −"
                                        "0.25 1.5e9");
    buf_release(&out);
}

/* Okabe-Ito's blue needs white text, viridis' yellow black. */
static void test_inks(void **state)
{
    (void)state;
    assert_int_equal(ink_viridis(0).rgb, 0x440154);
    assert_int_equal(ink_viridis(1).rgb, 0xfde725);
    assert_int_equal(ink_viridis(0.5).rgb, 0x21918c);
    assert_int_equal(ink_viridis(NAN).rgb, 0x440154);
    assert_int_equal(ink_viridis(7).rgb, 0xfde725);
    assert_int_equal(ink_on(INK_BLUE).rgb, 0xffffff);
    assert_int_equal(ink_on(ink_viridis(1)).rgb, 0);
}

/* ---- SVG ---- */

static void test_svg(void **state)
{
    const struct stroke pen = {INK_TEXT, 0.5, PEN_DASHED};
    const struct stroke dot = {ink_alpha(INK_BLUE, 0.5), 2, PEN_ROUND};
    const struct lettering lettering = {7, INK_VERMILLION, ANCHOR_END, true, false};
    const struct lettering upwards = {7, INK_MUTED, ANCHOR_MIDDLE, false, true};
    struct canvas canvas;
    struct buf out = {0};

    (void)state;
    canvas_init(&canvas, CANVAS_SVG, &out);
    canvas_begin(&canvas, 100, 50.25, "a <b> & \"c\"\n\x01\xff");
    canvas_line(&canvas, 1, 2, -3.456, 4.5, &pen);
    canvas_move(&canvas, 1, 1);
    canvas_to(&canvas, 1, 1);
    canvas_paint(&canvas, INK_NONE, &dot);
    canvas_rect(&canvas, 0.005, NAN, 1e9, -3, INK_GREEN, NULL);
    canvas_mark(&canvas, MARK_CIRCLE, 5, 6, 2, INK_NONE, &pen);
    canvas_mark(&canvas, MARK_DIAMOND, 10, 10, 1, INK_BLUE, NULL);
    canvas_text(&canvas, 9, 8, &lettering, "</text><script>");
    canvas_text(&canvas, 9, 8, &upwards, "up");
    canvas_text(&canvas, 9, 8, &upwards, "");
    assert_int_equal(canvas_end(&canvas), 0);
    assert_string_equal(
        buf_text(&out),
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100pt\" height=\"50.25pt\" viewBox=\"0 "
        "0 "
        "100 50.25\" role=\"img\" fill=\"currentColor\" font-size=\"7\" font-family=\"Helvetica, "
        "Arial, 'Liberation Sans', sans-serif\">\n"
        "<title>a &lt;b&gt; &amp; &quot;c&quot;\n\xef\xbf\xbd\xef\xbf\xbd</title>\n"
        "<path d=\"M1 2L-3.46 4.5\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"0.5\" "
        "stroke-dasharray=\"2.5 2\"/>\n"
        "<path d=\"M1 1h0\" fill=\"none\" opacity=\"0.5\" stroke=\"#0072b2\" stroke-width=\"2\" "
        "stroke-linecap=\"round\" stroke-linejoin=\"round\"/>\n"
        "<rect x=\"0.01\" y=\"0\" width=\"100000\" height=\"0\" fill=\"#009e73\"/>\n"
        "<circle cx=\"5\" cy=\"6\" r=\"2\" fill=\"none\" stroke=\"currentColor\" "
        "stroke-width=\"0.5\" stroke-dasharray=\"2.5 2\"/>\n"
        "<path d=\"M10 8.7L11.3 10L10 11.3L8.7 10z\" fill=\"#0072b2\"/>\n"
        "<text x=\"9\" y=\"8\" font-weight=\"bold\" text-anchor=\"end\" "
        "fill=\"#d55e00\">&lt;/text&gt;&lt;script&gt;</text>\n"
        "<text transform=\"translate(9 8) rotate(-90)\" text-anchor=\"middle\" "
        "fill-opacity=\"0.65\">up</text>\n"
        "</svg>\n");
    buf_release(&out);
}

/* ---- figures ---- */

/* A sweep of n_levels^n_axes configurations; every text is `text`. */
struct toy_sweep {
    struct sweep_data data;
    struct sweep_axis axes[16];
    double numbers[64];
    const char *labels[64];
    const char *classes[3], *groups[2], *ids[40];
    struct sweep_config *configs;
    int32_t *level, *by_id;
    double *value;
    struct sweep_slot slots[5];
    struct sweep_marginal *marginal[16], marginals[64];
    struct sweep_effect effects[16];
    const char *types[2];
    struct sweep_curve curve;
    int32_t epochs[30], group[40], fold[40], front[1];
    double line[30], observed[40], predicted[40], probability[120];
    struct sweep_past_session session;
    struct sweep_rank rank;
    struct sweep_attempt attempts[SWEEP_N_OUTCOMES];
    struct sweep_fact facts[12];
};

static void toy_axes(struct toy_sweep *t, int32_t n_axes, int32_t n_levels, const char *text,
                     double number)
{
    struct sweep_data *data = &t->data;

    for (int32_t i = 0; i < 64; i++) {
        t->numbers[i] = isnan(number) ? NAN : number * (i + 1);
        t->labels[i] = text;
        t->marginals[i] = (struct sweep_marginal){3, 0.1 * i, 0.1 * i - 0.2, 0.1 * i + 0.3, i};
    }
    data->n_axes = n_axes;
    data->axes = t->axes;
    data->marginal = t->marginal;
    for (int32_t i = 0; i < n_axes; i++) {
        t->axes[i] = (struct sweep_axis){.name = text,
                                         .unit = text,
                                         .n = n_levels,
                                         .number = t->numbers,
                                         .label = t->labels,
                                         .is_numeric = !isnan(number),
                                         .is_log = number > 0};
        t->marginal[i] = t->marginals;
        t->effects[i] = (struct sweep_effect){i, i % 2 ? -1 : (i + 1) % n_axes, 1, 0.1};
    }
    data->effects.is_complete = n_axes % 2;
    data->effects.why = text;
    data->effects.total = 1;
    data->effects.n = n_axes;
    data->effects.of = t->effects;
}

static void toy_configs(struct toy_sweep *t, int32_t n, double score)
{
    struct sweep_data *data = &t->data;

    data->n_configs = data->n_scored = n;
    data->n_slots = 5;
    data->slots = t->slots;
    t->configs = calloc((size_t)n + 1, sizeof *t->configs);
    t->level = calloc((size_t)(n * data->n_axes) + 1, sizeof *t->level);
    t->value = calloc((size_t)n * 5 + 1, sizeof *t->value);
    t->by_id = calloc((size_t)n + 1, sizeof *t->by_id);
    data->configs = t->configs;
    data->by_id = t->by_id;
    data->level = t->level;
    data->value = t->value;
    for (int32_t i = 0; i < n; i++) {
        t->by_id[i] = i;
        t->configs[i] = (struct sweep_config){.id = i + 1,
                                              .place = i + 1,
                                              .is_complete = i + 1 < n,
                                              .n = 5,
                                              .mean = score / (i + 1),
                                              .sd = 1,
                                              .se = 0.1,
                                              .diff = score / (i + 1) - score,
                                              .low = i ? -1 : NAN,
                                              .high = i ? 1 : NAN,
                                              .seconds = i + 0.5,
                                              .flops = 1e9 * i,
                                              .within = i % 3 - 1,
                                              .type = i % 2};
        for (int32_t slot = 0; slot < 5; slot++)
            t->value[slot * n + i] = score + slot / (i + 1.0);
        for (int32_t a = 0; a < data->n_axes; a++)
            t->level[i * data->n_axes + a] = (i + a) % (t->axes[a].n + 1) - 1;
    }
    data->best = data->chosen = n > 0;
    data->pareto_seconds = data->pareto_flops = t->front;
    data->n_pareto_seconds = data->n_pareto_flops = n > 0;
}

static void toy_predictions(struct toy_sweep *t, const char *text, double score)
{
    struct sweep_predictions *p = &t->data.predictions;

    *p = (struct sweep_predictions){.config = 1,
                                    .classes = t->classes,
                                    .n_groups = 2,
                                    .groups = t->groups,
                                    .n = 40,
                                    .id = t->ids,
                                    .group = t->group,
                                    .replicate = t->fold,
                                    .fold = t->fold,
                                    .observed = t->observed,
                                    .predicted = t->predicted};
    p->n_classes = isnan(score) ? 0 : 3;
    p->score = p->n_classes ? t->probability : NULL;
    p->is_probability = p->score;
    for (int i = 0; i < 3; i++)
        t->classes[i] = text;
    t->groups[0] = t->groups[1] = text;
    for (int i = 0; i < 40; i++) {
        t->ids[i] = i % 4 ? "a" : "b";
        t->observed[i] = i % 3;
        t->predicted[i] = i % 7 ? i % 3 : score;
        t->group[i] = i % 3 - 1;
        for (int k = 0; k < 3; k++)
            t->probability[3 * i + k] = k ? i / 80.0 : score;
    }
}

static void toy_history(struct toy_sweep *t, const char *text, double score)
{
    struct sweep_data *data = &t->data;

    for (int i = 0; i < 30; i++) {
        t->epochs[i] = i + 1;
        t->line[i] = score / (i + 1);
    }
    t->curve = (struct sweep_curve){1,  1,         0,       0,       20,      false,
                                    30, t->epochs, t->line, t->line, t->line, {NULL}};
    data->n_curves = 1;
    data->curves = &t->curve;
    t->session = (struct sweep_past_session){.session = 1, .busy = score};
    data->n_sessions = data->n_ranks = 1;
    data->sessions = &t->session;
    t->rank = (struct sweep_rank){1, 0, text};
    data->ranks = &t->rank;
    for (int i = 0; i < SWEEP_N_OUTCOMES; i++)
        t->attempts[i] = (struct sweep_attempt){.trial = i,
                                                .rank = 0,
                                                .start = 10 * i,
                                                .end = i % 3 ? 10 * i + score : NAN,
                                                .outcome = (enum sweep_outcome)i};
    data->n_attempts = SWEEP_N_OUTCOMES;
    data->attempts = t->attempts;
    for (int i = 0; i < 3; i++)
        t->facts[i] = (struct sweep_fact){"class", text, text, i ? 20 * i : score, ""};
    data->n_shown_facts = 3;
    data->shown_facts = t->facts;
}

static void toy_init(struct toy_sweep *t, int32_t n, int32_t n_axes, int32_t n_levels,
                     const char *text, double score)
{
    memset(t, 0, sizeof *t);
    t->data.objective = text;
    t->data.maximize = true;
    t->data.n_types = 2;
    t->data.types = t->types;
    t->types[0] = t->types[1] = text;
    t->data.replicates = 1;
    toy_axes(t, n_axes, n_levels, text, score);
    toy_configs(t, n, score);
    if (n) {
        toy_predictions(t, text, score);
        toy_history(t, text, score);
    }
}

static void toy_release(struct toy_sweep *t)
{
    free(t->configs);
    free(t->level);
    free(t->by_id);
    free(t->value);
}

/* A text must lie on the page as a whole. One that has references is longer in SVG than on the page. */
static void check_text(const char *element, double width, double height)
{
    const char *content = strchr(element, '>') + 1;
    struct buf text = {0};
    double x, y, size = 7, shift;

    assert_true(sscanf(element, "<text x=\"%lf\" y=\"%lf\" font-size=\"%lf\"", &x, &y, &size) >= 2);
    buf_add(&text, element, (size_t)(content - element));
    shift = strstr(buf_text(&text), "\"end\"")      ? 1
            : strstr(buf_text(&text), "\"middle\"") ? 0.5
                                                    : 0;
    buf_clear(&text);
    buf_add(&text, content, strcspn(content, "<"));
    if (!strchr(buf_text(&text), '&'))
        x -= shift * text_points(buf_text(&text), size);
    if (x < -0.5 || x + text_points(buf_text(&text), size) > width + 0.5)
        print_message("%s\n", buf_text(&text));
    assert_true(x >= -0.5 && y >= 0 && y <= height);
    assert_true(strchr(buf_text(&text), '&') ||
                x + text_points(buf_text(&text), size) <= width + 0.5);
    buf_release(&text);
}

/* The page has the width of a column or a page, and texts are escaped. */
static void check_svg(const char *svg)
{
    double width, height;

    assert_non_null(strstr(svg, "viewBox=\"0 0 "));
    assert_int_equal(sscanf(strstr(svg, "viewBox") + 13, "%lf %lf", &width, &height), 2);
    assert_true(width > 240 && width < 511 && height > 30 && height < 760);
    assert_string_equal(svg + strlen(svg) - 7, "</svg>\n");
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
    assert_null(strstr(svg, "<script"));
    assert_null(strstr(svg, " style="));
    for (const char *at = svg; (at = strstr(at, "<text x=\"")); at++)
        check_text(at, width, height);
}

static int draw_all(const struct sweep_data *data)
{
    int n = 0;

    for (int figure = 0; figure < FIGURE_COUNT; figure++)
        for (int kind = 0; kind < CANVAS_KINDS; kind++) {
            struct buf out = {0};
            bool has_data;

            if (!canvas_has((enum canvas_kind)kind))
                continue;
            has_data = figure_put(&out, (enum figure)figure, data, (enum canvas_kind)kind);
            assert_false(buf_failed(&out));
            assert_int_equal(has_data, out.size > 0);
            if (has_data && kind == CANVAS_SVG)
                check_svg(buf_text(&out));
            if (has_data && kind == CANVAS_PDF)
                assert_memory_equal(out.data, "%PDF-1.", 7);
            n += has_data && kind == CANVAS_SVG;
            buf_release(&out);
        }
    return n;
}

static void test_all_figures(void **state)
{
    static const struct {
        int32_t n, n_axes, n_levels;
        const char *text;
        double score;
        int figures;
    } cases[] = {
        {0, 2, 3, "a", 0.5, 0},
        {1, 0, 0, "a", 0.5, 6}, /* no axes; cost and types need two */
        {1, 1, 1, "a", 0.5, 6},
        {12, 3, 4, "learning_rate", 0.5, 11},
        {40, 12, 3, "a setting with a name that is longer than its column", -3e5, 11},
        {300, 15, 60, "</text><script>alert(1)</script>\n\x1b[31m\xff\xe2\x80\xae", 1e-300, 10},
        {20, 2, 2, "", 1e300, 11},
        {9, 3, 3, "\xe4\xb8\xad\xe6\x96\x87", NAN, 8},
        {9, 3, 3, "x", INFINITY, 8},
    };
    struct toy_sweep *t = malloc(sizeof *t);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int n;

        toy_init(t, cases[i].n, cases[i].n_axes, cases[i].n_levels, cases[i].text, cases[i].score);
        n = draw_all(&t->data);
        if (n != cases[i].figures)
            print_message("case %zu\n", i);
        assert_int_equal(n, cases[i].figures);
        toy_release(t);
    }
    free(t);
}

/* A configuration in the rows of the forest plot: the difference and its interval as text. */
static void test_forest_numbers(void **state)
{
    struct toy_sweep *t = malloc(sizeof *t);
    struct buf out = {0};

    (void)state;
    toy_init(t, 3, 1, 2, "size", 0.5);
    assert_true(figure_put(&out, FIGURE_FOREST, &t->data, CANVAS_SVG));
    assert_non_null(strstr(buf_text(&out), ">c2</text>"));
    assert_non_null(strstr(buf_text(&out), ">−"
                                           "0.25 [−"
                                           "1.00, 1.00]</text>"));
    assert_non_null(strstr(buf_text(&out), ">Difference in size to the best</text>"));
    buf_release(&out);
    toy_release(t);
    free(t);
}

/* The area under the ROC curve with ties, and the correlation, as in gcn/metric. */
static void test_predicted_numbers(void **state)
{
    struct toy_sweep *t = malloc(sizeof *t);
    struct sweep_predictions *p;
    struct buf out = {0};

    (void)state;
    toy_init(t, 3, 1, 2, "size", 0.5);
    p = &t->data.predictions;
    p->n = 5;
    p->n_classes = 2;
    for (int i = 0; i < 5; i++) {
        const double scores[] = {0.1, 0.4, 0.4, 0.8, 0.9};

        t->observed[i] = t->predicted[i] = i > 1;
        t->probability[2 * i + 1] = scores[i];
    }
    assert_true(figure_put(&out, FIGURE_PREDICTED, &t->data, CANVAS_SVG));
    assert_non_null(strstr(buf_text(&out), ">size: 0.917</text>")); /* 5.5 of 6 pairs */
    buf_clear(&out);
    p->n_classes = 0;
    for (int i = 0; i < 5; i++)
        t->predicted[i] = i * i;
    assert_true(figure_put(&out, FIGURE_PREDICTED, &t->data, CANVAS_SVG));
    assert_non_null(strstr(buf_text(&out), ">r = 0.761</text>"));
    buf_release(&out);
    toy_release(t);
    free(t);
}

static bool has_text(struct toy_sweep *t, enum figure figure, const char *text)
{
    struct buf out = {0};
    bool has;

    assert_true(figure_put(&out, figure, &t->data, CANVAS_SVG));
    has = strstr(buf_text(&out), text) != NULL;
    buf_release(&out);
    return has;
}

/* Many numbers in equal steps become a histogram; other names stay a list. */
static void test_histogram(void **state)
{
    static const char *const labels[] = {"0.5", "1", "1.5", "2",   "2.5", "3",
                                         "3.5", "4", "4.5", "5.0", "5.5", "6"};
    struct toy_sweep *t = malloc(sizeof *t);

    (void)state;
    toy_init(t, 3, 1, 2, "size", 0.5);
    for (int i = 0; i < 12; i++)
        t->facts[i] = (struct sweep_fact){"target_bin", labels[i], labels[i], i, ""};
    t->data.n_shown_facts = 12;
    assert_true(has_text(t, FIGURE_DATA, ">Observed value</text>"));
    assert_false(has_text(t, FIGURE_DATA, ">5.0</text>"));
    t->facts[9].label = "7";
    assert_false(has_text(t, FIGURE_DATA, ">Observed value</text>"));
    t->facts[9].label = "many";
    assert_true(has_text(t, FIGURE_DATA, ">many</text>"));
    toy_release(t);
    free(t);
}

/* Each note stands only where it applies. */
static void test_notes(void **state)
{
    struct toy_sweep *t = malloc(sizeof *t);
    struct sweep_score score = {
        .metric = "roc_auc", .class = -1, .together = 0.9, .mean = 0.75, .folds = 5};

    (void)state;
    toy_init(t, 3, 1, 2, "size", 0.5);
    t->data.folds = 5;
    t->data.predictions.scores = &score;
    assert_false(has_text(t, FIGURE_PREDICTED, "mean area within"));
    t->data.predictions.n_scores = 1;
    assert_true(has_text(t, FIGURE_PREDICTED, "the mean area within 5 folds is 0.750"));
    score.metric = "pearson";
    t->data.predictions.n_classes = 0;
    assert_true(has_text(t, FIGURE_PREDICTED, ">5 folds: 0.750</text>"));
    assert_true(has_text(t, FIGURE_PREDICTED, ">40 predictions</text>"));
    assert_true(has_text(t, FIGURE_PREDICTED, ">of 2 samples</text>"));
    assert_false(has_text(t, FIGURE_CURVES, "no learning curve"));
    assert_true(has_text(t, FIGURE_CURVES, ">validation, mean</text>"));
    t->data.metric = "size";
    t->curve.is_stop = true;
    assert_true(has_text(t, FIGURE_CURVES, ">stop part, mean</text>"));
    assert_true(has_text(t, FIGURE_CURVES, ">stop_size</text>"));
    assert_true(has_text(t, FIGURE_CURVES, "The stop part chose the epoch"));
    t->curve.is_stop = false;
    t->data.chosen = 2;
    assert_true(has_text(t, FIGURE_CURVES,
                         "The choice, c2 (size), has no learning curve: c1 is the best "
                         "configuration with one."));
    t->configs[1].is_complete = false;
    assert_true(has_text(t, FIGURE_FOREST, "only some trials have a score"));
    assert_true(has_text(t, FIGURE_TYPES, "Some folds have no score"));
    for (int i = 0; i < 3; i++)
        t->configs[i].is_complete = true;
    assert_false(has_text(t, FIGURE_FOREST, "only some trials have a score"));
    assert_false(has_text(t, FIGURE_TYPES, "Some folds have no score"));
    toy_release(t);
    free(t);
}

static void test_save(void **state)
{
    const char *dir = scratch_path("figures");
    struct toy_sweep *t = malloc(sizeof *t);
    struct err err;
    struct stat st;
    char path[1024];
    int32_t n;

    (void)state;
    toy_init(t, 12, 3, 4, "a", 0.5);
    assert_int_equal(figures_save(&n, dir, &t->data, OUTFILE_NEW, &err), 0);
    assert_int_equal(n, FIGURE_COUNT);
    snprintf(path, sizeof path, "%s/forest.svg", dir);
    assert_int_equal(stat(path, &st), 0);
    remove(path);
    assert_int_equal(figures_save(&n, dir, &t->data, OUTFILE_NEW, &err), -1);
    assert_non_null(strstr(err.text, "exists already"));
    assert_int_equal(stat(path, &st), -1); /* nothing was written */
    assert_int_equal(figures_save(&n, dir, &t->data, OUTFILE_REPLACE, &err), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(figures_save(&n, path, &t->data, OUTFILE_REPLACE, &err), -1);
    assert_non_null(strstr(err.text, "is not a folder"));
    snprintf(path, sizeof path, "%s/no/such", dir);
    assert_int_equal(figures_save(&n, path, &t->data, OUTFILE_REPLACE, &err), -1);
    assert_non_null(strstr(err.text, "cannot make the folder"));
    toy_release(t);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_scale_extremes),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_inks),
        cmocka_unit_test(test_svg),
        cmocka_unit_test(test_all_figures),
        cmocka_unit_test(test_forest_numbers),
        cmocka_unit_test(test_predicted_numbers),
        cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_save),
    };

    return cmocka_run_group_tests_name("figure", tests, scratch_make, scratch_remove);
}
