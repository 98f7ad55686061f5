/* SPDX-License-Identifier: BSD-3-Clause */
/* "Did you mean": the word that a person probably meant by a wrong one. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

enum { NEAREST_FAR = 1000, NEAREST_WORD = 128, NEAREST_HINT = 256 };

/* Distance of two words. 0: equal except for case. 1: `wrong` is the beginning of `right` or its
 * initials (lr for learning_rate). Otherwise the edit distance (optimal string alignment, Damerau
 * 1964, doi:10.1145/363958.363994); NEAREST_FAR if it exceeds a third of the letters. */
int nearest_distance(const char *wrong, const char *right);

/* The nearest of several words, the first of them if distances are equal. Begin with
 * {.wrong = word}, offer each word, and read `best`. */
struct nearest {
    const char *wrong;
    char best[NEAREST_WORD]; /* cut to fit; "": no word is close */
    int distance;            /* of best */
};
void nearest_offer(struct nearest *nearest, const char *word);
/* Offer a word that may also contain the wrong one or be part of it, in any case: after all words
 * of a distance, the longest common part first. */
void nearest_offer_part(struct nearest *nearest, const char *word);
void nearest_offer_list(struct nearest *nearest, const char *list); /* "a|b|c" */

/* The end of a message: "; did you mean BEFOREwordAFTER?", or `otherwise` if the word is NULL or "".
 * Returns out. */
const char *nearest_hint(char out[NEAREST_HINT], const char *before, const char *word,
                         const char *after, const char *otherwise);

#endif
