/* paper.c - which of the paper's claims about its figures come out in the simulator.
 *
 *     paper [--quick] [--vary] [CLAIM...]
 *     paper [--quick] --work
 *
 * prints, as Markdown, yes or no for each claim and each way of fetching, and the numbers behind
 * it; with --vary, also which parameters of the machines change an answer if they are a fifth less
 * or more, of the first two ways. With --quick there are two batches and one way. CLAIM is how the
 * names of some claims begin, such as 4 or 4a. With --work it prints instead what work layouts gain
 * that are those of no matrix, with slices. */
#include "claims.h"
#include "tables.h"
#include "work.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { QUICK_BATCHES = 2 };

/* Workspace without end: nothing is cut to make do with less. */
static const struct way ways[WAYS] = {
    {.name = "tiles",
     .text =
         "as in the paper: a tile is fetched whole if a product uses any part of it; replication "
         "factors are tied",
     .thorough = true,
     .tied = true,
     .options = {.fetch = SCT_FETCH_TILE,
                 .result = SCT_RESULT_ORIGIN,
                 .workspace = SIZE_MAX,
                 .prefetch = 2}},
    {.name = "slices",
     .text = "as tiles, but only the part of a tile that the product uses is fetched",
     .thorough = true,
     .tied = true,
     .options = {.slicing = SCT_SLICE_TILE,
                 .result = SCT_RESULT_ORIGIN,
                 .workspace = SIZE_MAX,
                 .prefetch = 2}},
    {.name = "panels",
     .text =
         "the defaults of the library: slices, cut along k into panels that suit the cache of a "
         "processor",
     .tied = true,
     .options = {.result = SCT_RESULT_ORIGIN}},
    {.name = "literal",
     .text = "as tiles, including layouts that communicate only to reduce the replicas of C",
     .tied = true,
     .literal = true,
     .options = {.fetch = SCT_FETCH_TILE,
                 .result = SCT_RESULT_ORIGIN,
                 .workspace = SIZE_MAX,
                 .prefetch = 2}},
    {.name = "free",
     .text = "as literal, and A, B and C each have a replication factor of their own",
     .literal = true,
     .options = {.fetch = SCT_FETCH_TILE,
                 .result = SCT_RESULT_ORIGIN,
                 .workspace = SIZE_MAX,
                 .prefetch = 2}},
};

struct wish {
    bool quick, varies, work, some;
    bool claim[CLAIMS]; /* if only some are asked */
};

/* False if the word means nothing. */
static bool read_word(const char *word, struct wish *wish) {
    bool known = true;
    if (strcmp(word, "--quick") == 0)
        wish->quick = true;
    else if (strcmp(word, "--vary") == 0)
        wish->varies = true;
    else if (strcmp(word, "--work") == 0)
        wish->work = true;
    else
        known = false;
    for (int i = 0; i < CLAIMS; i++)
        if (strncmp(claims[i].name, word, strlen(word)) == 0)
            known = wish->some = wish->claim[i] = true;
    return known;
}

/* The batches at which it does not hold, as bits. */
static int judge_claim(const struct claim *claim, const struct stand *stand, FILE *figures) {
    int fails = 0, batches = claim->batches ? claim->batches : stand->subject.batches;
    for (int batch = 0; batch < batches; batch++) {
        fprintf(figures, "  - %dK: ", study_batch(stand->study[PVC][MLP_1], batch));
        bool holds = claim->holds(stand, batch, figures);
        fprintf(figures, "; **%s**\n", holds ? "yes" : "no");
        fails |= !holds << batch;
    }
    return fails;
}

static FILE *open_text(struct text *text) {
    FILE *file = open_memstream(&text->data, &text->bytes);
    if (!file)
        exit(1);
    return file;
}

static void judge_claims(const struct stand *stand, struct answer answers[CLAIMS]) {
    for (int i = 0; i < CLAIMS; i++) {
        struct answer *answer = &answers[i];
        if (!answer->asked)
            continue;
        FILE *figures = open_text(&answer->figures);
        answer->fails = judge_claim(&claims[i], stand, figures);
        fclose(figures);
    }
}

/* Which answers change with a parameter. */
static void vary(const struct stand *stand, const struct parameter *parameter, double factor,
                 struct answer answers[CLAIMS], FILE *changes[CLAIMS]) {
    struct stand varied;
    FILE *nowhere = fopen("/dev/null", "w");
    if (!nowhere)
        exit(1);
    stand_change(stand, parameter, factor, &varied);
    for (int i = 0; i < CLAIMS; i++) {
        if (!answers[i].asked || !claims[i].uses[parameter->machine])
            continue;
        int fails = judge_claim(&claims[i], &varied, nowhere);
        if (!fails != !answers[i].fails)
            fprintf(changes[i], "%s %s %+.0f %%", ftell(changes[i]) > 0 ? "," : "", parameter->name,
                    100 * (factor - 1));
    }
    stand_close_changed(parameter, &varied);
    fclose(nowhere);
}

static void vary_all(const struct stand *stand, struct answer answers[CLAIMS]) {
    FILE *changes[CLAIMS];
    for (int i = 0; i < CLAIMS; i++)
        changes[i] = open_text(&answers[i].changes);
    for (int i = 0; i < PARAMETERS; i++) {
        vary(stand, &parameters[i], 0.8, answers, changes);
        vary(stand, &parameters[i], 1.2, answers, changes);
    }
    for (int i = 0; i < CLAIMS; i++)
        fclose(changes[i]);
}

static void open_way(const struct way *way, const struct wish *wish, struct stand *stand) {
    const struct subject subject = {.batches = wish->quick ? QUICK_BATCHES : BATCHES,
                                    .tied = way->tied,
                                    .literal = way->literal,
                                    .options = way->options};
    stand_open(&subject, stand);
}

static void judge_way(const struct way *way, const struct wish *wish, struct results *results) {
    struct stand stand;
    open_way(way, wish, &stand);
    for (int i = 0; i < CLAIMS; i++)
        results->answer[i].asked =
            (wish->claim[i] || !wish->some) && (way->thorough || !claims[i].searches);
    judge_claims(&stand, results->answer);
    if (wish->varies && way->thorough)
        vary_all(&stand, results->answer);
    FILE *shares = open_text(&results->shares);
    print_shares(shares, &stand);
    fclose(shares);
    stand_close(&stand);
}

static void compare_work(const struct wish *wish) {
    enum { SLICES = 1 };
    struct stand stand;
    open_way(&ways[SLICES], wish, &stand);
    print_work(stdout, &stand);
    stand_close(&stand);
}

static void free_results(struct results *results) {
    for (int i = 0; i < CLAIMS; i++) {
        free(results->answer[i].figures.data);
        free(results->answer[i].changes.data);
    }
    free(results->shares.data);
}

int main(int count, char **words) {
    static struct results results[WAYS];
    struct wish wish = {.quick = false};
    for (int i = 1; i < count; i++)
        if (!read_word(words[i], &wish)) {
            fprintf(stderr, "paper: %s is neither --quick, --vary, --work nor a claim, 1a to %s\n",
                    words[i], claims[CLAIMS - 1].name);
            return 2;
        }
    if (wish.work) {
        compare_work(&wish);
        return 0;
    }
    int used = wish.quick ? 1 : WAYS;
    for (int i = 0; i < used; i++)
        judge_way(&ways[i], &wish, &results[i]);
    print_answers(stdout, used, ways, results);
    if (wish.varies)
        print_changes(stdout, used, ways, results);
    print_figures(stdout, used, ways, results);
    for (int i = 0; i < used; i++)
        free_results(&results[i]);
    return 0;
}
