/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "data/genotype/readers.h"
#include "data/text/table.h"

/* HapMap is a table with a row for each site: eleven columns about the site, then one for each
 * sample. A call is two letters, or one IUPAC code for both. The alleles are those of the column
 * `alleles`, or the letters of the calls if it has none or lacks one (doc/decisions/0040). */

enum { RS, ALLELES, CHROM, POS, FIXED = 11 };

static const char letters[] = VARIANTS_LETTERS;
enum { N_LETTERS = VARIANTS_N_LETTERS };

struct hapmap {
    struct table table;
    bool is_open;
    char text[N_LETTERS + 1][2]; /* the reference first, then "" */
    const char *alt[N_LETTERS];
    int32_t n_alleles;
    bool is_seen;         /* taken from the calls */
    bool is_contradicted; /* because the column lacks a letter */
    int8_t *dosage;       /* [ids.n] */
};

#define REFUSE(h, err, ...) variants_fault(err, (h)->table.path, "", (h)->table.line, __VA_ARGS__)

static int upper(int c)
{
    return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
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

/* "A/C" gives two alleles, an unknown text none. */
static int read_alleles(struct hapmap *h, const char *text, struct err *err)
{
    const char *at = text;

    h->n_alleles = 0;
    h->text[0][0] = '\0';
    h->is_seen = table_is_missing(text) || !strcmp(text, "N");
    if (h->is_seen)
        return 0;
    for (;; at++) {
        int letter = upper(*at++);

        if (!letter || !strchr(letters, letter) || has_allele(h, letter) || (*at && *at != '/'))
            return REFUSE(h, err,
                          "alleles = \"%.40s\": must be different letters of A, C, G, T, + and -, "
                          "separated by /",
                          text);
        add_allele(h, letter);
        if (!*at)
            return 0;
    }
}

/* ---- calls ---- */

/* A missing letter is N. Returns false if the text is not a call. */
static bool read_call(char letter[2], const char *call)
{
    static const char *const iupac[] = {"RAG", "YCT", "SCG", "WAT", "KGT", "MAC", "0+-"};

    letter[0] = letter[1] = (char)upper(call[0]);
    if (!call[0] || (call[1] && call[2]))
        return false;
    if (call[1]) {
        letter[1] = (char)upper(call[1]);
        return true;
    }
    if (call[0] == '.')
        letter[0] = letter[1] = 'N';
    for (size_t i = 0; i < sizeof iupac / sizeof *iupac; i++)
        if (letter[1] == iupac[i][0]) {
            letter[0] = iupac[i][1];
            letter[1] = iupac[i][2];
            break;
        }
    return true;
}

/* The alleles belong to the file, so unselected samples count. take_call() refuses invalid
 * calls. */
static void find_letters(bool *has, const struct variants *v, const struct hapmap *h)
{
    char letter[2];

    memset(has, 0, N_LETTERS * sizeof *has);
    for (int32_t i = 0; i < v->ids.n; i++) {
        const char *at[2];

        if (!read_call(letter, h->table.cell[FIXED + i]) || !letter[0] || !letter[1])
            continue;
        at[0] = strchr(letters, letter[0]);
        at[1] = strchr(letters, letter[1]);
        if (at[0] && at[1])
            has[at[0] - letters] = has[at[1] - letters] = true;
    }
}

static void check_alleles(const struct variants *v, struct hapmap *h)
{
    bool has[N_LETTERS];

    find_letters(has, v, h);
    h->is_contradicted = false;
    for (int k = 0; k < N_LETTERS; k++)
        h->is_contradicted =
            h->is_contradicted || (!h->is_seen && has[k] && !has_allele(h, letters[k]));
    h->is_seen = h->is_seen || h->is_contradicted;
    if (!h->is_seen)
        return;
    h->n_alleles = 0;
    h->text[0][0] = '\0';
    for (int k = 0; k < N_LETTERS; k++)
        if (has[k])
            add_allele(h, letters[k]);
}

/* A missing letter is N. */
static int take_call(char letter[2], const struct variants *v, int32_t sample, struct err *err)
{
    const struct hapmap *h = v->state;
    const char *call = h->table.cell[FIXED + sample];
    bool is_call = read_call(letter, call);

    for (int k = 0; is_call && k < 2; k++)
        is_call = letter[k] == 'N' || (letter[k] && strchr(letters, letter[k]));
    if (is_call)
        return 0;
    return REFUSE(h, err,
                  "sample \"%.80s\": call \"%.40s\": must be two of A, C, G, T, + and -, the IUPAC "
                  "code of both, or N where missing",
                  v->ids.text[sample], call);
}

/* Nothing is counted at these sites, so nothing else reads their calls. */
static int check_calls(const struct variants *v, struct err *err)
{
    char letter[2];

    for (int32_t i = 0; i < v->ids.n; i++)
        if (v->slot[i] >= 0 && take_call(letter, v, i, err))
            return -1;
    return 0;
}

static int hapmap_next(struct variants *v, struct site *site, struct err *err)
{
    struct hapmap *h = v->state;
    int status = table_next(&h->table, err);
    const char *pos;
    size_t n;

    if (status <= 0)
        return status;
    pos = h->table.cell[POS];
    n = strlen(pos);
    if (n < 1 || n > 18 || strspn(pos, "0123456789") < n)
        return REFUSE(h, err, "pos = \"%.40s\": must be a whole number", pos);
    if (!*h->table.cell[CHROM])
        return REFUSE(h, err, "the column chrom is empty");
    if (read_alleles(h, h->table.cell[ALLELES], err))
        return -1;
    check_alleles(v, h);
    *site = (struct site){
        .id = h->table.cell[RS],
        .chrom = h->table.cell[CHROM],
        .pos = strtoll(pos, NULL, 10),
        .ref = h->n_alleles ? h->text[0] : "N",
        .alt = h->alt + 1,
        .n_alts = h->n_alleles ? h->n_alleles - 1 : 0,
        .is_seen = h->is_seen,
        .is_contradicted = h->is_contradicted,
    };
    return site->n_alts == 0 && check_calls(v, err) ? -1 : 1;
}

static int hapmap_read(struct variants *v, int32_t alt, struct calls *calls, struct err *err)
{
    struct hapmap *h = v->state;

    for (int32_t i = 0; i < v->ids.n; i++) {
        int32_t slot = v->slot[i];
        char letter[2];

        if (slot < 0)
            continue;
        if (take_call(letter, v, i, err))
            return -1;
        if (letter[0] == 'N' || letter[1] == 'N')
            h->dosage[slot] = DOSAGE_MISSING;
        else
            h->dosage[slot] =
                (int8_t)((letter[0] == *h->text[alt + 1]) + (letter[1] == *h->text[alt + 1]));
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
    if (h->table.n_cols <= FIXED)
        return REFUSE(h, err,
                      "%d columns: must be %d (rs#, alleles, chrom, pos, ...) and one for "
                      "each sample",
                      h->table.n_cols, FIXED);
    for (int32_t j = FIXED; j < h->table.n_cols; j++)
        if (variants_add_id(v, h->table.name[j], h->table.line, err))
            return -1;
    h->dosage = malloc((size_t)v->ids.n);
    return h->dosage ? 0 : err_nomem(err, "genotypes of a variant", (size_t)v->ids.n);
}

const struct variants_reader hapmap_reader = {hapmap_open_file, hapmap_next, hapmap_read,
                                              hapmap_close};
