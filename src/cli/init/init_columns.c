/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/init/init_columns.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "data/genotype/genotype_table.h"
#include "data/genotype/variants.h"

/* More different words are names, not classes. */
#define MOST_CLASSES 20
/* More different whole numbers are amounts, not classes. */
#define MOST_NUMBERED_CLASSES 10
/* least groups of a column, and samples of a group */
#define LEAST_GROUPS 3
#define LEAST_GROUP_SIZE 1.5
/* samples of a level of a factor */
#define LEAST_LEVEL_SIZE 5

void init_columns_release(struct init_columns *columns)
{
    if (!columns)
        return;
    names_release(&columns->read_ids);
    profile_release(&columns->rows);
    memset(columns, 0, sizeof *columns);
}

/* ---- what a column's name means ---- */

enum meaning {
    GROUP = 1,  /* Relatives, those that live together, or the samples of one environment: a random
                   fold has them on both sides. */
    ORIGIN = 2, /* Origins and places. Breeders rarely predict a new one. */
    FACTOR = 4, /* of a design: shifts the values of all its samples */
    OTHER = 8,  /* a place or a time, if it is the whole name */
    ID = 16
};

enum { WORDS = 28 };

/* The first word that a name contains gives its meaning. The most typical groups come first. */
static const struct {
    int meaning;
    const char *word[WORDS];
} meanings[] = {
    {GROUP, {"family", "fam",     "fullsib",    "halfsib", "sibship",       "litter",   "dam",
             "sire",   "mother",  "father",     "cross",   "pedigree",      "clone",    "cage",
             "pen",    "tank",    "population", "pop",     "subpopulation", "subpop",   "breed",
             "herd",   "cluster", "scaffold",   "murcko",  "series",        "chemotype"}},
    {GROUP | FACTOR, {"environment", "env", "year", "trial"}},
    {GROUP, {"group"}},
    {ORIGIN | FACTOR, {"location", "site"}},
    {ORIGIN, {"country", "region"}},
    {ORIGIN | FACTOR, {"batch", "block"}},
    {FACTOR,
     {"sex", "gender", "rep", "replicate", "plate", "tray", "plot", "season", "field", "farm",
      "treatment"}},
    {OTHER,
     {"latitude", "longitude", "lat", "lon", "long", "altitude", "date", "day", "month", "week",
      "dob"}},
    {ID, {"id", "cid", "name", "accession", "num", "number", "key"}},
};

enum { N_MEANINGS = sizeof meanings / sizeof *meanings, N_WORDS = N_MEANINGS * WORDS };

/* Return the place of the word, which may be a plural; N_WORDS: none. */
static int find_word(const char *name)
{
    for (int i = 0; i < N_WORDS; i++) {
        const char *word = meanings[i / WORDS].word[i % WORDS];
        size_t n = word ? strlen(word) : 0;

        if (word && meanings[i / WORDS].meaning == OTHER && !strcasecmp(name, word))
            return i;
        if (!word || meanings[i / WORDS].meaning == OTHER)
            continue;
        for (const char *at = name; (at = strcasestr(at, word)); at++)
            if ((at == name || !isalpha((unsigned char)at[-1])) &&
                (!isalpha((unsigned char)at[n]) ||
                 (at[n] == 's' && !isalpha((unsigned char)at[n + 1]))))
                return i;
    }
    return N_WORDS;
}

static bool means(const struct profile_column *col, int some)
{
    int word = find_word(col->name);

    return word < N_WORDS && meanings[word / WORDS].meaning & some;
}

/* ---- what a column may be ---- */

/* A value in each row, and each value once. */
static bool is_key(const struct init_columns *c, int32_t j)
{
    return c->rows.col[j].n == c->rows.n_rows && profile_is_unique(&c->rows.col[j]);
}

/* Whole numbers without a gap number the rows; others may be amounts, such as melting points. */
static bool is_numbering(const struct init_columns *c, int32_t j)
{
    const struct profile_column *col = &c->rows.col[j];

    return is_key(c, j) && profile_is_whole(col) && col->n > 2 &&
           (means(col, ID) || col->high - col->low == (double)(col->n - 1));
}

static bool is_free(const struct init_columns *c, int32_t j)
{
    return j != c->id && j != c->part && (j > 0 || !c->rows.has_family) && *c->rows.col[j].name &&
           c->rows.col[j].n > 0 && !(c->table->role == P_MOLECULES && j == c->table->column);
}

