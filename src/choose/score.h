/* score.h - what a search for layouts is about, and what three layouts would take. */
#ifndef SCT_CHOOSE_SCORE_H
#define SCT_CHOOSE_SCORE_H

#include "cost/workload.h"

#include <sectile/sectile_choose.h>

typedef struct sct_seeker {
    sct_search search; /* defaults filled in */
    sct_options options;
    struct sct_machine supposed;
    const sct_machine *machine;
    const sct_layout *fixed[SCT_MATS];
    sct_product product; /* of the layouts that are looked at */
    bool cramped;        /* plans make do with the least workspace, and count all of it */
    bool thrifty;        /* what is aimed at is the least memory, whatever the search says */
} sct_seeker;

/* Bytes that a rank stores, with those that it keeps where a fixed matrix is not left. */
uint64_t sct_seek_parts(const sct_seeker *seeker, int rank);
/* What a rank gets before the product so that a matrix lies as it does, or after it so that C lies
 * as it is fixed. */
void sct_seek_make(const sct_seeker *seeker, int matrix, int rank, sct_workload *work);
/* How often what is made of a matrix is used. */
double sct_seek_uses(const sct_seeker *seeker, int matrix);

/* What the layouts take without plans, in seconds or bytes as the search aims at; `only`: what a
 * moving matrix takes, or -1: all of them, and the products. As soon as it shows that it is `most`
 * or more no more ranks are looked at. */
double sct_seek_weigh(const sct_seeker *seeker, int stay, int only, double most);

/* At most so many ranks that tell the most of all: as reckoned without plans, that which takes the
 * most of what the search aims at, that which stores the most, and that which takes the most of
 * the other; then some spread over all. Says how many. */
int sct_seek_sample(const sct_seeker *seeker, int stay, int most, int *sample);

/* The seconds, bytes moved or bytes of memory of a choice, whatever is aimed at. */
double sct_seek_aimed(const sct_seeker *seeker, const sct_choice *choice);

/* Bytes of memory of which the layouts take no less where that is aimed at: what the rank with the
 * largest parts takes, of a sample, before its plan is cut. */
uint64_t sct_seek_least(const sct_seeker *seeker, int stay);

/* All of a choice by plans, but the layouts. SCT_WORKSPACE: they do not fit into the memory. As
 * soon as it shows that they take more than `most` of what is aimed at no more ranks are planned.
 */
sct_status sct_seek_try(const sct_seeker *seeker, int stay, double most, sct_choice *choice);

#endif
