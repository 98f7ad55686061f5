/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/init/init_columns.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/core/phenotype.h"
#include "data/core/reader.h"
#include "data/genotype/genotype_table.h"
#include "data/genotype/variants.h"
#include "data/graph/molecule.h"

/* More different words are names, not classes. */
#define MOST_CLASSES 20
/* More different words are classes only if the readers say so. */
#define MOST_SURE_CLASSES 10
/* More different whole numbers are amounts, not classes. */
#define MOST_NUMBERED_CLASSES 10
/* least groups of a column, and samples of a group */
#define LEAST_GROUPS 3
#define LEAST_GROUP_SIZE 1.5
/* values that are parsed to find out whether a column holds molecules */
#define TRIED_MOLECULES 20

void init_columns_release(struct init_columns *columns)
{
    if (!columns)
        return;
    names_release(&columns->ids);
    profile_release(&columns->joined);
    memset(columns, 0, sizeof *columns);
}

/* ---- what a column may be ---- */

static bool is_word_of(const char *name, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = name; (at = strcasestr(at, word)); at++)
        if ((at == name || !isalpha((unsigned char)at[-1])) &&
            (!isalpha((unsigned char)at[n]) ||
             (at[n] == 's' && !isalpha((unsigned char)at[n + 1]))))
            return true;
    return false;
}

/* Relatives, those that live together, or the samples of one environment: a random fold has them on
 * both sides. The most typical come first. */
static const char *const sure_groups[] = {
    "family", "fam",     "fullsib",    "halfsib",       "sibship",   "litter", "dam",
    "sire",   "mother",  "father",     "cross",         "pedigree",  "clone",  "cage",
    "pen",    "tank",    "population", "subpopulation", "pop",       "subpop", "breed",
    "herd",   "cluster", "scaffold",   "murcko",        "chemotype", "series", "environment",
    "env",    "year",    "trial",      "group"};

/* Origins and places. Breeders rarely predict a new one. */
static const char *const possible_groups[] = {"location", "site",  "country",
                                              "region",   "batch", "block"};

/* Factors of a design, which shift the values of all their samples. */
static const char *const design[] = {"sex",      "gender", "block",  "rep",      "replicate",
                                     "batch",    "plate",  "tray",   "plot",     "site",
                                     "location", "year",   "season", "env",      "environment",
                                     "trial",    "field",  "farm",   "treatment"};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* Return the place in the list of the word that a name contains; -1: none. */
static int find_word(const char *const *list, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (is_word_of(name, list[i]))
            return i;
    return -1;
}

/* Return how typical a name is for a column of groups: 0 is the most typical, -1 is no such
 * name. */
static int group_rank(const char *name)
{
    int sure = find_word(sure_groups, COUNT(sure_groups), name);
    int possible = find_word(possible_groups, COUNT(possible_groups), name);

    return sure >= 0 ? sure : possible >= 0 ? COUNT(sure_groups) + possible : -1;
}

static bool is_design(const char *name)
{
    return find_word(design, COUNT(design), name) >= 0;
}

bool init_columns_sure_group(const struct init_columns *c)
{
    return c->group >= 0 && group_rank(c->joined.col[c->group].name) < COUNT(sure_groups);
}

static bool is_place_or_time(const char *name)
{
    static const char *const words[] = {"latitude", "longitude", "lat",  "lon",
                                        "long",     "altitude",  "date", "day",
                                        "month",    "week",      "dob"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcasecmp(name, words[i]))
            return true;
    return false;
}

static bool is_id_name(const char *name)
{
    static const char *const words[] = {"id", "cid", "name", "accession", "num", "number", "key"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word_of(name, words[i]))
            return true;
    return false;
}

/* A value in each row, and each value once. */
static bool is_key(const struct init_columns *c, int32_t j)
{
    const struct profile_column *col = &c->joined.col[j];

    return col->n == c->joined.n_rows && profile_is_unique(col);
}

/* Whole numbers without a gap number the rows; others may be amounts, such as melting points. */
static bool is_numbering(const struct init_columns *c, int32_t j)
{
    const struct profile_column *col = &c->joined.col[j];

    return is_key(c, j) && profile_is_whole(col) && col->n > 2 &&
           (is_id_name(col->name) || col->high - col->low == (double)(col->n - 1));
}

