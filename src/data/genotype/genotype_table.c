/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/genotype/genotype_table.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/builder.h"
#include "data/core/columns.h"
#include "data/core/data_report.h"
#include "data/core/data_spec.h"
#include "data/core/filter.h"
#include "data/core/phenotype.h"
#include "data/core/reader.h"
#include "data/text/names.h"
#include "data/text/table.h"

/* ---- columns that are not markers ---- */

/* A column of words has only words in these rows. */
#define ROWS_SEEN 200

struct column_search {
    const struct table *t;
    const struct data_spec *spec;
    struct names phenotypes; /* columns of the phenotype table, with its ids */
    struct names named;      /* columns in spec, and the ids */
    bool *is_words;          /* [n_cols] only if has_markers */
    bool has_markers;        /* the phenotype table has nearly all columns */
};

static bool has(const struct names *names, const char *text)
{
    return names_find(names, text) >= 0;
}

static int add(struct names *names, const char *text, struct err *err)
{
    return !text || !*text || has(names, text) || names_add(names, text, 1, err) >= 0 ? 0 : -1;
}

/* name: a setting, which need not be spelled like the column. */
static int add_named(struct column_search *s, const char *name, struct err *err)
{
    int32_t j = name && *name ? table_column(s->t, name, -1, NULL) : TABLE_NO_COLUMN;

    return add(&s->named, j >= 0 ? s->t->name[j] : name, err);
}

/* The reader of the phenotype table reports errors. */
static int read_header(struct column_search *s, struct err *err)
{
    struct table t;
    int32_t id;
    int rc = 0;

    if (table_open(&t, s->spec->phenotypes, NULL))
        return 0;
    id = reader_id_column(&t, s->spec->id, NULL);
    if (id >= 0)
        rc = add_named(s, t.name[id], err);
    for (int32_t j = 0; !rc && j < t.n_cols; j++)
        rc = add(&s->phenotypes, t.name[j], err);
    table_close(&t);
    return rc;
}

/* ---- columns of words ---- */

/* A column with a number counts as a marker. */
static int find_words(struct column_search *s, struct err *err)
{
    size_t n = (size_t)s->t->n_cols;
    int32_t *words = calloc(n, sizeof *words), *numbers = calloc(n, sizeof *numbers);
    struct names missing = {0};
    struct table t = {0};
    double v;
    int rc = 0;

    s->is_words = calloc(n, sizeof *s->is_words);
    if (!words || !numbers || !s->is_words)
        rc = err_nomem(err, "columns", n * sizeof *words);
    if (!rc)
        rc = names_split(&missing, s->spec->missing_genotype, "data.missing_genotype", err);
    if (!rc && !table_open(&t, s->t->path, err)) {
        for (int row = 0; row < ROWS_SEEN && table_next(&t, NULL) > 0; row++)
            for (int32_t j = 1; j < t.n_cols; j++) {
                if (table_parse_number(&v, t.cell[j]))
                    numbers[j]++;
                else if (!table_is_missing(t.cell[j]) && !reader_is_listed(&missing, t.cell[j]))
                    words[j]++;
            }
        table_close(&t);
    }
    for (size_t j = 1; !rc && j < n; j++)
        s->is_words[j] = words[j] && !numbers[j];
    names_release(&missing);
    free(words);
    free(numbers);
    return rc;
}

static int search(struct column_search *s, struct err *err)
{
    int32_t n_shared = 0;
    struct names listed = {0};
    bool is_factor;
    int rc;

    if (read_header(s, err) || add_named(s, s->spec->trait, err) ||
        add_named(s, s->spec->part, err) || add_named(s, s->spec->group, err))
        return -1;
    rc = names_split(&listed, s->spec->fixed, "data.fixed", err);
    for (int32_t k = 0; !rc && k < listed.n; k++) {
        char *copy = strdup(listed.text[k]);

        rc = copy ? add_named(s, listed.text[k], err) ||
                        add_named(s, phenotype_strip_factor(copy, &is_factor), err)
                  : err_nomem(err, "fixed effects", strlen(listed.text[k]));
        free(copy);
    }
    names_release(&listed);
    if (rc)
        return -1;
    for (int32_t j = 1; j < s->t->n_cols; j++)
        n_shared += has(&s->phenotypes, s->t->name[j]);
    s->has_markers = 10 * (int64_t)n_shared > 9 * (int64_t)(s->t->n_cols - 1);
    return s->has_markers ? find_words(s, err) : 0;
}

