/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "data/core/dataset.h"

/* ---- tallies ---- */

/* The code is that of data/genotype/markers.h. */
CLONES static void count_packed(int64_t *ones, int64_t *zeros, int64_t *missing,
                                const uint8_t *packed, int64_t n_bytes)
{
    const uint64_t low = 0x5555555555555555u;

    *ones = *zeros = *missing = 0;
    for (int64_t i = 0; i < n_bytes; i += 8) {
        uint64_t word, a, b;

        memcpy(&word, packed + i, sizeof word);
        a = word & low;
        b = word >> 1 & low;
        *missing += __builtin_popcountll(a & ~b);
        *ones += __builtin_popcountll(b & ~a);
        *zeros += __builtin_popcountll(a & b);
    }
}

struct tally tally_packed(const uint8_t *packed, int32_t n)
{
    int64_t n_bytes = ((int64_t)n + 31) / 32 * 8;
    int64_t ones, zeros, missing, twos;

    /* The padding of the last word counts as missing. */
    count_packed(&ones, &zeros, &missing, packed, n_bytes);
    twos = 4 * n_bytes - ones - zeros - missing;
    return (struct tally){
        .n_present = (int32_t)(ones + zeros + twos),
        .sum = (double)(ones + 2 * twos),
        .low = zeros  ? 0
               : ones ? 1
               : twos ? 2
                      : INFINITY,
        .high = twos    ? 2
                : ones  ? 1
                : zeros ? 0
                        : -INFINITY,
    };
}

CLONES static void range_of(int *low, int *high, int64_t *sum, int32_t *n_present,
                            const int8_t *dosage, int32_t n)
{
    int least = INT8_MAX, most = INT8_MIN;
    int32_t total = 0, present = 0; /* a table cannot name 2^31 / 127 samples */

    for (int32_t i = 0; i < n; i++) {
        int is_present = dosage[i] != DOSAGE_MISSING;
        int v = is_present ? dosage[i] : 0;
        int v_low = is_present ? v : INT8_MAX, v_high = is_present ? v : INT8_MIN;

        total += v;
        present += is_present;
        least = v_low < least ? v_low : least;
        most = v_high > most ? v_high : most;
    }
    *low = least;
    *high = most;
    *sum = total;
    *n_present = present;
}

struct tally tally_dosage(const int8_t *dosage, int32_t n)
{
    int low, high;
    int64_t sum;
    struct tally t;

    range_of(&low, &high, &sum, &t.n_present, dosage, n);
    t.sum = (double)sum;
    t.low = t.n_present ? low : INFINITY;
    t.high = t.n_present ? high : -INFINITY;
    return t;
}

struct tally tally_value(const float *value, int32_t n)
{
    struct tally t = {.low = INFINITY, .high = -INFINITY};

    for (int32_t i = 0; i < n; i++) {
        double v = (double)value[i];

        if (isnan(v))
            continue;
        t.n_present++;
        t.sum += v;
        t.low = v < t.low ? v : t.low;
        t.high = v > t.high ? v : t.high;
    }
    return t;
}

/* ---- settings ---- */

static bool parse_count(int64_t *out, const char *text, const char *end)
{
    size_t n = (size_t)(end - text);

    if (n < 1 || n > 18 || strspn(text, "0123456789") < n)
        return false;
    *out = strtoll(text, NULL, 10);
    return *out > 0;
}

int filter_parse_take(enum filter_take *take, int32_t *n, const char *text, struct err *err)
{
    static const char *const word[] = {[FILTER_FIRST] = "first:", [FILTER_THIN] = "thin:"};
    int64_t count;

    *take = FILTER_ALL;
    *n = 0;
    if (!strcmp(text, "all"))
        return 0;
    for (int i = FILTER_FIRST; i <= FILTER_THIN; i++) {
        const char *number = text + strlen(word[i]);

        if (strncmp(text, word[i], strlen(word[i])) != 0)
            continue;
        if (!parse_count(&count, number, number + strlen(number)) || count > INT32_MAX)
            break;
        *take = (enum filter_take)i;
        *n = (int32_t)count;
        return 0;
    }
    return err_set(err, "must be all | first:N | thin:N, N an integer in [1, 2147483647]");
}