static bool is_free(const struct init_columns *c, int32_t j)
{
    return j != c->id && j != c->part && (j > 0 || !c->joined.has_family) &&
           *c->joined.col[j].name && c->joined.col[j].n > 0 &&
           !(c->table->role == P_MOLECULES && j == c->table->column);
}

static bool is_classes(const struct profile_column *col)
{
    return col->n > 0 && col->n_numbers == 0 && col->seen.n >= 2 && col->seen.n <= MOST_CLASSES &&
           col->n >= 2 * (int64_t)col->seen.n;
}

/* Some cells are words. The readers name the first one. */
static bool is_spoilt(const struct profile_column *col)
{
    return col->n_numbers < col->n && 2 * col->n_numbers >= col->n;
}

static bool can_be_trait(const struct init_columns *c, int32_t j)
{
    const struct profile_column *col = &c->joined.col[j];

    return is_free(c, j) && col->seen.n > 1 && !is_numbering(c, j) &&
           (profile_is_numeric(col) || is_spoilt(col) || is_classes(col));
}

/* Without --trait: numbers that are neither places, times, groups nor factors of a design, or words if there are no such
 * numbers. */
static bool is_likely_trait(const struct init_columns *c, int32_t j, bool are_words)
{
    const struct profile_column *col = &c->joined.col[j];

    return can_be_trait(c, j) && is_classes(col) == are_words && group_rank(col->name) < 0 &&
           !is_design(col->name) && !is_place_or_time(col->name);
}

static bool is_group(const struct init_columns *c, int32_t j)
{
    const struct profile_column *col = &c->joined.col[j];

    return is_free(c, j) && j != c->trait && group_rank(col->name) >= 0 && !col->is_cut &&
           col->n == c->joined.n_rows && col->seen.n >= LEAST_GROUPS &&
           (double)col->n >= LEAST_GROUP_SIZE * col->seen.n;
}

/* ---- ids ---- */

static int read_table_ids(struct names *ids, const char *path, struct err *err)
{
    struct table t;
    int status;

    if (table_open(&t, path, err) != 0)
        return -1;
    while ((status = table_next(&t, err)) > 0) {
        const char *id = t.cell[reader_has_family(&t)];

        if (names_find(ids, id) < 0 && names_add(ids, id, t.line, err) < 0)
            break;
    }
    if (!status)
        status = genotype_table_check_square(path, (const char *const *)t.name + 1, t.n_cols - 1,
                                             ids, err);
    table_close(&t);
    return status == 0 ? 0 : -1;
}

/* A header need not define the field. */
static bool first_has_ds(struct variants *v)
{
    struct site site;
    struct calls calls;
    struct err err;

    return variants_next(v, &site, &err) == 1 && !site.odd && site.n_alts &&
           !variants_read(v, 0, &calls, &err) && v->doubts.n_hard < v->n;
}

static int read_variant_ids(struct init_columns *c, const char *path, struct err *err)
{
    struct names *ids = &c->ids;
    struct variants v;
    const struct variants_kind *kind = variants_detect(path);
    int rc = variants_open(&v, kind, path, &(struct variants_calls){.dosage = DATA_DOSAGE_DS}, err);

    for (int32_t i = 0; rc == 0 && i < v.ids.n; i++)
        if (names_find(ids, v.ids.text[i]) < 0 && names_add(ids, v.ids.text[i], i + 1, err) < 0)
            rc = -1;
    c->has_ds = v.has_ds || (!rc && kind->has_fields && first_has_ds(&v));
    variants_close(&v);
    return rc;
}

/* Choose the column that has most ids of the genotypes. */
static void find_id(struct init_columns *c)
{
    const struct profile *p = &c->table->profile;
    int32_t best = p->has_family, most = profile_known(&p->col[best], &c->ids);

    for (int32_t j = 0; j < p->n; j++) {
        int32_t n = profile_known(&p->col[j], &c->ids);

        if (n > most && j != best) {
            best = j;
            most = n;
        }
    }
    c->is_unjoined = most == 0;
    c->id = best;
    c->writes_id = best != p->has_family;
}