static int hide(struct nonmarkers *n, struct table *t, const struct column_search *s,
                struct err *err)
{
    n->n_all = t->n_cols;
    n->shown = malloc((size_t)t->n_cols * sizeof *n->shown);
    if (!n->shown)
        return err_nomem(err, "columns", (size_t)t->n_cols * sizeof *n->shown);
    for (int32_t j = reader_has_family(t), id = j; j < t->n_cols; j++) {
        const char *name = t->name[j];
        bool is_shared = s->has_markers ? s->is_words[j] : has(&s->phenotypes, name);

        if (j == id || !(has(&s->named, name) || is_shared))
            n->shown[n->n_shown++] = j;
        else
            examples_add(&n->hidden, ", ", "\"%.40s\"", name);
    }
    if (n->n_shown == 1 && n->n_all > 1)
        return err_set(err, "%s: no column is a marker: %d of them are columns of %s", t->path,
                       (int)n->hidden.n, s->spec->phenotypes);
    for (int32_t k = 0; k < n->n_shown; k++)
        t->name[k] = t->name[n->shown[k]];
    t->n_cols = n->n_shown;
    return 0;
}

/* Hide the columns of t that are not markers; t->name and t->n_cols are then those of the others. t
 * is open at its header. Hidden are
 *   - FID before IID;
 *   - the trait, fixed effects, group and ids that spec names;
 *   - other columns that the phenotype table has too;
 *   - instead of the latter, columns of words, if the phenotype table has nearly all columns of t,
 *     and so the markers too (it may be the same file).
 * Pair with free(n->shown), also after a failure. -1 and err if only ids are left. */
static int nonmarkers_hide(struct nonmarkers *n, struct table *t, const struct data_spec *spec,
                           struct err *err)
{
    struct column_search s = {.t = t, .spec = spec};
    int rc;

    *n = (struct nonmarkers){0};
    if (!reader_has_family(t) && (!spec->phenotypes || !*spec->phenotypes))
        return 0;
    rc = spec->phenotypes && *spec->phenotypes ? search(&s, err) : 0;
    if (!rc)
        rc = hide(n, t, &s, err);
    names_release(&s.phenotypes);
    names_release(&s.named);
    free(s.is_words);
    return rc;
}

static int nonmarkers_next(struct table *t, const struct nonmarkers *n, struct err *err)
{
    int status;

    if (!n->shown || n->n_shown == n->n_all)
        return table_next(t, err);
    t->n_cols = n->n_all;
    status = table_next(t, err);
    t->n_cols = n->n_shown;
    for (int32_t k = 0; status > 0 && k < n->n_shown; k++)
        t->cell[k] = t->cell[n->shown[k]];
    return status;
}

/* ---- the table ---- */

void genotype_table_release(struct genotype_table *g)
{
    names_release(&g->ids);
    names_release(&g->missing);
    columns_release(&g->markers);
    letter_columns_release(&g->letters);
    free(g->hidden.shown);
    g->hidden = (struct nonmarkers){0};
    table_close(&g->table);
}

/* PLINK's .raw may have another name. */
static int check_raw(const struct table *t, struct err *err)
{
    if (!reader_has_family(t) || t->n_cols < 6 || strcmp(t->name[5], "PHENOTYPE") != 0)
        return 0;
    return table_fault(err, t,
                       "six columns before the markers, as written by PLINK --recode A: use plink "
                       "--make-bed, or remove all six columns except IID");
}