static bool is_classes(const struct profile_column *col)
{
    return col->n > 0 && col->n_numbers == 0 && col->seen.n >= 2 && col->seen.n <= MOST_CLASSES &&
           col->n >= 2 * (int64_t)col->seen.n;
}

/* Where some cells are words, the reader names the first one. */
static bool is_numbers(const struct profile_column *col)
{
    return col->n > 0 && 2 * col->n_numbers >= col->n;
}

static bool can_be_trait(const struct init_columns *c, int32_t j)
{
    const struct profile_column *col = &c->rows.col[j];

    return is_free(c, j) && col->seen.n > 1 && !is_numbering(c, j) &&
           (is_numbers(col) || is_classes(col));
}

/* ---- ids ---- */

static int read_genotypes(struct init_columns *c, const struct init_file *genotypes,
                          struct err *err)
{
    const struct profile *p = &genotypes->profile;
    struct variants v;
    struct site site;
    struct calls calls;
    struct err ignored;
    int rc;

    if (genotypes->kind == KIND_TABLE) {
        c->ids = &p->col[p->has_family].seen;
        c->has_code = genotype_table_find_code(&c->code, p);
        return 0;
    }
    c->ids = &c->read_ids;
    rc = variants_open(&v, genotypes->variants, genotypes->path,
                       &(struct variants_calls){.dosage = DATA_DOSAGE_DS}, err);
    for (int32_t i = 0; !rc && i < v.ids.n; i++)
        rc = names_add_repeated(&c->read_ids, v.ids.text[i], i + 1, err) < 0 ? -1 : 0;
    /* A header need not define the field. */
    c->has_ds = v.has_ds || (!rc && genotypes->variants->has_fields &&
                             variants_next(&v, &site, &ignored) == 1 && !site.odd && site.n_alts &&
                             !variants_read(&v, 0, &calls, &ignored) && v.doubts.n_hard < v.n);
    variants_close(&v);
    return rc;
}

/* Choose the column that has most ids of the genotypes. Without any, all rows count, and the reader
 * joins ids that differ in case, or reports that none match. */
static int join_rows(struct init_columns *c, struct err *err)
{
    const struct profile *p = &c->table->profile;
    int32_t most = profile_known(&p->col[p->has_family], c->ids);

    c->id = p->has_family;
    for (int32_t j = 0; j < p->n; j++) {
        int32_t n = profile_known(&p->col[j], c->ids);

        if (n > most) {
            c->id = j;
            most = n;
        }
    }
    c->writes_id = c->id != p->has_family;
    return profile_read(&c->rows, c->table->path, most ? c->ids : NULL, c->id, err);
}

/* Find the first column that names each row, or better the first whose header is typical for names.
 * Without one, rows are numbered. trait: never the id; or NULL. */
static void find_row_id(struct init_columns *c, const char *trait)
{
    for (int are_others = 0; are_others < 2 && c->id < 0; are_others++)
        for (int32_t j = 0; j < c->rows.n && c->id < 0; j++) {
            const struct profile_column *col = &c->rows.col[j];
            bool is_name = !is_numbers(col) || (profile_is_whole(col) && means(col, ID));

            if (is_free(c, j) && is_key(c, j) && !profile_is_structural(col) &&
                (is_name || is_numbering(c, j)) && (are_others || means(col, ID)) &&
                (!trait || strcmp(col->name, trait) != 0))
                c->id = j;
        }
    c->writes_id = c->id >= 0;
}

/* ---- trait and group ---- */

/* Report the columns that can be predicted. Returns -1. */
static int ask(const struct init_columns *c, const char *trait, struct errlist *faults)
{
    struct buf list = {0};
    struct err err;

    for (int32_t j = 0; j < c->rows.n; j++) {
        const struct profile_column *col = &c->rows.col[j];
        long long n_words = col->n - col->n_numbers;

        if (!can_be_trait(c, j))
            continue;
        buf_printf(&list, "%s\"%.80s\": ", list.size ? "; " : "", col->name);
        if (col->n_numbers)
            buf_printf(&list, "%lld numbers%s", (long long)col->n_numbers, n_words ? " and " : "");
        if (n_words)
            buf_printf(&list, "%lld words", n_words);
    }
    if (!list.size)
        err_set(&err,
                "%s: no column can be predicted: a trait must have different numbers, or 2 to %d "
                "different words",
                c->table->path, MOST_CLASSES);
    else if (trait)
        err_set(&err, "%s: no trait \"%.80s\": --trait must be one of %s", c->table->path, trait,
                buf_text(&list));
    else
        err_set(&err, "%s: several traits: name one with --trait: %s", c->table->path,
                buf_text(&list));
    buf_release(&list);
    return errlist_add_usage(faults, &err);
}