static int check_header(const struct init_columns *c, struct err *err)
{
    struct table t;
    int rc;

    if (table_open(&t, c->table->path, err))
        return -1;
    rc = phenotype_check_header(&t, c->id, &c->ids, err);
    table_close(&t);
    return rc;
}

/* Find a number in the profiled columns that is no dosage. -1 and err: memory is short. */
static int find_code(struct init_columns *c, const struct profile *p, struct err *err)
{
    size_t most = 1;
    double *values;
    int32_t n = 0;

    for (int32_t j = 1; j < p->n; j++)
        most += (size_t)p->col[j].seen.n;
    values = malloc(most * sizeof *values);
    if (!values)
        return err_nomem(err, "genotypes", most * sizeof *values);
    for (int32_t j = 1; j < p->n; j++)
        for (int32_t i = 0; i < p->col[j].seen.n; i++)
            n += table_parse_number(&values[n], p->col[j].seen.text[i]);
    c->has_code = genotype_table_find_code(&c->code, values, n);
    free(values);
    return 0;
}

static int join(struct init_columns *c, const struct init_files *files, struct err *err)
{
    const struct init_file *genotypes = init_files_find(files, P_GENOTYPES);
    int rc = genotypes->kind == KIND_TABLE ? read_table_ids(&c->ids, genotypes->path, err)
                                           : read_variant_ids(c, genotypes->path, err);

    if (rc == 0 && genotypes->kind == KIND_TABLE)
        rc = find_code(c, &genotypes->profile, err);
    if (rc != 0 || !c->table)
        return rc;
    find_id(c);
    if (check_header(c, err) != 0)
        return -1;
    return profile_read(&c->joined, c->table->path, c->is_unjoined ? NULL : &c->ids, c->id, err);
}

/* A second column of SMILES has no names. */
static bool is_molecules(const struct profile_column *col)
{
    int32_t n = col->seen.n < TRIED_MOLECULES ? col->seen.n : TRIED_MOLECULES, i = 0;
    struct molecules m;

    if (!molecule_is_readable())
        return false;
    molecules_init(&m);
    while (i < n && molecules_add(&m, col->seen.text[i], NULL) > 0)
        i++;
    molecules_release(&m);
    return n > 0 && i == n;
}

/* Numbers with a few other cells are a trait with faults. */
static bool can_be_id(const struct init_columns *c, int32_t j, const char *trait)
{
    const struct profile_column *col = &c->joined.col[j];

    if (!is_free(c, j) || !is_key(c, j) || (trait && !strcmp(col->name, trait)))
        return false;
    if (is_id_name(col->name) && (profile_is_whole(col) || col->n_numbers < col->n))
        return !is_molecules(col);
    return is_numbering(c, j) || (col->n_numbers < col->n && !is_spoilt(col) && !is_molecules(col));
}

/* Find the first column that names each row, or better the first whose header is typical for names.
 * Without one, rows are numbered. trait: never the id; or NULL. */
static void find_row_id(struct init_columns *c, const char *trait)
{
    for (int are_others = 0; are_others < 2 && c->id < 0; are_others++)
        for (int32_t j = 0; j < c->joined.n && c->id < 0; j++)
            if (can_be_id(c, j, trait) && (are_others || is_id_name(c->joined.col[j].name))) {
                c->id = j;
                c->writes_id = true;
            }
}

/* ---- trait and group ---- */

static int32_t first_word(const struct profile_column *col)
{
    double v;
    int32_t i = 0;

    while (i < col->seen.n && table_parse_number(&v, col->seen.text[i]))
        i++;
    return i;
}

static void list_one(struct buf *out, const struct profile_column *col)
{
    int32_t word = first_word(col);

    buf_printf(out, "\"%.80s\": %lld ", col->name,
               (long long)(is_spoilt(col) ? col->n_numbers : col->n));
    if (is_spoilt(col) && word < col->seen.n)
        buf_printf(out, "numbers and %lld other%s, the first \"%.40s\" on line %lld",
                   (long long)(col->n - col->n_numbers), col->n - col->n_numbers == 1 ? "" : "s",
                   col->seen.text[word], (long long)names_line(&col->seen, word));
    else if (profile_is_numeric(col))
        buf_puts(out,
                 profile_is_whole(col) && col->seen.n == 2 ? "numbers, two values" : "numbers");
    else
        buf_printf(out, "words, %d different ones", col->seen.n);
}