/* Repeated names show a faulty table or no header. */
static int check_markers(const struct genotype_table *g, struct err *err)
{
    struct names seen = {0};
    int rc = 0;

    for (int32_t j = 0; !rc && j < g->markers.n_cols; j++) {
        const char *name = g->markers.name[j];
        int32_t first = names_find(&seen, name);

        if (first >= 0)
            rc = table_fault(err, &g->table,
                             "marker \"%.80s\" is in columns %d and %d: the first line must be a "
                             "header with a different name for each marker",
                             name, first + 2, j + 2);
        else if (names_add(&seen, name, 1, err) < 0)
            rc = -1;
    }
    names_release(&seen);
    return rc;
}

/* ---- codes for missing calls ---- */

struct extent {
    double low, above; /* the two least */
    double high, below;
    bool is_whole;
};

static const struct extent empty_extent = {INFINITY, INFINITY, -INFINITY, -INFINITY, true};

static void extend(struct extent *e, double v)
{
    if (v < e->low) {
        e->above = e->low;
        e->low = v;
    } else if (v > e->low && v < e->above) {
        e->above = v;
    }
    if (v > e->high) {
        e->below = e->high;
        e->high = v;
    } else if (v < e->high && v > e->below) {
        e->below = v;
    }
    e->is_whole = e->is_whole && v == floor(v);
}

/* A code is negative, whole, below all others, and not the opposite of the greatest, as in -1, 0,
 * 1. */
static bool is_low_code(const struct extent *e)
{
    return e->low < 0 && e->low == floor(e->low) && e->high != -e->low &&
           (e->low < -1 || e->high > -e->low) && (e->above >= 0 || e->is_whole);
}

/* Some programs write these beside 0, 1 and 2: EIGENSOFT 9, FImpute 5. */
static bool is_high_code(const struct extent *e)
{
    return e->is_whole && e->low >= 0 && e->below <= 2 &&
           (e->high == 5 || e->high == 9 || e->high == 99 || e->high == 999);
}

bool genotype_table_find_code(double *code, const struct profile *table)
{
    struct extent e = empty_extent;
    double v;

    for (int32_t j = 1; j < table->n; j++)
        for (int32_t i = 0; i < table->col[j].seen.n; i++)
            if (table_parse_number(&v, table->col[j].seen.text[i]))
                extend(&e, v);
    *code = is_low_code(&e) ? e.low : e.high;
    return e.low <= e.high && (is_low_code(&e) || is_high_code(&e));
}

static int refuse_code(const struct genotype_table *g, double code, double low, double high,
                       struct err *err)
{
    const struct columns *c = &g->markers;
    int64_t i = 0;
    struct table at = g->table;

    while ((c->v ? (double)c->v[i] : c->dosage[i]) != code)
        i++;
    at.line = names_line(&g->ids, (int32_t)(i / c->n_cols));
    return table_fault(
        err, &at,
        "column \"%.80s\" = %g: not a likely dosage beside values from %g to %g: set [data] "
        "missing_genotype = %g if it means a missing call, or none if it is a dosage",
        c->name[i % c->n_cols], code, low, high, code);
}

static int check_codes(struct genotype_table *g, struct err *err)
{
    const struct columns *c = &g->markers;
    int64_t n = (int64_t)c->n_rows * c->n_cols;
    bool is_there[UINT8_MAX + 1] = {false}, has_number = false;
    struct extent e = empty_extent;
    double v;

    for (int64_t i = 0; c->dosage && i < n; i++)
        is_there[c->dosage[i] - INT8_MIN] = true;
    for (int k = -DOSAGE_MAX; k <= DOSAGE_MAX; k++)
        if (is_there[k - INT8_MIN])
            extend(&e, k);
    for (int64_t i = 0; c->v && i < n; i++)
        if (!isnan(c->v[i]))
            extend(&e, (double)c->v[i]);
    g->low = e.low;
    g->high = e.high;
    for (int32_t i = 0; i < g->missing.n; i++)
        has_number = has_number || table_parse_number(&v, g->missing.text[i]);
    /* Listing only words means that no number is a code. */
    if (g->missing.n && !has_number)
        return 0;
    if (is_low_code(&e))
        return refuse_code(g, e.low, e.above, e.high, err);
    return is_high_code(&e) ? refuse_code(g, e.high, e.low, e.below, err) : 0;
}

