/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/genotype/letters.h"
#include "data/genotype/variants.h"
#include "data/text/table.h"

/* HapMap is a table with a row for each site: up to eleven columns about the site, then one for each
 * sample. The alleles are those of the column `alleles`, or the letters of the calls if it has none
 * or lacks one, as in the tutorial files of TASSEL and GAPIT. If the calls then do not have exactly two
 * letters, the site is dropped. Calls of all samples count, so that `subset` changes nothing. */

enum { RS, ALLELES, CHROM, POS, LEAST_FIXED, FIXED = 11 };

static const char letters[] = VARIANTS_LETTERS;
enum { N_LETTERS = VARIANTS_N_LETTERS };

struct hapmap {
    struct table table;
    bool is_open;
    int32_t n_fixed;             /* columns before the samples */
    char text[N_LETTERS + 1][2]; /* the reference first, then "" */
    const char *alt[N_LETTERS];
    int32_t n_alleles;
    bool is_seen;         /* taken from the calls */
    bool is_contradicted; /* because the column lacks a letter */
    char (*call)[2];      /* [ids.n] letters, N where missing */
    int8_t *dosage;       /* [ids.n] */
    char odd[80];
};

#define REFUSE(h, err, ...) variants_fault(err, (h)->table.path, "", (h)->table.line, __VA_ARGS__)

/* ---- columns ---- */

/* R writes rs. for rs#. */
static bool is_column(const char *name, const char *const *list)
{
    char plain[32];
    size_t n = 0;

    for (; *name && n + 1 < sizeof plain; name++)
        if (isalnum((unsigned char)*name))
            plain[n++] = *name;
    plain[n] = '\0';
    for (; *list; list++)
        if (!strcasecmp(plain, *list))
            return true;
    return false;
}

/* Returns the number of columns about the site, or 0 if these are not those of HapMap. */
static int32_t count_fixed(const char *const *name, int32_t n_cols)
{
    static const char *const first[][5] = {[ALLELES] = {"alleles", "allele"},
                                           [CHROM] = {"chrom", "chr", "chromosome"},
                                           [POS] = {"pos", "position", "bp"}};
    static const char *const further[] = {"strand", "assembly",  "center", "protLSID", "assayLSID",
                                          "panel",  "panelLSID", "QCcode", NULL};
    int32_t n = LEAST_FIXED;

    for (int32_t j = ALLELES; j <= POS; j++)
        if (j >= n_cols || !is_column(name[j], first[j]))
            return 0;
    while (n < n_cols && n < FIXED && is_column(name[n], further))
        n++;
    return n;
}

/* The first columns decide, in any case and with other punctuation. */
static bool is_hapmap(const char *path, const char *head, size_t n)
{
    struct table t;
    bool is;

    (void)head;
    (void)n;
    is = !table_open(&t, path, NULL) && count_fixed((const char *const *)t.name, t.n_cols);
    table_close(&t);
    return is;
}

/* ---- a site ---- */

static bool has_allele(const struct hapmap *h, int letter)
{
    for (int32_t i = 0; i < h->n_alleles; i++)
        if (h->text[i][0] == letter)
            return true;
    return false;
}

static void add_allele(struct hapmap *h, int letter)
{
    h->text[h->n_alleles][0] = (char)letter;
    h->text[h->n_alleles][1] = '\0';
    h->alt[h->n_alleles] = h->text[h->n_alleles];
    h->text[++h->n_alleles][0] = '\0';
}

/* "A/C" gives two alleles, an unknown text none. Returns false for another text. */
static bool read_alleles(struct hapmap *h, const char *text)
{
    h->n_alleles = 0;
    h->text[0][0] = '\0';
    h->is_seen = table_is_missing(text) || !strcmp(text, "N");
    for (const char *at = text; !h->is_seen; at++) {
        int letter = toupper((unsigned char)*at++);

        if (!letter || !strchr(letters, letter) || has_allele(h, letter) ||
            (*at && !strchr("/|,:", *at)))
            return false;
        add_allele(h, letter);
        if (!*at)
            return true;
    }
    return true;
}

/* R writes 1e+05. A missing position is 0, which is no place. */
static bool read_position(int64_t *pos, const char *text)
{
    double number;

    *pos = 0;
    if (table_is_missing(text))
        return true;
    if (!table_parse_number(&number, text) || number < 0 || number > 1e15 ||
        number != floor(number))
        return false;
    *pos = (int64_t)number;
    return true;
}

/* ---- calls ---- */

/* - is an allele only where the column names it. */
static bool is_missing(const struct hapmap *h, const char *call)
{
    return letters_is_missing(call) && !(*call == '-' && has_allele(h, '-'));
}

static bool is_letter(const struct hapmap *h, char c)
{
    return c && strchr(letters, c) && (c != '-' || has_allele(h, '-'));
}