/* Without --trait: the only column of numbers that is neither place, time, group nor factor of a
 * design, else of classes, else any such column, which the reader then refuses. */
static int find_trait(struct init_columns *c, const char *trait, struct errlist *faults)
{
    int n = 0;

    if (trait) {
        c->trait = profile_find(&c->rows, trait);
        return c->trait < 0 || !is_free(c, c->trait) ? ask(c, trait, faults) : 0;
    }
    for (int step = 0; step < 3 && n == 0; step++)
        for (int32_t j = 0; j < c->rows.n; j++) {
            const struct profile_column *col = &c->rows.col[j];
            bool fits = step == 2 ? is_free(c, j) && !is_numbering(c, j)
                                  : can_be_trait(c, j) && is_classes(col) == step;

            if (fits && !means(col, GROUP | ORIGIN | FACTOR | OTHER)) {
                c->trait = j;
                n++;
            }
        }
    return n == 1 ? 0 : ask(c, NULL, faults);
}

static void find_group(struct init_columns *c)
{
    int best = N_WORDS;

    for (int32_t j = 0; j < c->rows.n; j++) {
        const struct profile_column *col = &c->rows.col[j];
        int word = find_word(col->name);

        if (word < best && meanings[word / WORDS].meaning & (GROUP | ORIGIN) && is_free(c, j) &&
            j != c->trait && !col->is_cut && col->n == c->rows.n_rows &&
            col->seen.n >= LEAST_GROUPS && (double)col->n >= LEAST_GROUP_SIZE * col->seen.n) {
            best = word;
            c->group = j;
            c->is_sure_group = meanings[word / WORDS].meaning & GROUP;
        }
    }
}

void init_columns_design(struct buf *out, const struct init_columns *c, bool uses_group)
{
    for (int32_t j = 0; j < c->rows.n; j++) {
        const struct profile_column *col = &c->rows.col[j];
        const char *quote = strpbrk(col->name, ",( ") ? "\"" : "";
        bool is_levels = profile_is_numeric(col) && col->seen.n > 2;

        if (is_free(c, j) && j != c->trait && !(uses_group && j == c->group) &&
            means(col, FACTOR) && col->seen.n > 1 &&
            col->n >= LEAST_LEVEL_SIZE * (int64_t)col->seen.n)
            buf_printf(out, is_levels ? "%sfactor(%s%s%s)" : "%s%s%s%s", out->size ? ", " : "",
                       quote, col->name, quote);
    }
}

enum data_task init_columns_task(const struct init_columns *c, const struct data_format *format)
{
    const struct profile_column *col = &c->rows.col[c->trait];

    if (profile_is_numeric(col))
        return profile_is_whole(col) && !col->is_cut &&
                       col->seen.n <= (format->has_genotypes ? 2 : MOST_NUMBERED_CLASSES)
                   ? DATA_TASK_CLASSIFICATION
                   : DATA_TASK_REGRESSION;
    return is_classes(col) ? DATA_TASK_CLASSIFICATION : DATA_TASK_AUTO;
}

/* ---- together ---- */

int init_columns_read(struct init_columns *out, const struct init_files *files, const char *trait,
                      struct errlist *faults)
{
    const struct init_file *genotypes = init_files_find(files, P_GENOTYPES);
    const struct data_format *format = files->format;
    struct err err;

    *out = (struct init_columns){.id = -1, .trait = -1, .group = -1, .part = -1};
    if (format->trait_table)
        out->table = init_files_find(files, param_find("data", format->trait_table));
    if (format->has_trait_number)
        out->number = trait;
    else if (trait && !out->table) {
        err_set(&err, "--trait %.80s: %s has no traits to choose from: leave --trait out", trait,
                files->file[0].path);
        return errlist_add_usage(faults, &err);
    }
    if (genotypes && read_genotypes(out, genotypes, &err))
        return errlist_add_err(faults, &err);
    if (!out->table)
        return 0;
    if (genotypes ? join_rows(out, &err)
                  : profile_read(&out->rows, out->table->path, NULL, 0, &err))
        return errlist_add_err(faults, &err);
    if (!init_files_find(files, P_SPLIT_FILE))
        out->part = init_files_part_column(&out->rows);
    if (format->samples == DATA_NODES)
        out->id = 0;
    else if (!genotypes && data_format_setting(format, "id"))
        find_row_id(out, trait);
    if (find_trait(out, trait, faults))
        return -1;
    if (format->has_groups)
        find_group(out);
    return 0;
}