/* ---- together ---- */

/* Names the setting if columns_read_row() failed at a likely missing call. */
static int explain_cell(const struct genotype_table *g, struct err *err)
{
    const struct table *t = &g->table;
    struct err fault;
    double v;

    for (int32_t j = 1; j < t->n_cols; j++) {
        const char *cell = t->cell[j];
        size_t n = 0;

        if ((g->markers.missing && reader_is_listed(g->markers.missing, cell)) ||
            !table_number(&v, t, j, &fault))
            continue;
        while (cell[n] && !isalnum((unsigned char)cell[n]))
            n++;
        /* Typical texts are "-", "./." and "n.d.". */
        return !cell[n] || (strchr("nN", *cell) && strlen(cell) <= 7)
                   ? err_set(err, "%s: set [data] missing_genotype = %s if it is a missing call",
                             fault.text, cell)
                   : -1;
    }
    return -1;
}

float genotype_table_cell(const struct genotype_table *g, int32_t row, int32_t col)
{
    const struct columns *c = &g->markers;
    int64_t at = (int64_t)row * c->n_cols + col;

    if (c->v)
        return c->v[at];
    return c->dosage[at] == DOSAGE_MISSING ? NAN : (float)c->dosage[at];
}

/* The first row with a call decides. */
static bool has_letters(const struct genotype_table *g)
{
    const struct nonmarkers *hidden = &g->hidden;
    int32_t n_letters = 0, n_numbers = 0;
    struct table t;
    double v;

    if (table_open(&t, g->table.path, NULL))
        return false;
    for (int row = 0; row < ROWS_SEEN && !n_letters && !n_numbers && table_next(&t, NULL) > 0;
         row++)
        for (int32_t k = 1; k < g->table.n_cols; k++) {
            const char *cell = t.cell[hidden->shown ? hidden->shown[k] : k];

            if (table_parse_number(&v, cell))
                n_numbers++;
            else
                n_letters += letter_columns_is_call(cell);
        }
    table_close(&t);
    return n_letters > n_numbers;
}

/* The column with the name of an id, looked for from `from` on; -1: none. R writes X1 for a column
 * 1. */
static int32_t column_of(const struct genotype_table *g, const char *id, int32_t from)
{
    int32_t n = g->markers.n_cols;

    for (int32_t i = 0; i < n; i++) {
        const char *name = g->table.name[1 + (from + i) % n];

        if (!strcmp(name, id) || (*name == 'X' && !strcmp(name + 1, id)))
            return (from + i) % n;
    }
    return -1;
}

/* True if columns have the names of the first ids and these samples' numbers are symmetric. */
static bool is_relationship(const struct genotype_table *g)
{
    enum { LOOKED_AT = 40, LEAST = 3 };
    int32_t n = g->ids.n < LOOKED_AT ? g->ids.n : LOOKED_AT, column[LOOKED_AT];

    if (n < LEAST || g->ids.n > g->markers.n_cols || g->letters.n_cols)
        return false;
    for (int32_t i = 0; i < n; i++) {
        column[i] = column_of(g, g->ids.text[i], i ? column[i - 1] + 1 : 0);
        if (column[i] < 0)
            return false;
    }
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < i; j++) {
            float a = genotype_table_cell(g, i, column[j]),
                  b = genotype_table_cell(g, j, column[i]);

            if (fabsf(a - b) > 1e-5f * fmaxf(1, fabsf(a))) /* one triangle may be missing */
                return false;
        }
    return true;
}

