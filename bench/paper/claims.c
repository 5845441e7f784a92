/* claims.c - what is asked: the paper's words, made precise. */
#include "claims.h"

/* "Named" are column block, inner product, outer product, row block and 2-D block. What is reported
 * of a partitioning is said in study.h. */
const struct claim claims[CLAIMS] = {
    {.name = "1a",
     .text =
         "PVC, MLP-1: column block is the fastest of the named partitionings, then inner product",
     .uses = {[PVC] = true},
     .holds = columns_first},
    {.name = "1b",
     .text = "the same among all 27: none but the two is more than 1 % faster than either",
     .uses = {[PVC] = true},
     .holds = columns_first_of_all},
    {.name = "1c",
     .text = "of both nothing but A moves",
     .uses = {[PVC] = true},
     .holds = only_a_moves},
    {.name = "2a",
     .text = "PVC, MLP-1: 2-D block reaches a larger share of the peak with each larger batch",
     .uses = {[PVC] = true},
     .holds = blocks_grow},
    {.name = "2b",
     .text = "and stays behind column block",
     .uses = {[PVC] = true},
     .holds = blocks_held_back},
    {.name = "3",
     .text = "PVC, MLP-1: replication makes some of the 27 more than 1 % faster; without it all of "
             "these move B",
     .uses = {[PVC] = true},
     .holds = replicas_help_who_move_b},
    {.name = "4a",
     .text = "PVC, MLP-2: outer product and 2-D block are the fastest of the named",
     .uses = {[PVC] = true},
     .holds = outer_and_blocks_first},
    {.name = "4b",
     .text = "the same among all 27: none but the two is more than 1 % faster than either",
     .uses = {[PVC] = true},
     .holds = outer_and_blocks_first_of_all},
    {.name = "4c",
     .text = "of both B does not move",
     .uses = {[PVC] = true},
     .holds = b_does_not_move},
    {.name = "4d",
     .text = "of both A and B or C are replicated",
     .uses = {[PVC] = true},
     .holds = replicas_help},
    {.name = "4e",
     .text = "of both C is replicated by another factor than A and B",
     .uses = {[PVC] = true},
     .holds = factors_differ},
    {.name = "4f",
     .text =
         "outer product is more than 1 % faster than without replication, and than with as much "
         "as possible of all three",
     .uses = {[PVC] = true},
     .holds = factors_between},
    {.name = "5a",
     .text =
         "MLP-1: from the slowest to the fastest of the 27 it is less than half as far on H100 as "
         "on PVC",
     .uses = {true, true},
     .holds = half_the_spread_1},
    {.name = "5b",
     .text = "MLP-2: it is less far",
     .uses = {true, true},
     .holds = smaller_spread_2},
    {.name = "5c",
     .text =
         "H100, MLP-1, smallest batch: column block and inner product are the fastest of the named",
     .uses = {[H100] = true},
     .holds = columns_first_on_h100,
     .batches = 1},
    {.name = "6a",
     .text =
         "H100, MLP-2: outer product is faster with stationary C than with stationary B, though it "
         "moves more",
     .uses = {[H100] = true},
     .holds = outer_prefers_c},
    {.name = "6b",
     .text =
         "so is the fastest of the named with stationary C, than outer product with stationary B",
     .uses = {[H100] = true},
     .holds = c_wins},
    {.name = "6c",
     .text =
         "if accumulation did not slow products, outer product with stationary B would be faster "
         "than it",
     .uses = {[H100] = true},
     .holds = b_wins_undisturbed},
    {.name = "7a",
     .text =
         "PVC, misaligned 2-D blocks: in 9 of 10 cases direct order takes at most 5 % longer than "
         "the exhaustive one",
     .uses = {[PVC] = true},
     .searches = true,
     .holds = direct_is_enough},
    {.name = "7b",
     .text = "with sync it takes more than 10 % longer in half of them",
     .uses = {[PVC] = true},
     .searches = true,
     .holds = sync_is_behind},
    {.name = "8a",
     .text =
         "PVC: without the iteration offset half of the named are more than 1 % slower, none is "
         "faster",
     .uses = {[PVC] = true},
     .holds = offset_helps_pvc},
    {.name = "8b", .text = "H100: the same", .uses = {[H100] = true}, .holds = offset_helps_h100},
    {.name = "9a",
     .text =
         "PVC, MLP-1: 2-D blocks with aligned tiles are not more than 1 % faster than 2-D block",
     .uses = {[PVC] = true},
     .holds = aligned_no_faster_1},
    {.name = "9b", .text = "MLP-2: the same", .uses = {[PVC] = true}, .holds = aligned_no_faster_2},
};
