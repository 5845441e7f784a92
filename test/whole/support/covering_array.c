/* covering_array.c - the greedy method: a row starts with an uncovered pair or triple, and each
 * further parameter takes the value that covers most. */
#include "whole/support/covering_array.h"

#include "support/check.h"

#include <stdlib.h>

/* Two or three parameters to be covered together: their combinations of values are numbered `first`
 * to `first + count`. */
typedef struct group {
    int width, of[3];
    int64_t first, count;
} group;

struct cover {
    int parameters, groups;
    const int *values;
    group *group;
    bool *covered; /* by combination */
    int64_t next;  /* no combination before it is uncovered */
    int64_t all;
};

static void add_group(cover *c, int width, const int *of) {
    group *g = &c->group[c->groups++];
    *g = (group){.width = width, .first = c->all, .count = 1};
    for (int i = 0; i < width; i++) {
        g->of[i] = of[i];
        g->count *= c->values[of[i]];
    }
    c->all += g->count;
}

cover *cover_create(int parameters, const int *values, int triples, const int (*triple)[3]) {
    cover *c = calloc(1, sizeof *c);
    size_t pairs = (size_t)parameters * (size_t)parameters / 2;
    *c = (cover){.parameters = parameters, .values = values};
    c->group = calloc(pairs + (size_t)triples, sizeof *c->group);
    for (int i = 0; i < parameters; i++)
        for (int j = i + 1; j < parameters; j++)
            add_group(c, 2, (int[]){i, j});
    for (int i = 0; i < triples; i++)
        add_group(c, 3, triple[i]);
    c->covered = calloc((size_t)c->all, sizeof *c->covered);
    return c;
}

void cover_destroy(cover *c) {
    free(c->group);
    free(c->covered);
    free(c);
}

static int64_t tuple_of(const cover *c, const group *g, const int *row) {
    int64_t tuple = 0;
    for (int i = 0; i < g->width; i++)
        tuple = tuple * c->values[g->of[i]] + row[g->of[i]];
    return g->first + tuple;
}

static void take_tuple(const cover *c, int64_t tuple, int *row) {
    const group *g = c->group;
    while (tuple >= g->first + g->count)
        g++;
    tuple -= g->first;
    for (int i = g->width - 1; i >= 0; i--) {
        row[g->of[i]] = (int)(tuple % c->values[g->of[i]]);
        tuple /= c->values[g->of[i]];
    }
}

/* Whether the group contains this parameter and the values of its others are chosen. */
static bool decides(const group *g, int parameter, const int *row) {
    bool has = false;
    for (int i = 0; i < g->width; i++) {
        has |= g->of[i] == parameter;
        if (g->of[i] != parameter && row[g->of[i]] < 0)
            return false;
    }
    return has;
}

static void choose(const cover *c, int parameter, uint64_t *random, int *row) {
    const group **deciding = malloc((size_t)c->groups * sizeof(group *));
    int count = 0, best = 0, most = -1, values = c->values[parameter];
    for (int i = 0; i < c->groups; i++)
        if (decides(&c->group[i], parameter, row))
            deciding[count++] = &c->group[i];
    int start = (int)check_between(random, 0, values - 1);
    for (int turn = 0; turn < values; turn++) {
        int gain = 0;
        row[parameter] = (start + turn) % values;
        for (int i = 0; i < count; i++)
            gain += !c->covered[tuple_of(c, deciding[i], row)];
        if (gain > most) {
            most = gain;
            best = row[parameter];
        }
    }
    row[parameter] = best;
    free(deciding);
}

bool cover_next(cover *c, uint64_t *random, int *row) {
    while (c->next < c->all && c->covered[c->next])
        c->next++;
    if (c->next == c->all)
        return false;
    for (int i = 0; i < c->parameters; i++)
        row[i] = -1;
    take_tuple(c, c->next, row);
    int start = (int)check_between(random, 0, c->parameters - 1);
    for (int turn = 0; turn < c->parameters; turn++) {
        int parameter = (start + turn) % c->parameters;
        if (row[parameter] < 0)
            choose(c, parameter, random, row);
    }
    for (int i = 0; i < c->groups; i++)
        c->covered[tuple_of(c, &c->group[i], row)] = true;
    return true;
}

cover_count cover_counts(const cover *c) {
    cover_count counts = {0, 0, 0, 0};
    for (int i = 0; i < c->groups; i++) {
        const group *g = &c->group[i];
        int64_t covered = 0;
        for (int64_t tuple = g->first; tuple < g->first + g->count; tuple++)
            covered += c->covered[tuple];
        *(g->width == 2 ? &counts.pairs : &counts.triples) += covered;
        *(g->width == 2 ? &counts.all_pairs : &counts.all_triples) += g->count;
    }
    return counts;
}