static int read_table(struct genotype_table *g, const char *missing, struct err *err)
{
    int status;

    if (columns_init(&g->markers, &g->table, 0, err) || check_markers(g, err) ||
        names_split(&g->missing, missing, "data.missing_genotype", err))
        return -1;
    g->markers.missing = g->missing.n ? &g->missing : NULL;
    if (has_letters(g) && letter_columns_init(&g->letters, g->markers.n_cols, err))
        return -1;
    while ((status = nonmarkers_next(&g->table, &g->hidden, err)) > 0) {
        int32_t i = reader_new_id(&g->ids, &g->table, 0, err);

        if (i < 0 || columns_add_row(&g->markers, err))
            return -1;
        if (g->letters.n_cols)
            letter_columns_read_row(&g->letters, &g->markers, i, &g->table);
        else if (columns_read_row(&g->markers, i, &g->table, err))
            return explain_cell(g, err);
    }
    if (!status && g->ids.n == 0)
        return err_set(err, "%s: no samples after the header", g->table.path);
    if (!status && is_relationship(g))
        return err_set(err,
                       "%s: a relationship matrix, not genotypes: its %d columns are its own ids; "
                       "give the markers that it was made of, from which ridge makes the "
                       "relationship (GBLUP)",
                       g->table.path, g->markers.n_cols);
    letter_columns_finish(&g->letters, &g->markers);
    return status ? -1 : check_codes(g, err);
}

/* Beyond the ploidy of any crop. */
#define MOST_PLOIDY 16

/* The largest dosage gives it; calls of -1, 0 and 1 have two alleles. Other negative numbers, and
 * large ones, are scaled, centred or amounts: no frequency can be computed from them.
 * given: [data] ploidy, 0: none. -1 and err: the dosages contradict it. */
static int take_ploidy(struct genotype_table *g, int given, struct err *err)
{
    const double slack = 0.01; /* of imputed dosages */
    bool has_letters = g->letters.n_cols > 0;
    int found = 2;

    if (!has_letters && g->low < 0)
        found = g->low >= -1 - slack && g->high <= 1 + slack ? 2 : 0;
    else if (!has_letters && g->low <= g->high)
        found = g->high > MOST_PLOIDY + slack ? 0 : (int)fmax(1, ceil(g->high - slack));
    g->ploidy = found && given ? given : found;
    if (!found || g->low > g->high)
        return 0;
    if (given && given != 2 && (has_letters || g->low < 0))
        return err_set(
            err,
            "%s: ploidy = %d: %s are calls of two alleles: remove [data] ploidy, or set it to 2",
            g->table.path, given, has_letters ? "letters" : "-1, 0 and 1");
    if (given && given < found)
        return err_set(
            err,
            "%s: ploidy = %d, but the largest dosage is %g: correct [data] ploidy, or the cell",
            g->table.path, given, g->high);
    if (!given && found > 2) {
        int64_t n = 0, n_rows = g->markers.n_rows, n_cols = g->markers.n_cols;

        for (int32_t i = 0; i < n_rows; i++)
            for (int32_t j = 0; j < n_cols; j++)
                n += genotype_table_cell(g, i, j) > 2.01f;
        g->n_above = 100 * n < n_rows * n_cols ? n : 0;
    }
    return 0;
}

int genotype_table_read(struct genotype_table *g, const struct data_spec *spec, struct err *err)
{
    memset(g, 0, sizeof *g);
    return table_open(&g->table, spec->genotypes, err) || check_raw(&g->table, err) ||
                   nonmarkers_hide(&g->hidden, &g->table, spec, err) ||
                   read_table(g, spec->missing_genotype, err) || take_ploidy(g, spec->ploidy, err)
               ? -1
               : 0;
}

/* ---- filter ---- */