void init_columns_list(struct buf *out, const struct init_columns *c, const char *apart)
{
    bool is_first = true;

    for (int32_t j = 0; j < c->joined.n; j++)
        if (can_be_trait(c, j)) {
            buf_puts(out, is_first ? "" : apart);
            list_one(out, &c->joined.col[j]);
            is_first = false;
        }
}

static void refuse_all(const struct init_columns *c, struct err *err)
{
    for (int32_t j = 0; j < c->joined.n; j++) {
        const struct profile_column *col = &c->joined.col[j];

        if (!is_free(c, j) || is_numbering(c, j) || group_rank(col->name) >= 0)
            continue;
        err_set(err,
                "%s:%lld: column \"%.80s\" = \"%.80s\"%s: no column can be predicted: a trait "
                "must have different numbers, or 2 to %d different words",
                c->table->path, (long long)names_line(&col->seen, 0), col->name, col->seen.text[0],
                col->seen.n == 1 ? " in every row" : "", MOST_CLASSES);
        return;
    }
    if (c->table->role == P_MOLECULES)
        err_set(err,
                "%s: no column can be predicted: beside the molecules it must have a trait, with "
                "different numbers or 2 to %d different words",
                c->table->path, MOST_CLASSES);
    else
        err_set(err,
                "%s: no column can be predicted: must have an id and a trait, with values for "
                "samples of the other file",
                c->table->path);
}

/* Returns -1. */
static int ask(const struct init_columns *c, const char *trait, struct errlist *faults)
{
    struct buf list = {0};
    struct err err;

    init_columns_list(&list, c, "; ");
    if (!list.size)
        refuse_all(c, &err);
    else if (trait)
        err_set(&err, "%s: no trait \"%.80s\": --trait must be one of %s", c->table->path, trait,
                buf_text(&list));
    else
        err_set(&err, "%s: several traits: name one with --trait: %s", c->table->path,
                buf_text(&list));
    buf_release(&list);
    return errlist_add_usage(faults, &err);
}

static int find_trait(struct init_columns *c, const char *trait, struct errlist *faults)
{
    int n = 0;

    for (int32_t j = 0; c->is_unjoined && j < c->joined.n && c->trait < 0; j++)
        c->trait = is_free(c, j) ? j : -1;
    if (c->trait >= 0)
        return 0;
    if (trait) {
        c->trait = profile_find(&c->joined, trait);
        if (c->trait < 0 || !is_free(c, c->trait))
            return ask(c, trait, faults);
        return 0;
    }
    for (int are_words = 0; are_words < 2 && n == 0; are_words++)
        for (int32_t j = 0; j < c->joined.n; j++)
            if (is_likely_trait(c, j, are_words)) {
                c->trait = j;
                n++;
            }
    return n == 1 ? 0 : ask(c, NULL, faults);
}

static void find_group(struct init_columns *c)
{
    for (int32_t j = 0; j < c->joined.n; j++)
        if (is_group(c, j) && (c->group < 0 || group_rank(c->joined.col[j].name) <
                                                   group_rank(c->joined.col[c->group].name)))
            c->group = j;
}

/* samples of a level of a factor */
#define LEAST_LEVEL_SIZE 5

/* A few levels, whose name can stand in the setting. */
static bool is_factor(const struct profile_column *col)
{
    return is_design(col->name) && !strpbrk(col->name, ";\n\r\"") && !col->is_cut &&
           col->seen.n > 1 && col->n >= LEAST_LEVEL_SIZE * (int64_t)col->seen.n &&
           (col->n_numbers == 0 || profile_is_whole(col));
}

void init_columns_design(struct buf *out, const struct init_columns *c, int32_t group)
{
    if (!c->table || c->table->role != P_PHENOTYPES)
        return;
    for (int32_t j = 0; j < c->joined.n && out->size < 100; j++) {
        const struct profile_column *col = &c->joined.col[j];
        bool is_levels = profile_is_numeric(col) && col->seen.n > 2;
        bool is_quoted = strpbrk(col->name, ",( ") != NULL;

        if (!is_free(c, j) || j == c->trait || j == group || !is_factor(col))
            continue;
        buf_printf(out, "%s%s", out->size ? ", " : "", is_levels ? "factor(" : "");
        buf_printf(out, is_quoted ? "\"%s\"" : "%s", col->name);
        buf_puts(out, is_levels ? ")" : "");
    }
}

