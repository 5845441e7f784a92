/* record.c - pictures of plans, and of simulations that were recorded. */
#include "record.h"

#include "pictures/plan_svg.h"
#include "pictures/timeline.h"

#include <stdlib.h>
#include <string.h>

/* Splits the words into lines of the picture. */
static struct text_lines lines_of(const char *words) {
    struct text_lines lines = {0};
    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        text_lines_join(&lines, "%.*s", (int)length, words);
        words += length + (words[length] == ' ');
    }
    return lines;
}

/* Closes a stream in memory, and returns its text if all is well. */
static char *finish(FILE *out, char **text, bool good) {
    good = fclose(out) == 0 && good;
    if (good)
        return *text;
    free(*text);
    return NULL;
}

char *plan_picture(const sct_problem *problem, const sct_plan *plan, int rank, const char *words) {
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    struct text_lines lines = lines_of(words);
    sct_status status = plan_svg_draw(problem, plan, rank, &lines, out);
    return finish(out, &text, status == SCT_OK);
}

struct record {
    struct timeline timeline;
    bool lost; /* there was no memory for an event */
};

static void see_event(void *context, const sct_trace_event *event) {
    record *kept = context;
    if (!timeline_add(&kept->timeline, event))
        kept->lost = true;
}

record *record_new(void) {
    return calloc(1, sizeof(record));
}

sct_status record_simulation(record *kept, const sct_problem *problem, const sct_options *options,
                             const sct_machine *machine, sct_forecast *forecast) {
    const sct_observer observer = {.size = sizeof observer, .event = see_event, .context = kept};
    return sct_simulate(problem, options, machine, &observer, forecast);
}

char *record_picture(record *kept, const char *heading, const char *more, int ranks,
                     double seconds) {
    char *text = NULL;
    size_t bytes;
    FILE *out = kept->lost ? NULL : open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    timeline_draw(&kept->timeline, heading, more, ranks, seconds, out);
    return finish(out, &text, true);
}

void record_free(record *kept) {
    timeline_destroy(&kept->timeline);
    free(kept);
}

void text_free(char *text) {
    free(text);
}
