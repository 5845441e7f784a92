/* edge_cases.c - products at the limits of sizes and layouts: each case in all types, on one node
 * and across nodes, in memory of the library and in wrapped memory with guard bytes. The numbers
 * only identify the cases. */
#include "whole/support/trial.h"

#include <stdio.h>

/* Every case runs in each of these worlds. */
static const emulated_options worlds[] = {
    {.ranks_per_node = 0},
    {.ranks_per_node = 1, .seed = 1, .delay_us = 20},
    {.ranks_per_node = 2, .seed = 2, .deferred = 1},
};
enum { WORLDS = sizeof worlds / sizeof *worlds, TYPES = 6, STAYS = 4, OPS = 3 };

typedef struct edge {
    const char *name;
    trial trial;
} edge;

static const edge edges[] = {
    {"1: m is 0", {.ranks = 3, .m = 0, .n = 5, .k = 4, .layout = {"row", "col", "row*3"}}},
    {"1: n is 0", {.ranks = 4, .m = 5, .n = 0, .k = 4, .layout = {"2d", "cyclic:2x2", "col"}}},
    {"1: m and n are 0, inside of larger matrices",
     {.ranks = 3,
      .m = 0,
      .n = 0,
      .k = 4,
      .layout = {"row", "col", "cyclic:2x2"},
      .margin = {{1, 2, 3, 4}, {4, 3, 2, 1}, {3, 4, 5, 6}}}},
    {"2: k is 0", {.ranks = 4, .m = 5, .n = 7, .k = 0, .layout = {"row", "2d", "col*2/f"}}},
    {"2: k is 0, inside of a larger matrix",
     {.ranks = 3,
      .m = 5,
      .n = 7,
      .k = 0,
      .layout = {"col", "row*3", "cyclic:2x2"},
      .margin = {{1, 2, 3, 4}, {4, 3, 2, 1}, {3, 4, 5, 6}}}},
    {"18: one rank", {.ranks = 1, .m = 9, .n = 8, .k = 7, .layout = {"row", "col", "2d"}}},
    {"18: two ranks", {.ranks = 2, .m = 9, .n = 8, .k = 7, .layout = {"row", "col*2", "2d"}}},
    {"18: three ranks", {.ranks = 3, .m = 9, .n = 8, .k = 7, .layout = {"col", "row", "2d*3"}}},
    {"18: five ranks", {.ranks = 5, .m = 9, .n = 8, .k = 17, .layout = {"row", "col", "2d"}}},
    {"18: seven ranks",
     {.ranks = 7, .m = 19, .n = 8, .k = 7, .layout = {"cyclic:2x2", "col", "row"}}},
    {"18: eleven ranks",
     {.ranks = 11, .m = 9, .n = 23, .k = 17, .layout = {"col", "row*11", "cyclic:1x2"}}},
    {"18: thirteen ranks",
     {.ranks = 13, .m = 29, .n = 8, .k = 17, .layout = {"2d", "row/f", "col*13"}}},
    {"19: more ranks than elements",
     {.ranks = 13, .m = 1, .n = 1, .k = 1, .layout = {"row", "col", "2d"}}},
    {"19: more ranks than rows and columns, replicated",
     {.ranks = 12, .m = 2, .n = 3, .k = 2, .layout = {"row*4", "2d*2", "col*3"}}},
    {"19: replicas without a share",
     {.ranks = 6, .m = 5, .n = 4, .k = 2, .layout = {"row*6", "col", "2d*6"}}},
    {"20: all of C on one rank, all of A on another",
     {.ranks = 4, .m = 9, .n = 8, .k = 7, .layout = {"row@1%3", "2d", "row@1%1"}}},
    {"20: each matrix on a rank of its own, one rank with nothing",
     {.ranks = 4, .m = 9, .n = 8, .k = 7, .layout = {"row@1%3", "row@1", "col@1%1/f"}}},
    {"21: no boundary shared",
     {.ranks = 4,
      .m = 24,
      .n = 22,
      .k = 26,
      .layout = {"cuts:7,15x5,11@0,1,2x0,0,0@3x1", "cuts:8,19x9@3,1,0,2,2,1", "cyclic:5x4@2x2"}}},
    {"21: no boundary shared, a rank for each tile of all three",
     {.ranks = 5,
      .m = 14,
      .n = 15,
      .k = 16,
      .layout = {"cuts:3,9x5,12@0,4,1,3,2,0,4,1,3", "cuts:7,11x2,6@1,1,1,0,2,0,3,4,3",
                 "cuts:5,8x4,13@4,3,2,1,0,1,2,3,4"}}},
    {"22: tiles of one element",
     {.ranks = 4,
      .m = 6,
      .n = 5,
      .k = 7,
      .layout = {"cyclic:1x1", "cyclic:1x1@1x3,src=0x1", "cyclic:1x1@2x2/f"}}},
    {"22: tiles larger than the matrix",
     {.ranks = 4,
      .m = 6,
      .n = 5,
      .k = 7,
      .layout = {"cyclic:100x100", "cyclic:7x64,src=1x1", "cyclic:1000x5@2x1*2"}}},
    {"22: empty tiles",
     {.ranks = 3,
      .m = 6,
      .n = 5,
      .k = 7,
      .layout = {"cuts:0,0,3,3,6x2,2@0,1,2,0,1,2x0,0,0@3x1", "cuts:4,4x0,5@0,1,2,2,1,0,0,1,2",
                 "cuts:6x5,5@2,1,0,0,1,2"}}},
    {"23: ragged last tiles in m, n and k",
     {.ranks = 6,
      .m = 23,
      .n = 17,
      .k = 29,
      .layout = {"cyclic:4x3", "cyclic:6x5@3x2", "cyclic:5x7@2x2"}}},
    {"25: replicas of C", {.ranks = 4, .m = 9, .n = 8, .k = 7, .layout = {"row", "col", "row*4"}}},
    {"25: replicas of everything",
     {.ranks = 12, .m = 9, .n = 8, .k = 17, .layout = {"col*3", "2d*4", "row*6/f"}}},
    {"33: the first block on another rank",
     {.ranks = 6,
      .m = 17,
      .n = 18,
      .k = 19,
      .layout = {"cyclic:4x3@2x3,src=1x2", "cyclic:3x4@3x2,src=2x1,first=2x3",
                 "cyclic:5x5@2x3,src=1x1,first=1x4/f"}}},
    {"33: ranks outside of all grids",
     {.ranks = 7,
      .m = 17,
      .n = 18,
      .k = 19,
      .layout = {"cyclic:4x3@2x2,src=1x1", "row@3%5,0,2", "2d:2x2%5,2,1,0"}}},
};

