/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/genotype/letters.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static bool is_separator(char c)
{
    return c == '/' || c == '|' || c == ':';
}

bool letters_is_missing(const char *call)
{
    static const char *const words[] = {"", "00", "NA", "NaN", "NC", "NoCall", "No Call"};
    char first = *call;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcasecmp(call, words[i]))
            return true;
    if (!strchr("Nn-.?Xx", first))
        return false;
    call += is_separator(call[1]) ? 2 : 1;
    return !*call || (*call == first && !call[1]);
}

static char upper(char c)
{
    return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

bool letters_read(char letter[2], const char *call)
{
    static const char *const iupac[] = {"RAG", "YCT", "SCG", "WAT", "KGT", "MAC", "0+-"};
    size_t n = strlen(call);

    if (n < 1 || n > 3 || (n == 3 && !is_separator(call[1])))
        return false;
    letter[0] = upper(call[0]);
    letter[1] = upper(call[n - 1]);
    for (size_t i = 0; n == 1 && i < sizeof iupac / sizeof *iupac; i++)
        if (letter[0] == iupac[i][0]) {
            letter[0] = iupac[i][1];
            letter[1] = iupac[i][2];
            break;
        }
    return true;
}