/* Bounds are POS, FROM- or FROM-TO. */
static bool parse_bounds(struct filter_range *range, const char *text, const char *end)
{
    const char *dash = memchr(text, '-', (size_t)(end - text));

    if (!dash) {
        bool is_position = parse_count(&range->from, text, end);

        range->to = range->from;
        return is_position;
    }
    return parse_count(&range->from, text, dash) &&
           (dash + 1 == end || parse_count(&range->to, dash + 1, end)) && range->from <= range->to;
}

static int add_range(struct filter *f, const char *text, size_t n, struct err *err)
{
    struct filter_range *range;
    const char *end = text + n, *colon = memrchr(text, ':', n);
    struct filter_range *grown = realloc(f->range, ((size_t)f->n_ranges + 1) * sizeof *grown);

    if (!grown)
        return err_nomem(err, "regions", ((size_t)f->n_ranges + 1) * sizeof *grown);
    f->range = grown;
    range = &f->range[f->n_ranges];
    *range = (struct filter_range){.from = 0, .to = INT64_MAX};
    if (n == 0 || colon == text || (colon && !parse_bounds(range, colon + 1, end)))
        return err_set(err,
                       "region = %.*s: must be CHROM, CHROM:POS, CHROM:FROM-TO or "
                       "CHROM:FROM-, or several of these separated by commas",
                       (int)(n < 80 ? n : 80), text);
    range->chrom = strndup(text, (size_t)((colon ? colon : end) - text));
    if (!range->chrom)
        return err_nomem(err, "regions", n);
    f->n_ranges++;
    return 0;
}

int filter_init(struct filter *f, const struct data_filter *spec, struct err *err)
{
    const char *text = spec->region && *spec->region ? spec->region : NULL;

    *f = (struct filter){
        .maf = spec->maf,
        .call_rate = spec->call_rate,
        .skips_multiallelic = spec->multiallelic == DATA_MULTIALLELIC_SKIP,
    };
    if (spec->variants && filter_parse_take(&f->take, &f->n_take, spec->variants, err))
        return err_wrap(err, "data.variants = %.80s", spec->variants);
    while (text) {
        size_t n;

        text += strspn(text, " \t");
        n = strcspn(text, ",");
        if (add_range(f, text, n - (n && text[n - 1] == ' '), err))
            return -1;
        text = text[n] ? text + n + 1 : NULL;
    }
    return 0;
}

void filter_release(struct filter *f)
{
    if (!f)
        return;
    for (int32_t i = 0; i < f->n_ranges; i++)
        free(f->range[i].chrom);
    free(f->range);
    memset(f, 0, sizeof *f);
}

/* ---- a variant ---- */

bool filter_has_region(const struct filter *f, const char *chrom, int64_t pos, int64_t end)
{
    end = end < pos ? pos : end;
    for (int32_t i = 0; i < f->n_ranges; i++)
        if (end >= f->range[i].from && pos <= f->range[i].to && !strcmp(f->range[i].chrom, chrom))
            return true;
    return f->n_ranges == 0;
}

bool filter_keeps(const struct filter *f, const struct tally *tally, int32_t n_samples,
                  double frequency, struct filter_counts *counts)
{
    /* 1 - 0.9 is slightly below 0.1; rounding must not decide. */
    const double almost = 1 - 1e-12;

    if (tally->n_present == 0) {
        counts->n_uncalled++;
        return false;
    }
    if ((double)tally->n_present / n_samples < f->call_rate * almost) {
        counts->n_too_missing++;
        return false;
    }
    if (!(tally->low < tally->high)) {
        counts->n_monomorphic++;
        return false;
    }
    if (f->maf > 0 && fmin(frequency, 1 - frequency) < f->maf * almost) {
        counts->n_rare++;
        return false;
    }
    return true;
}
