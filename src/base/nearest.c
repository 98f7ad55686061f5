/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MAX_WORD = 40 };

static int min_of(int a, int b)
{
    return a < b ? a : b;
}

/* An insertion, deletion, replacement or swap of two neighbours costs 1. */
static int edit_distance(const char *a, int n, const char *b, int m)
{
    int d[MAX_WORD + 1][MAX_WORD + 1];

    for (int i = 0; i <= n; i++)
        d[i][0] = i;
    for (int j = 0; j <= m; j++)
        d[0][j] = j;
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= m; j++) {
            d[i][j] = min_of(d[i - 1][j], d[i][j - 1]) + 1;
            d[i][j] = min_of(d[i][j], d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = min_of(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[n][m];
}

static bool is_initials(const char *wrong, const char *right)
{
    while (right && *wrong && *wrong == *right) {
        wrong++;
        right = strchr(right, '_');
        right = right ? right + 1 : NULL;
    }
    return !right && !*wrong;
}

int nearest_distance(const char *wrong, const char *right)
{
    int n = (int)strnlen(wrong, MAX_WORD + 1);
    int m = (int)strnlen(right, MAX_WORD + 1);
    int distance;

    if (n > MAX_WORD || m > MAX_WORD)
        return NEAREST_FAR;
    if (!strcasecmp(wrong, right))
        return 0;
    if ((n >= 3 && !strncmp(wrong, right, (size_t)n)) || (n >= 2 && is_initials(wrong, right)))
        return 1;
    distance = edit_distance(wrong, n, right, m);
    return 3 * distance <= (n > m ? n : m) ? distance : NEAREST_FAR;
}

static void take_nearer(struct nearest *nearest, const char *word, int distance)
{
    if (distance >= NEAREST_FAR || (*nearest->best && distance >= nearest->distance))
        return;
    snprintf(nearest->best, sizeof nearest->best, "%s", word);
    nearest->distance = distance;
}

void nearest_offer(struct nearest *nearest, const char *word)
{
    take_nearer(nearest, word, nearest_distance(nearest->wrong, word));
}

/* Letters of the word that is part of the other; 0: none is. */
static int count_shared(const char *a, const char *b)
{
    const char *part = strcasestr(a, b) ? b : strcasestr(b, a) ? a : "";

    return (int)strnlen(part, MAX_WORD);
}

void nearest_offer_part(struct nearest *nearest, const char *word)
{
    int distance = nearest_distance(nearest->wrong, word);
    int shared = count_shared(nearest->wrong, word);

    if (distance >= NEAREST_FAR && shared)
        distance = 2 * MAX_WORD - shared;
    take_nearer(nearest, word, distance);
}

void nearest_offer_list(struct nearest *nearest, const char *list)
{
    while (*list) {
        size_t n = strcspn(list, "|");
        char word[NEAREST_WORD];

        snprintf(word, sizeof word, "%.*s", (int)n, list);
        nearest_offer(nearest, word);
        list += n + (list[n] == '|');
    }
}

const char *nearest_hint(char out[NEAREST_HINT], const char *before, const char *word,
                         const char *after, const char *otherwise)
{
    if (word && *word)
        snprintf(out, NEAREST_HINT, "; did you mean %s%s%s?", before, word, after);
    else
        snprintf(out, NEAREST_HINT, "%s", otherwise);
    return out;
}
