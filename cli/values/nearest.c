/* nearest.c - finds the name that a mistyped word most likely means, by the number of edits: a
 * character inserted, deleted or replaced, or two neighbours exchanged. */
#include "values/nearest.h"

#include <string.h>

enum { LONGEST = 32 };

static size_t least(size_t x, size_t y) {
    return x < y ? x : y;
}

/* Optimal string alignment: row[i][j] is the distance between the first i and j characters. */
static size_t distance_of(const char *x, size_t x_length, const char *y, size_t y_length) {
    size_t row[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= x_length; i++)
        for (size_t j = 0; j <= y_length; j++) {
            if (i == 0 || j == 0) {
                row[i][j] = i + j;
                continue;
            }
            size_t replaced = row[i - 1][j - 1] + (x[i - 1] != y[j - 1]);
            row[i][j] = least(replaced, 1 + least(row[i - 1][j], row[i][j - 1]));
            if (i > 1 && j > 1 && x[i - 1] == y[j - 2] && x[i - 2] == y[j - 1])
                row[i][j] = least(row[i][j], row[i - 2][j - 2] + 1);
        }
    return row[x_length][y_length];
}

/* A name is near if it takes at most one edit for every three characters of the word. */
struct nearest nearest_begin(const char *word, size_t length) {
    return (struct nearest){.word = word, .length = length, .distance = 1 + length / 3};
}

void nearest_consider(struct nearest *nearest, const char *name) {
    size_t length = strlen(name);
    if (length > LONGEST || nearest->length > LONGEST)
        return;
    size_t distance = distance_of(nearest->word, nearest->length, name, length);
    if (distance < nearest->distance) {
        nearest->name = name;
        nearest->distance = distance;
    }
}