static int32_t judge(bool *keeps, const struct tally *tally, const struct genotype_table *g,
                     const struct filter *filter, struct filter_counts *counts)
{
    int32_t n_cols = g->markers.n_cols, n_kept = 0;
    double low = INFINITY, high = -INFINITY;

    for (int32_t j = 0; j < n_cols; j++) {
        low = fmin(low, tally[j].low);
        high = fmax(high, tally[j].high);
    }
    if (low >= 0 && low < 1) {
        low = 0;
        high = g->ploidy;
    }
    for (int32_t j = 0; j < n_cols; j++) {
        const struct tally *t = &tally[j];
        bool is_enough = filter->take == FILTER_FIRST && n_kept >= filter->n_take;
        bool is_other = g->letters.n_cols && g->letters.allele[j][0] == LETTERS_OTHER;
        double frequency = t->n_present ? (t->sum / t->n_present - low) / (high - low) : 0;

        counts->n_read += !is_enough;
        counts->is_partly_read = is_enough;
        keeps[j] = !is_enough && !is_other &&
                   filter_keeps(filter, t, g->markers.n_rows, frequency, counts);
        n_kept += keeps[j];
    }
    return n_kept;
}

static int nothing_left(const struct genotype_table *g, const struct filter_counts *r,
                        struct err *err)
{
    char other[860] = "", uncalled[40] = "";

    if (r->n_monomorphic == r->n_read)
        return err_set(err, "%s: all %d markers are monomorphic", g->table.path, r->n_read);
    if (r->n_uncalled)
        snprintf(uncalled, sizeof uncalled, "%d without any call, ", r->n_uncalled);
    if (g->letters.other.n)
        snprintf(other, sizeof other, ", %d with more than two alleles: %s",
                 (int)g->letters.other.n, g->letters.other.text);
    return err_set(
        err,
        "%s: no marker is left: %d read, %s%d monomorphic, %d with too many missing values, "
        "%d rare%s",
        g->table.path, r->n_read, uncalled, r->n_monomorphic, r->n_too_missing, r->n_rare, other);
}

int genotype_table_filter(struct genotype_table *g, const struct filter *filter,
                          struct filter_counts *counts, int64_t *n_missing, struct err *err)
{
    size_t n = (size_t)g->markers.n_cols;
    struct tally *tally = malloc(n * sizeof *tally);
    bool *keeps = malloc(n * sizeof *keeps);
    int rc = -1;
    int32_t n_kept;

    if (!g->ploidy && filter->maf > 0)
        err_set(err,
                "%s: numbers from %g to %g are no dosages, so maf cannot be applied: remove [data] "
                "maf, or give the genotypes before they were scaled",
                g->table.path, g->low, g->high);
    else if (!tally || !keeps) {
        err_nomem(err, "markers", n * sizeof *tally);
    } else {
        columns_tally(tally, &g->markers);
        n_kept = judge(keeps, tally, g, filter, counts);
        if (filter->take == FILTER_THIN && filter->n_take < n_kept) { /* like markers_thin() */
            int32_t at = 0, n_left = 0, n_take = filter->n_take;

            counts->n_thinned = n_kept - n_take;
            for (size_t j = 0; j < n; j++)
                if (keeps[j]) {
                    keeps[j] = n_left < n_take && at == (int64_t)n_left * n_kept / n_take;
                    n_left += keeps[j];
                    at++;
                }
        }
        columns_keep(&g->markers, keeps);
        letter_columns_keep(&g->letters, keeps);
        rc = n_kept ? columns_impute(&g->markers, n_missing, err) : nothing_left(g, counts, err);
    }
    free(tally);
    free(keeps);
    return rc;
}

void genotype_table_into(struct draft *draft, const struct genotype_table *g)
{
    draft->n_features = g->markers.n_cols;
    draft->ploidy = g->ploidy;
    draft->base = g->ploidy && g->low < 0 ? -1 : 0;
    draft->features = g->markers.v;
    draft->dosage = g->markers.dosage;
    draft->feature_names = g->markers.name;
    draft->alleles = g->letters.n_cols ? g->letters.texts : NULL;
}
