/* stand.c - machines as they are described and with a parameter changed, and their studies. */
#include "stand.h"

#include <stdlib.h>
#include <string.h>

const char *const machine_names[MACHINES] = {[PVC] = "pvc12", [H100] = "h100x8"};

/* `top` is left out: it does what the peak does. A rank of the H100s shares one port among all
 * others; a pair and the port are one link. */
const struct parameter parameters[PARAMETERS] = {
    {PVC, "peak", {{"f32", 0}}},
    {PVC, "half m", {{"m", 0}}},
    {PVC, "half n", {{"n", 0}}},
    {PVC, "half k", {{"k", 0}}},
    {PVC, "memory", {{"memory", 0}}},
    {PVC, "product", {{"product", 0}}},
    {PVC, "barrier", {{"barrier", 0}}},
    {PVC, "pair in a GPU", {{"pair", 0}}},
    {PVC, "pair of Xe Link", {{"pair", 1}}},
    {PVC, "latency", {{"latency", 0}, {"latency", 1}}},
    {PVC, "accumulate", {{"accumulate", 0}, {"accumulate", 1}}},
    {H100, "peak", {{"f32", 0}}},
    {H100, "half m", {{"m", 0}}},
    {H100, "half n", {{"n", 0}}},
    {H100, "half k", {{"k", 0}}},
    {H100, "memory", {{"memory", 0}}},
    {H100, "product", {{"product", 0}}},
    {H100, "barrier", {{"barrier", 0}}},
    {H100, "slowed", {{"slowed", 0}}},
    {H100, "pair and port", {{"pair", 0}, {"port", 0}}},
    {H100, "latency", {{"latency", 0}}},
    {H100, "accumulate", {{"accumulate", 0}}},
};

const struct parameter interference = {H100, "slowed", {{"slowed", 0}}};

static void open_studies(struct stand *stand, int machine, const struct stand *base) {
    for (int mlp = MLP_1; mlp < MLPS; mlp++) {
        struct subject subject = stand->subject;
        subject.machine = stand->machine[machine];
        subject.mlp = mlp;
        stand->study[machine][mlp] =
            study_create(&subject, base ? base->study[machine][mlp] : NULL);
    }
}

static void close_machine(struct stand *stand, int machine) {
    for (int mlp = MLP_1; mlp < MLPS; mlp++)
        study_destroy(stand->study[machine][mlp]);
    sct_machine_destroy(stand->machine[machine]);
}

void stand_open(const struct subject *subject, struct stand *stand) {
    stand->subject = *subject;
    for (int machine = 0; machine < MACHINES; machine++) {
        must(sct_machine_load(machine_names[machine], &stand->machine[machine]));
        open_studies(stand, machine, NULL);
    }
}

void stand_close(struct stand *stand) {
    for (int machine = 0; machine < MACHINES; machine++)
        close_machine(stand, machine);
}

/* Where the number is that follows the key for the so-manieth time. */
static char *find_number(char *text, const char *key, int before) {
    char quoted[TEXT];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    char *at = strstr(text, quoted);
    for (; at && before > 0; before--)
        at = strstr(at + 1, quoted);
    if (!at) {
        fprintf(stderr, "paper: no %s in the machine's description\n", quoted);
        exit(1);
    }
    return at + strlen(quoted);
}

sct_machine *machine_change(const sct_machine *machine, const struct parameter *parameter,
                            double factor) {
    size_t bytes = sct_machine_print(machine, NULL, 0) + 2 * TEXT;
    char *text = malloc(bytes), *changed = malloc(bytes);
    if (!text || !changed)
        exit(1);
    sct_machine_print(machine, text, bytes);
    for (int i = 0; i < 2 && parameter->number[i].key; i++) {
        char *from = find_number(text, parameter->number[i].key, parameter->number[i].before), *to;
        double value = strtod(from, &to) * factor;
        snprintf(changed, bytes, "%.*s%.12g%s", (int)(from - text), text, value, to);
        memcpy(text, changed, bytes);
    }
    sct_machine *made;
    must(sct_machine_parse(text, parameter->name, &made));
    free(changed);
    free(text);
    return made;
}

void stand_change(const struct stand *from, const struct parameter *parameter, double factor,
                  struct stand *to) {
    int machine = parameter->machine;
    *to = *from;
    to->machine[machine] = machine_change(from->machine[machine], parameter, factor);
    open_studies(to, machine, from);
}

void stand_close_changed(const struct parameter *parameter, struct stand *stand) {
    close_machine(stand, parameter->machine);
}

double share_of(struct study *study, int partitioning, int batch) {
    return study_report(study, partitioning, batch).outcome.share;
}

int find_fastest(struct study *study, int batch, bool of_named) {
    int best = named[0];
    for (int i = 0; i < (of_named ? NAMED : COMBINATIONS); i++) {
        int other = of_named ? named[i] : i;
        if (share_of(study, other, batch) > share_of(study, best, batch))
            best = other;
    }
    return best;
}

int count_faster(struct study *study, int partitioning, int batch, double margin, bool of_named) {
    double share = share_of(study, partitioning, batch) * (1 + margin);
    int count = 0;
    for (int i = 0; i < (of_named ? NAMED : COMBINATIONS); i++) {
        int other = of_named ? named[i] : i;
        count += other != partitioning && share_of(study, other, batch) > share;
    }
    return count;
}

void print_factors(FILE *out, const struct study *study, const struct found *found) {
    const int *factor = found->trial.factor;
    int a = study_factor(study, factor[A]), b = study_factor(study, factor[B]);
    int c = study_factor(study, factor[C]);
    if (a != b)
        fprintf(out, "%d-%d-%d", a, b, c);
    else if (b != c)
        fprintf(out, "%d-%d", a, c);
    else
        fprintf(out, "%d", a);
}

void print_share(FILE *out, const struct study *study, const struct found *found) {
    fprintf(out, "%.1f %% (", 100 * found->outcome.share);
    print_factors(out, study, found);
    fprintf(out, ", S-%c)", "-ABC"[found->trial.stay]);
}

void print_found(FILE *out, const struct study *study, const struct found *found) {
    char name[TEXT];
    partitioning_name(found->trial.partitioning, name);
    fprintf(out, "%s ", name);
    print_share(out, study, found);
}