/* Runs one case in every type and every world. The stationary matrix, the ops, slicing, fetch,
 * wrapping and beta (0, 1 or 3) vary from one run to the next. */
static void run_edge(int number) {
    const edge *which = &edges[number];
    static const double betas[] = {3, 0, 1};
    printf("%s\n", which->name);
    for (int i = 0; i < TYPES * WORLDS; i++) {
        trial t = which->trial;
        t.type = (sct_type)(i % TYPES);
        t.emulated = worlds[i / TYPES % WORLDS];
        t.options =
            (sct_options){.size = sizeof t.options,
                          .stay = (sct_stay)((i * 5 / 4 + number) % STAYS),
                          .slicing = (i + number) % 5 < 2 ? SCT_SLICE_TILE : SCT_SLICE_CLASS,
                          .fetch = (i + number) % 7 < 2 ? SCT_FETCH_TILE : SCT_FETCH_SLICE};
        t.op[0] = (sct_op)((i * 7 / 5 + number) % OPS);
        t.op[1] = (sct_op)((i * 5 / 7 + number / 3) % OPS);
        t.alpha = (element){2, sct_type_complex(t.type) ? -1 : 0};
        t.beta = (element){betas[(i + i / 3) % 3], 0};
        t.wrapped = (i + i / 4) % 2 ? TRIAL_ALL_WRAPPED : 0;
        t.seed = (uint64_t)i;
        trial_run(&t);
    }
}

/* 14: all combinations of three partitions, with replicas, for each stationary matrix. */
static void cross_partitions(void) {
    static const char *const partitions[] = {
        "row", "col", "2d", "cyclic:3x2", "cuts:2,7x4@1,0,0x0,1", "cuts:5x3@1,3,0,2"};
    enum { PARTITIONS = sizeof partitions / sizeof *partitions, RANKS = 4 };
    static const int copies[] = {1, 2, 4};
    printf("14: every partition with every other\n");
    for (int i = 0; i < PARTITIONS * PARTITIONS * PARTITIONS; i++) {
        trial t = {.ranks = RANKS, .m = 13, .n = 9, .k = 11, .seed = (uint64_t)i};
        int which[] = {i % PARTITIONS, i / PARTITIONS % PARTITIONS, i / PARTITIONS / PARTITIONS};
        for (int matrix = 0; matrix < TRIAL_MATRICES; matrix++) {
            bool implied = which[matrix] < 4;
            snprintf(t.layout[matrix], TRIAL_TEXT, "%s*%d%s", partitions[which[matrix]],
                     implied ? copies[(i + which[matrix]) % 3] : 1, (i + matrix) % 5 ? "" : "/f");
        }
        t.type = (sct_type)(i % TYPES);
        t.alpha = (element){-1, 0};
        t.beta = (element){2, 0};
        t.emulated = worlds[i % WORLDS];
        t.options = (sct_options){.size = sizeof t.options, .stay = (sct_stay)(1 + i / WORLDS % 3)};
        trial_run(&t);
    }
}

