/* tables.c - prints which claims hold, and the simulated times behind that. */
#include "tables.h"

static void print_row(FILE *out, struct study *study, int partitioning) {
    char name[TEXT];
    partitioning_name(partitioning, name);
    fprintf(out, "| %s |", name);
    for (int batch = 0; batch < study_subject(study)->batches; batch++) {
        struct found found = study_report(study, partitioning, batch);
        fprintf(out, " ");
        print_share(out, study, &found);
        fprintf(out, " |");
    }
    fprintf(out, "\n");
}

static void print_fastest(FILE *out, struct study *study) {
    fprintf(out, "| fastest of 27 |");
    for (int batch = 0; batch < study_subject(study)->batches; batch++) {
        struct found found = study_report(study, find_fastest(study, batch, false), batch);
        fprintf(out, " ");
        print_found(out, study, &found);
        fprintf(out, " |");
    }
    fprintf(out, "\n");
}

static void print_study(FILE *out, const char *machine, struct study *study) {
    const struct subject *subject = study_subject(study);
    fprintf(out, "\n| %s, MLP-%d |", machine, subject->mlp + 1);
    for (int batch = 0; batch < subject->batches; batch++)
        fprintf(out, " %dK |", study_batch(study, batch));
    fprintf(out, "\n|---|");
    for (int batch = 0; batch < subject->batches; batch++)
        fprintf(out, "---|");
    fprintf(out, "\n");
    for (int i = 0; i < NAMED; i++)
        print_row(out, study, named[i]);
    print_row(out, study, ALIGNED);
    print_fastest(out, study);
}

void print_shares(FILE *out, const struct stand *stand) {
    for (int machine = 0; machine < MACHINES; machine++)
        for (int mlp = MLP_1; mlp < MLPS; mlp++)
            print_study(out, machine_names[machine], stand->study[machine][mlp]);
}

/* The beginning of a table with a column for each way. */
static void print_head(FILE *out, const char *first, int count, const struct way ways[]) {
    fprintf(out, "\n| %s |", first);
    for (int i = 0; i < count; i++)
        fprintf(out, " %s |", ways[i].name);
    fprintf(out, "\n|---|");
    for (int i = 0; i < count; i++)
        fprintf(out, "---|");
    fprintf(out, "\n");
}

static bool is_asked(const struct results results[], int count, int claim) {
    for (int i = 0; i < count; i++)
        if (results[i].answer[claim].asked)
            return true;
    return false;
}

/* Yes, or no; in brackets at how many batches it does not hold. */
static void print_answer(FILE *out, const struct answer *answer) {
    int failed = 0;
    for (int bits = answer->fails; bits; bits &= bits - 1)
        failed++;
    if (!answer->asked)
        fprintf(out, " – |");
    else if (failed)
        fprintf(out, " no (%d) |", failed);
    else
        fprintf(out, " yes |");
}

void print_answers(FILE *out, int count, const struct way ways[], const struct results results[]) {
    fprintf(out, "## Claims\n\n");
    for (int i = 0; i < count; i++)
        fprintf(out, "- *%s*: %s.\n", ways[i].name, ways[i].text);
    print_head(out, "claim", count, ways);
    for (int claim = 0; claim < CLAIMS; claim++) {
        if (!is_asked(results, count, claim))
            continue;
        fprintf(out, "| %s %s |", claims[claim].name, claims[claim].text);
        for (int i = 0; i < count; i++)
            print_answer(out, &results[i].answer[claim]);
        fprintf(out, "\n");
    }
}

void print_changes(FILE *out, int count, const struct way ways[], const struct results results[]) {
    fprintf(out, "\n## What changes an answer\n\n| claim | way | parameter |\n|---|---|---|\n");
    for (int claim = 0; claim < CLAIMS; claim++)
        for (int i = 0; i < count; i++)
            if (results[i].answer[claim].changes.bytes > 0)
                fprintf(out, "| %s | %s |%s |\n", claims[claim].name, ways[i].name,
                        results[i].answer[claim].changes.data);
}

void print_figures(FILE *out, int count, const struct way ways[], const struct results results[]) {
    for (int i = 0; i < count; i++)
        fprintf(out, "\n## Shares of the peak: %s\n%s", ways[i].name, results[i].shares.data);
    fprintf(out, "\n## Numbers behind each answer\n");
    for (int claim = 0; claim < CLAIMS; claim++) {
        if (!is_asked(results, count, claim))
            continue;
        fprintf(out, "\n**%s** %s\n", claims[claim].name, claims[claim].text);
        for (int i = 0; i < count; i++)
            if (results[i].answer[claim].asked)
                fprintf(out, "\n- %s\n%s", ways[i].name, results[i].answer[claim].figures.data);
    }
}
