/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/genotype/letter_columns.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/core/data_report.h"
#include "data/core/reader.h"
#include "data/genotype/letters.h"

static bool read_call(char letter[2], const char *cell)
{
    return letters_read(letter, cell) && isalnum((unsigned char)letter[0]) &&
           isalnum((unsigned char)letter[1]);
}

bool letter_columns_is_call(const char *cell)
{
    char letter[2];

    return !letters_is_missing(cell) && read_call(letter, cell);
}

int letter_columns_init(struct letter_columns *l, int32_t n_cols, struct err *err)
{
    size_t n = (size_t)n_cols;

    l->allele = calloc(n, sizeof *l->allele);
    l->text = calloc(n, sizeof *l->text);
    l->texts = calloc(n, sizeof *l->texts);
    if (!l->allele || !l->text || !l->texts)
        return err_nomem(err, "alleles", n * sizeof *l->text);
    l->n_cols = n_cols;
    return 0;
}

void letter_columns_release(struct letter_columns *l)
{
    free(l->allele);
    free(l->text);
    free(l->texts);
    memset(l, 0, sizeof *l);
}

/* Returns the place of an allele, which may be new; -1: a third one. */
static int find_allele(char allele[2], char letter)
{
    for (int k = 0; k < 2; k++) {
        if (!allele[k])
            allele[k] = letter;
        if (allele[k] == letter)
            return k;
    }
    return -1;
}

static int8_t take_call(struct letter_columns *l, const struct table *t, int32_t j)
{
    const char *cell = t->cell[j + 1];
    char letter[2];
    int first, second;

    if (!strcasecmp(cell, "H")) /* both alleles of a cross */
        return 1;
    if (!read_call(letter, cell) || letter[0] == 'N' || letter[1] == 'N') {
        bool is_half =
            letters_read(letter, cell) && (strchr("N-?.", letter[0]) || strchr("N-?.", letter[1]));

        if (!is_half && l->n_malformed++ == 0)
            snprintf(l->malformed, sizeof l->malformed, "line %lld, column \"%.80s\": \"%.40s\"",
                     (long long)t->line, t->name[j + 1], cell);
        return DOSAGE_MISSING;
    }
    first = find_allele(l->allele[j], letter[0]);
    second = find_allele(l->allele[j], letter[1]);
    if (first < 0 || second < 0) {
        l->allele[j][0] = l->allele[j][1] = LETTERS_OTHER;
        return DOSAGE_MISSING;
    }
    return (int8_t)(first + second);
}

void letter_columns_read_row(struct letter_columns *l, struct columns *c, int32_t i,
                             const struct table *t)
{
    int8_t *row = c->dosage + (int64_t)i * c->n_cols;

    for (int32_t j = 0; j < c->n_cols; j++) {
        const char *cell = t->cell[j + 1];
        bool is_missing =
            letters_is_missing(cell) || (c->missing && reader_is_listed(c->missing, cell));

        if (!is_missing && l->allele[j][0] != LETTERS_OTHER)
            row[j] = take_call(l, t, j);
    }
}

/* Alleles 0 and 1 are numbers of a site, and A and B of a cross or an assay: one of them implies the
 * other. */
void letter_columns_finish(struct letter_columns *l, struct columns *c)
{
    static const char *const pairs[] = {"01", "AB"};
    bool has_b = false;

    for (int32_t j = 0; j < l->n_cols; j++)
        has_b = has_b || l->allele[j][0] == 'B' || l->allele[j][1] == 'B';
    for (int32_t j = 0; j < l->n_cols; j++) {
        char *allele = l->allele[j];

        l->texts[j] = l->text[j];
        if (allele[0] == LETTERS_OTHER) {
            examples_add(&l->other, ", ", "\"%.40s\"", c->name[j]);
            continue;
        }
        for (int k = 0; k < 1 + has_b; k++)
            for (int at = 0; at < 2 && allele[0] && !allele[1]; at++)
                if (allele[0] == pairs[k][at])
                    allele[1] = pairs[k][1 - at];
        if (allele[1] && allele[0] > allele[1]) {
            char first = allele[0];

            allele[0] = allele[1];
            allele[1] = first;
            for (int64_t i = 0, at = j; i < c->n_rows; i++, at += c->n_cols)
                if (c->dosage[at] != DOSAGE_MISSING)
                    c->dosage[at] = (int8_t)(2 - c->dosage[at]);
        }
        if (allele[0] != '0')
            snprintf(l->text[j], sizeof l->text[j], "\t0\t%c\t%c", allele[0] ? allele[0] : '.',
                     allele[1] ? allele[1] : '.');
    }
}

void letter_columns_keep(struct letter_columns *l, const bool *keeps)
{
    int32_t n = 0;

    for (int32_t j = 0; j < l->n_cols; j++)
        if (keeps[j]) {
            memcpy(l->allele[n], l->allele[j], sizeof l->allele[n]);
            l->texts[n++] = l->texts[j];
        }
    l->n_cols = n;
}

float letter_columns_dosage(const struct letter_columns *l, int32_t j, int8_t dosage, char other,
                            char counted)
{
    const char *allele = l->allele[j];
    const char call[] = {allele[dosage == 2], allele[dosage > 0]};
    int n = 0;

    for (int k = 0; k < 2; k++) {
        if (!call[k] || (call[k] != other && call[k] != counted))
            return NAN;
        n += call[k] == counted;
    }
    return (float)n;
}
