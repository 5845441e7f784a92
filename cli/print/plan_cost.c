/* plan_cost.c - prints the costs of plans. */
#include "print/plan_cost.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

uint64_t cost_moved(const sct_cost *cost) {
    return cost->bytes_got + cost->bytes_accumulated + cost->bytes_in_place;
}

void cost_json(const sct_cost *cost, struct json *json) {
    json_whole(json, "steps", cost->steps);
    json_bytes(json, "bytes_got", cost->bytes_got);
    json_bytes(json, "bytes_gathered", cost->bytes_gathered);
    json_bytes(json, "bytes_in_place", cost->bytes_in_place);
    json_bytes(json, "bytes_accumulated", cost->bytes_accumulated);
    json_bytes(json, "bytes_scattered", cost->bytes_scattered);
    json_bytes(json, "bytes_reduced", cost->bytes_reduced);
    json_bytes(json, "workspace", cost->workspace);
    json_real(json, "flops", cost->flops);
}

static const struct {
    const char *name;
    size_t offset; /* of a uint64_t or int64_t */
} lines[] = {{"steps", offsetof(sct_cost, steps)},
             {"bytes fetched", offsetof(sct_cost, bytes_got)},
             {"bytes gathered", offsetof(sct_cost, bytes_gathered)},
             {"bytes read in place", offsetof(sct_cost, bytes_in_place)},
             {"bytes accumulated", offsetof(sct_cost, bytes_accumulated)},
             {"bytes scattered", offsetof(sct_cost, bytes_scattered)},
             {"bytes reduced", offsetof(sct_cost, bytes_reduced)},
             {"workspace", offsetof(sct_cost, workspace)}};

void cost_print(int columns, const char *const *heads, const sct_cost *const *costs) {
    printf("%-20s", "");
    for (int i = 0; i < columns; i++)
        printf("%20s", heads[i]);
    for (size_t line = 0; line < sizeof lines / sizeof *lines; line++) {
        printf("\n%-20s", lines[line].name);
        for (int i = 0; i < columns; i++) {
            uint64_t number;
            memcpy(&number, (const char *)costs[i] + lines[line].offset, sizeof number);
            printf("%20" PRIu64, number);
        }
    }
    printf("\n%-20s", "flops");
    for (int i = 0; i < columns; i++)
        printf("%20.6g", costs[i]->flops);
    putchar('\n');
}