/* 30: N, T and C for both operands in all types, with changing storage orders of all three. */
static void cross_ops(void) {
    printf("30: every op of both operands\n");
    static const char *const partitions[] = {"2d", "cyclic:3x2", "row"};
    for (int i = 0; i < OPS * OPS * TYPES * 3; i++) {
        trial t = {.ranks = 4, .m = 10, .n = 9, .k = 11, .seed = (uint64_t)i};
        t.op[0] = (sct_op)(i % OPS);
        t.op[1] = (sct_op)(i / OPS % OPS);
        t.type = (sct_type)(i / (OPS * OPS) % TYPES);
        for (int matrix = 0; matrix < TRIAL_MATRICES; matrix++)
            snprintf(t.layout[matrix], TRIAL_TEXT, "%s%s", partitions[matrix],
                     i * 5 >> matrix & 1 ? "/f" : "");
        t.alpha = (element){1, sct_type_complex(t.type) ? 2 : 0};
        t.beta = (element){-1, sct_type_complex(t.type) ? 1 : 0};
        t.emulated = worlds[i / 54];
        trial_run(&t);
    }
}

/* 31: A from column 545 on times the transpose of B from row 513 on (counted from 1), added to C.
 * With exactly these sizes a widely used library gives wrong results. */
static void multiply_submatrices(void) {
    printf("31: submatrices away from the origin\n");
    trial t = {.ranks = 4,
               .m = 512,
               .n = 32,
               .k = 736,
               .op = {SCT_N, SCT_T},
               .layout = {"cyclic:32x32@2x2", "cyclic:32x32@2x2", "cyclic:32x32@2x2"},
               .margin = {{0, 0, 544, 0}, {512, 0, 0, 0}, {0, 0, 0, 0}},
               .type = SCT_F64,
               .alpha = {1, 0},
               .beta = {1, 0}};
    for (int world = 0; world < 2; world++) {
        t.emulated = worlds[world];
        trial_run(&t);
    }
}

/* 31: random submatrices. */
static void multiply_random_submatrices(uint64_t seed) {
    static const char *const partitions[] = {
        "row", "col/f", "2d", "cyclic:3x2", "cyclic:4x5*2", "cuts:2,7x4@1,3,0,2,2,1"};
    enum { PARTITIONS = sizeof partitions / sizeof *partitions, TIMES = 40 };
    for (int i = 0; i < TIMES; i++) {
        trial t = {.ranks = 4, .type = (sct_type)(i % TYPES), .seed = check_random(&seed)};
        t.m = check_between(&seed, 1, 20);
        t.n = check_between(&seed, 1, 20);
        t.k = check_between(&seed, 1, 20);
        for (int matrix = 0; matrix < TRIAL_MATRICES; matrix++) {
            int which = (int)check_between(&seed, 0, PARTITIONS - 1);
            snprintf(t.layout[matrix], TRIAL_TEXT, "%s", partitions[which]);
            /* At least 7 more rows and columns, so that the cuts lie inside. */
            t.margin[matrix] = (margin){check_between(&seed, 0, 9), check_between(&seed, 7, 12),
                                        check_between(&seed, 0, 9), check_between(&seed, 7, 12)};
        }
        t.op[0] = (sct_op)check_between(&seed, 0, 2);
        t.op[1] = (sct_op)check_between(&seed, 0, 2);
        t.alpha = (element){1, 0};
        t.beta = (element){1, 0};
        t.emulated = worlds[i % WORLDS];
        t.wrapped = i % 2 ? TRIAL_ALL_WRAPPED : 0;
        t.options = (sct_options){.size = sizeof t.options, .stay = (sct_stay)(i % STAYS)};
        trial_run(&t);
    }
}

int main(void) {
    uint64_t seed = check_seed(31);
    for (int i = 0; i < (int)(sizeof edges / sizeof *edges); i++)
        run_edge(i);
    cross_partitions();
    cross_ops();
    multiply_submatrices();
    multiply_random_submatrices(seed);
    return check_report("edge_cases");
}
