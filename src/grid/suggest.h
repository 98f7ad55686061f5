/* "Did you mean": how close a wrong word is to a right one. */
#ifndef GRID_SUGGEST_H
#define GRID_SUGGEST_H

#define SUGGEST_FAR 1000

/* 0: equal (case aside); 1: `wrong` begins `right`, or is its initials (lr for learning_rate);
 * else the edit distance (optimal string alignment, Damerau 1964, doi:10.1145/363958.363994),
 * SUGGEST_FAR where that is more than a third of the letters. */
int suggest_distance(const char *wrong, const char *right);

#endif