static bool is_meaning(const char *name, const char *trait, size_t n_stem)
{
    static const char *const words[] = {"relation", "units", "unit", "type"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncasecmp(name, trait, n_stem) && !strcasecmp(name + n_stem, words[i]))
            return true;
    return false;
}

static void put_meanings(struct buf *out, const struct profile_column *col)
{
    buf_printf(out, "%s\"%.80s\" (\"%.40s\", \"%.40s\"%s)", out->size ? ", " : "", col->name,
               col->seen.text[0], col->seen.text[1], col->seen.n > 2 ? " ..." : "");
}

void init_columns_meanings(struct buf *out, const struct init_columns *c)
{
    const char *trait = c->trait >= 0 ? c->joined.col[c->trait].name : "";
    size_t n = strlen(trait), n_word = strlen("value");

    if (n < n_word || strcasecmp(trait + n - n_word, "value") != 0)
        return;
    for (int32_t j = 0; j < c->joined.n; j++)
        if (c->joined.col[j].seen.n > 1 && is_meaning(c->joined.col[j].name, trait, n - n_word))
            put_meanings(out, &c->joined.col[j]);
}

enum data_task init_columns_task(const struct init_columns *c, const struct data_format *format)
{
    const struct profile_column *col = &c->joined.col[c->trait];

    if (profile_is_numeric(col))
        return profile_is_whole(col) && !col->is_cut &&
                       col->seen.n <= (format->has_genotypes ? 2 : MOST_NUMBERED_CLASSES)
                   ? DATA_TASK_CLASSIFICATION
                   : DATA_TASK_REGRESSION;
    return is_classes(col) && col->seen.n <= MOST_SURE_CLASSES ? DATA_TASK_CLASSIFICATION
                                                               : DATA_TASK_AUTO;
}

int init_columns_magnitudes(const struct init_columns *c, const struct data_format *format)
{
    const struct profile_column *col = c->trait >= 0 ? &c->joined.col[c->trait] : NULL;

    if (!col || col->low <= 0 || col->low >= col->high || !profile_is_numeric(col) ||
        init_columns_task(c, format) != DATA_TASK_REGRESSION)
        return 0;
    return (int)(log10(col->high) - log10(col->low));
}

/* ---- together ---- */

static int read_joined(struct init_columns *c, const struct init_files *files, const char *trait,
                       struct errlist *faults)
{
    struct err err;
    int rc;

    const struct data_format *format = files->format;

    if (format->has_genotypes) {
        if (join(c, files, &err))
            return errlist_add_err(faults, &err);
    } else if (profile_read(&c->joined, c->table->path, NULL, 0, &err)) {
        return errlist_add_err(faults, &err);
    }
    if (!c->table)
        return 0;
    if (!init_files_find(files, P_SPLIT_FILE))
        c->part = init_files_part_column(&c->joined);
    if (!format->has_genotypes && data_format_setting(format, "id"))
        find_row_id(c, trait);
    rc = find_trait(c, trait, faults);
    if (!rc && format->has_groups)
        find_group(c);
    return rc;
}

static int refuse_trait(const struct init_files *files, const char *trait, struct errlist *faults)
{
    struct err err;

    err_set(&err, "--trait %.80s: %s has no traits to choose from: leave --trait out", trait,
            files->file[0].path);
    return errlist_add_usage(faults, &err);
}

int init_columns_read(struct init_columns *out, const struct init_files *files, const char *trait,
                      struct errlist *faults)
{
    const struct data_format *format = files->format;

    *out = (struct init_columns){.id = -1, .trait = -1, .group = -1, .part = -1};
    if (format->trait_table)
        out->table = init_files_find(files, (enum param_id)param_find("data", format->trait_table));
    if (format->has_trait_number)
        out->number = trait;
    if (format->samples == DATA_NODES)
        out->id = 0;
    if (trait && !out->table && !format->has_trait_number)
        return refuse_trait(files, trait, faults);
    if (out->table || format->has_genotypes)
        return read_joined(out, files, trait, faults);
    return 0;
}