/* The alleles belong to the file, so unselected samples count, too. */
static void read_calls(struct variants *v, bool *has)
{
    struct hapmap *h = v->state;

    memset(has, 0, N_LETTERS * sizeof *has);
    for (int32_t i = 0; i < v->ids.n; i++) {
        const char *text = h->table.cell[h->n_fixed + i];
        char *call = h->call[i];
        bool is_read = !is_missing(h, text) && letters_read(call, text);

        if (is_read && is_letter(h, call[0]) && is_letter(h, call[1])) {
            has[strchr(letters, call[0]) - letters] = true;
            has[strchr(letters, call[1]) - letters] = true;
            continue;
        }
        if (v->slot[i] >= 0 && !is_missing(h, text) &&
            !(is_read && (strchr("N-", call[0]) || strchr("N-", call[1]))))
            variants_note_malformed(v, "line ", h->table.line, v->ids.text[i], text,
                                    (int)strlen(text));
        call[0] = call[1] = 'N';
    }
}

static int hapmap_next(struct variants *v, struct site *site, struct err *err)
{
    struct hapmap *h = v->state;
    int status = table_next(&h->table, err);
    bool has[N_LETTERS];

    if (status <= 0)
        return status;
    *site = (struct site){.id = h->table.cell[RS], .chrom = h->table.cell[CHROM], .ref = "N"};
    if (!read_position(&site->pos, h->table.cell[POS]))
        snprintf(h->odd, sizeof h->odd, "pos = %.40s", h->table.cell[POS]);
    else if (!read_alleles(h, h->table.cell[ALLELES]))
        snprintf(h->odd, sizeof h->odd, "alleles = %.40s", h->table.cell[ALLELES]);
    else
        h->odd[0] = '\0';
    site->odd = h->odd[0] ? h->odd : NULL;
    if (site->odd)
        return 1;
    read_calls(v, has);
    h->is_contradicted = false;
    for (int k = 0; k < N_LETTERS; k++)
        h->is_contradicted =
            h->is_contradicted || (!h->is_seen && has[k] && !has_allele(h, letters[k]));
    h->is_seen = h->is_seen || h->is_contradicted;
    if (h->is_seen) {
        h->n_alleles = 0;
        h->text[0][0] = '\0';
        for (int k = 0; k < N_LETTERS; k++)
            if (has[k])
                add_allele(h, letters[k]);
    }
    site->ref = h->n_alleles ? h->text[0] : "N";
    site->alt = h->alt + 1;
    site->n_alts = h->n_alleles ? h->n_alleles - 1 : 0;
    site->is_seen = h->is_seen;
    site->is_contradicted = h->is_contradicted;
    return 1;
}

static int hapmap_read(struct variants *v, int32_t alt, struct calls *calls, struct err *err)
{
    struct hapmap *h = v->state;
    char counted = *h->text[alt + 1];

    (void)err;
    for (int32_t i = 0; i < v->ids.n; i++) {
        const char *call = h->call[i];

        if (v->slot[i] >= 0)
            h->dosage[v->slot[i]] = call[0] == 'N'
                                        ? DOSAGE_MISSING
                                        : (int8_t)((call[0] == counted) + (call[1] == counted));
    }
    calls->dosage = h->dosage;
    return 0;
}

/* ---- file ---- */

static void hapmap_close(struct variants *v)
{
    struct hapmap *h = v->state;

    if (h->is_open)
        table_close(&h->table);
    free(h->call);
    free(h->dosage);
    free(h);
}

static int hapmap_open_file(struct variants *v, struct err *err)
{
    struct hapmap *h = calloc(1, sizeof *h);

    if (!h)
        return err_nomem(err, v->path, sizeof *h);
    v->state = h;
    if (table_open(&h->table, v->path, err))
        return -1;
    h->is_open = true;
    h->n_fixed = count_fixed((const char *const *)h->table.name, h->table.n_cols);
    if (h->table.n_cols <= h->n_fixed)
        return REFUSE(
            h, err,
            "%d columns: must be those about the site (rs#, alleles, chrom, pos, ...) and "
            "one for each sample",
            h->table.n_cols);
    for (int32_t j = h->n_fixed; j < h->table.n_cols; j++)
        if (variants_add_id(v, h->table.name[j], h->table.line, err))
            return -1;
    h->call = malloc((size_t)v->ids.n * sizeof *h->call);
    h->dosage = malloc((size_t)v->ids.n);
    return h->call && h->dosage ? 0 : err_nomem(err, "genotypes of a variant", (size_t)v->ids.n);
}

const struct variants_kind HapMap_variants = {
    .name = "HapMap",
    .is_diploid = true,
    .counts_ref = true,
    .is_kind = is_hapmap,
    .open = hapmap_open_file,
    .next = hapmap_next,
    .read = hapmap_read,
    .close = hapmap_close,
};
