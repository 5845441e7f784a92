/* machine.c - machine descriptions: errors are reported with their position, good ones print to an
 * equal text; and how long operations take on a described machine. */
#include "machine/keys.h"

#include "base/status.h"
#include "support/arabic.h"
#include "support/check.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 16384 };

/* What follows `{"name":"x",`, or a whole text, and the expected reason after "file: ". */
static const struct {
    const char *text, *reason;
} bad[] = {
    {"", "file:1:0: '[' or '{' expected near end of file"},
    {"{\"name\":\n\n  \"x\" \"about\": 1}", "file:3:13: '}' expected near '\"about\"'"},
    {"{\"name\": \"x\", \"name\": \"y\"}", "file:1:20: name: duplicate object key near '\"name\"'"},
    {"{\"links\": [{\"pair\": 1}, {\"pair\": 2, \"port\": 1, \"pair\": 3}]}",
     "file:1:53: links[1].pair: duplicate object key near '\"pair\"'"},
    {"{\"name\": \"\xff\"}", "file:1:10: unable to decode byte 0xff near '\"'"},
    {"{\"name\": \"x\n\"}", "file:1:11: unexpected newline near '\"x'"},
    {"{\"name\": nan}", "file:1:12: invalid token near 'nan'"},
    {"{\"ranks\": 1e999}", "file:1:15: ranks: real number overflow near '1e999'"},
    {"{\"name\": \"a\\\",{\", \"peak\": {\"f64\": 1e999}}",
     "file:1:39: peak.f64: real number overflow near '1e999'"},
    {"{\"links\": [{}, {\"ranks\": 99999999999999999999}]}",
     "file:1:45: links[1].ranks: too big integer near '99999999999999999999'"},
    {"[[[[[[1e999", "file:1:11: [0][0][0][0]: real number overflow near '1e999'"},
    {"[[[[[[[[[[[[[[[[1", "file:1:17: ']' expected near end of file"},
    {"[[[[[[[[[[[[[[[[{", "file: it is no machine: objects and arrays nest deeper than 16 levels"},
    {"{\"[[[[[[[[[[[[[[[[[\\\"[\":1}",
     "file: there is no key \"[[[[[[[[[[[[[[[[[\\\"[\"; allowed: name about notes ranks peak "
     "top half capacity memory panel product barrier slowed ahead in_flight links"},
    {"[1,2]", "file: [1,2] is not an object"},
    {"{}", "file: name: it is missing"},
    {"{\"name\":\"x\"}", "file: peak: it is missing"},
    {"{\"nane\":\"x\"}",
     "file: there is no key \"nane\"; allowed: name about notes ranks peak top half "
     "capacity memory panel product barrier slowed ahead in_flight links"},
    {"{\"n\xc3\xa9\":\"x\"}",
     "file: there is no key \"n\\u00E9\"; allowed: name about notes ranks peak "
     "top half capacity memory panel product barrier slowed ahead in_flight links"},
    {"{\"name\":7}", "file: name: 7 is not a line of 1 to 63 bytes"},
    {"{\"name\":\"\"}", "file: name: \"\" is not a line of 1 to 63 bytes"},
    {"{\"name\":\"a\\nb\"}", "file: name: \"a\\nb\" is not a line of 1 to 63 bytes"},
    {"{\"name\":\"1234567890123456789012345678901234567890123456789012345678901234\"}",
     "file: name: \"12345678901234567890123456789012345... is not a line of 1 to 63 bytes"},
    {"{\"name\":\"a\x7f\"}", "file: name: \"a?\" is not a line of 1 to 63 bytes"},
    {"{\"name\":\"\xc2\x9b\"}", "file: name: \"\\u009B\" is not a line of 1 to 63 bytes"},
    {"\"about\":null}", "file: about: null is not a text of one line"},
    {"\"notes\":\"x\"}", "file: notes: \"x\" is not a list of texts"},
    {"\"notes\":[\"x\",[]]}", "file: notes[1]: [] is not a text of one line"},
    {"\"ranks\":1.5}", "file: ranks: 1.5 is not a whole number from 0 to 2147483647"},
    {"\"ranks\":-1}", "file: ranks: -1 is not a whole number from 0 to 2147483647"},
    {"\"ranks\":2147483648}", "file: ranks: 2147483648 is not a whole number from 0 to 2147483647"},
    {"\"peak\":1}", "file: peak: 1 is not an object"},
    {"\"peak\":{\"f64\":0}}", "file: peak.f64: 0 is not a number above 0"},
    {"\"peak\":{\"f8\":1}}",
     "file: peak: there is no key \"f8\"; allowed: f32 f64 cf32 cf64 f16 bf16"},
    {"\"peak\":{\"f16\":1},\"links\":[{}]}", "file: peak: it needs f32 or f64"},
    {"\"peak\":{\"f32\":1}}", "file: links: it is missing"},
    {"\"peak\":{\"f32\":1},\"top\":1.01}", "file: top: 1.01 is not a number above 0 and up to 1"},
    {"\"peak\":{\"f32\":1},\"top\":0}", "file: top: 0 is not a number above 0 and up to 1"},
    {"\"peak\":{\"f32\":1},\"half\":{\"m\":-0.5}}",
     "file: half.m: -0.5 is not a number of 0 or more"},
    {"\"peak\":{\"f32\":1},\"slowed\":1}", "file: slowed: 1 is not a number from 0 to below 1"},
    {"\"peak\":{\"f32\":1},\"slowed\":-1}", "file: slowed: -1 is not a number from 0 to below 1"},
    {"\"peak\":{\"f32\":1},\"memory\":\"1e9\"}", "file: memory: \"1e9\" is not a number above 0"},
    {"\"peak\":{\"f32\":1},\"in_flight\":{\"gets\":0.5}}",
     "file: in_flight.gets: 0.5 is not a whole number from 0 to 2147483647"},
    {"\"peak\":{\"f32\":1},\"links\":{}}", "file: links: {} is not a list of 1 to 8 objects"},
    {"\"peak\":{\"f32\":1},\"links\":[]}", "file: links: [] is not a list of 1 to 8 objects"},
    {"\"peak\":{\"f32\":1},\"links\":[{},{},{},{},{},{},{},{},{}]}",
     "file: links: [{},{},{},{},{},{},{},{},{}] is not a list of 1 to 8 objects"},
    {"\"peak\":{\"f32\":1},\"links\":[1]}", "file: links[0]: 1 is not an object"},
    {"\"peak\":{\"f32\":1},\"links\":[{\"ranks\":2},{\"pair\":\"x\"}]}",
     "file: links[1].pair: \"x\" is not a number above 0"},
    {"\"peak\":{\"f32\":1},\"links\":[{\"speed\":2}]}",
     "file: links[0]: there is no key \"speed\"; allowed: ranks pair port uplink total latency "
     "accumulate processor in_place by_rank"},
    {"\"peak\":{\"f32\":1},\"links\":[{\"in_place\":1}]}",
     "file: links[0].in_place: 1 is not true or false"},
    {"\"peak\":{\"f32\":1},\"links\":[{\"ranks\":2}]}",
     "file: links[0].ranks: the last level of links joins all ranks, and must not have this key"},
    {"\"peak\":{\"f32\":1},\"links\":[{},{}]}",
     "file: links[0].ranks: it is missing or 0; only the last level of links joins all ranks"},
    {"\"peak\":{\"f32\":1},\"links\":[{\"ranks\":1},{}]}",
     "file: links[0].ranks: 1 is not a larger multiple of 1, the ranks of the level before"},
    {"\"peak\":{\"f32\":1},\"links\":[{\"ranks\":2},{\"ranks\":3},{}]}",
     "file: links[1].ranks: 3 is not a larger multiple of 2, the ranks of the level before"},
    {"\"peak\":{\"f32\":1},\"links\":[{\"ranks\":2},{\"ranks\":2},{}]}",
     "file: links[1].ranks: 2 is not a larger multiple of 2, the ranks of the level before"},
};

static void test_reasons(void) {
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[TEXT];
        bool whole = bad[i].text[0] != '"';
        sct_machine *machine = NULL;
        snprintf(text, sizeof text, "%s%s", whole ? "" : "{\"name\":\"x\",", bad[i].text);
        sct_status status = sct_machine_parse(text, "file", &machine);
        CHECK_CASE(status == SCT_BAD_ARGUMENT && !machine, "%s is understood", text);
        CHECK_CASE(strcmp(sct_last_reason(), bad[i].reason) == 0, "%s: %s, not %s", text,
                   sct_last_reason(), bad[i].reason);
    }
    CHECK(sct_machine_parse(NULL, "file", &(sct_machine *){NULL}) == SCT_BAD_ARGUMENT);
    CHECK(sct_machine_parse("{}", NULL, &(sct_machine *){NULL}) == SCT_BAD_ARGUMENT);
    CHECK(sct_machine_parse("{}", "file", NULL) == SCT_BAD_ARGUMENT);
}

static sct_machine *parse(const char *text) {
    sct_machine *machine = NULL;
    CHECK_CASE(sct_machine_parse(text, "file", &machine) == SCT_OK, "%s", sct_last_reason());
    return machine;
}

/* Compares two machines key by key; strings belong to the keys that contain them. */
static bool same_keys(const sct_key *keys, const void *x, const void *y) {
    for (const sct_key *key = keys; key->name; key++)
        if ((key->kind < SCT_KEY_NUMBERS && sct_key_number(key, x) != sct_key_number(key, y)) ||
            (key->kind == SCT_KEY_TRUTH &&
             *(bool *)sct_key_place(key, x) != *(bool *)sct_key_place(key, y)) ||
            (key->kind == SCT_KEY_OBJECT && !same_keys(key->inside, x, y)))
            return false;
    return true;
}

static bool same_texts(const char *x, const char *y) {
    return strcmp(x ? x : "", y ? y : "") == 0;
}

static bool same(const sct_machine *x, const sct_machine *y) {
    const sct_key *links = sct_machine_keys;
    while (links->kind != SCT_KEY_LINKS)
        links++;
    for (int i = 0; i < x->levels && i < y->levels; i++)
        if (!same_keys(links->inside, &x->level[i], &y->level[i]))
            return false;
    return same_keys(sct_machine_keys, x, y) && x->levels == y->levels &&
           same_texts(x->name, y->name) && same_texts(x->about, y->about) &&
           same_texts(x->notes, y->notes);
}

/* Prints the machine, also into too little space, and parses what was printed. */
static void check_printed(const sct_machine *machine) {
    char text[TEXT], cut[20];
    size_t length = sct_machine_print(machine, text, sizeof text);
    CHECK(length < sizeof text && length == strlen(text));
    CHECK(sct_machine_print(machine, NULL, 0) == length);
    CHECK(sct_machine_print(machine, cut, sizeof cut) == length);
    CHECK(strlen(cut) == sizeof cut - 1 && memcmp(cut, text, sizeof cut - 1) == 0);
    sct_machine *again = parse(text);
    CHECK_CASE(again && same(machine, again), "prints as another machine: %s", text);
    sct_machine_destroy(again);
}

static void test_printed(void) {
    static const char text[] = "{\n"
                               "    \"name\": \"a \\\"b\\\" \\\\ c\",\n"
                               "    \"about\": \"d\",\n"
                               "    \"notes\": [\n"
                               "        \"e\",\n"
                               "        \"\"\n"
                               "    ],\n"
                               "    \"ranks\": 12,\n"
                               "    \"peak\": {\"f32\": 22.7e12, \"f64\": 1e12, \"cf32\": 22.7e12, "
                               "\"cf64\": 0.007, \"f16\": 99999, \"bf16\": 100e3},\n"
                               "    \"half\": {\"k\": 0.071},\n"
                               "    \"memory\": 123.456789e6,\n"
                               "    \"product\": 500e-9,\n"
                               "    \"barrier\": 500e-6,\n"
                               "    \"links\": [\n"
                               "        {\n"
                               "            \"ranks\": 2,\n"
                               "            \"in_place\": true\n"
                               "        },\n"
                               "        {}\n"
                               "    ]\n"
                               "}\n";
    char printed[TEXT];
    sct_machine *machine = parse(text);
    sct_machine_print(machine, printed, sizeof printed);
    CHECK_CASE(strcmp(printed, text) == 0, "%s", printed);
    check_printed(machine);
    sct_machine_destroy(machine);
}

/* Any number prints to a text that is read as the same number. */
static void test_numbers(uint64_t seed) {
    sct_machine *machine = parse("{\"name\":\"x\",\"peak\":{\"f32\":1},\"links\":[{}]}");
    for (int i = 0; i < 2000; i++) {
        double digits = (double)check_random(&seed);
        if (i % 2 == 0)
            digits = (double)check_between(&seed, 1, 99999);
        machine->memory = ldexp(digits, (int)check_between(&seed, -1000, 900));
        machine->level[0].latency = digits * pow(10, (double)check_between(&seed, -20, 5));
        check_printed(machine);
    }
    machine->memory = 5e-324;
    check_printed(machine);
    sct_machine_destroy(machine);
}

static void test_defaults(void) {
    sct_machine *machine =
        parse("{\"name\":\"x\",\"peak\":{\"f32\":3,\"f64\":1,\"f16\":9},\"links\":[{}]}");
    const sct_level *level = &machine->level[0];
    static const double peaks[SCT_TYPES] = {3, 1, 3, 1, 9, 3};
    for (int type = 0; type < SCT_TYPES; type++)
        CHECK(sct_machine_peak(machine, (sct_type)type) == peaks[type]);
    CHECK(isinf(machine->memory) && isinf(level->pair) && isinf(level->port));
    CHECK(isinf(level->uplink) && isinf(level->total));
    CHECK(machine->top == 1 && level->accumulate == 1 && level->latency == 0);
    CHECK(machine->slowed == 0 && machine->gets == 0 && !level->in_place && !level->by_rank);
    CHECK(sct_machine_ranks(machine) == 0 && sct_machine_ranks_per_node(machine) == 1);
    CHECK(strcmp(sct_machine_name(machine), "x") == 0 && *sct_machine_about(machine) == '\0');
    sct_machine_destroy(machine);
    machine = parse("{\"name\":\"x\",\"peak\":{\"f32\":3},\"links\":[{}]}");
    CHECK(sct_machine_peak(machine, SCT_F64) == 0 && sct_machine_peak(machine, SCT_CF64) == 0);
    sct_machine_destroy(machine);
    sct_machine_destroy(NULL);
}

static void test_levels(void) {
    sct_machine *machine =
        parse("{\"name\":\"x\",\"peak\":{\"f64\":1},\"links\":["
              "{\"ranks\":2,\"in_place\":true},{\"ranks\":6,\"in_place\":true},{}]}");
    static const struct {
        int rank, other, level;
    } pairs[] = {{0, 1, 0}, {1, 2, 1}, {0, 5, 1}, {4, 5, 0}, {5, 6, 2}, {11, 6, 1}, {0, 100, 2}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        CHECK_CASE(sct_machine_level(machine, pairs[i].rank, pairs[i].other) ==
                       &machine->level[pairs[i].level],
                   "%d and %d", pairs[i].rank, pairs[i].other);
    CHECK(sct_machine_ranks_per_node(machine) == 6);
    machine->level[1].in_place = false;
    CHECK(sct_machine_ranks_per_node(machine) == 2);
    machine->level[1].in_place = machine->level[2].in_place = true;
    CHECK(sct_machine_ranks_per_node(machine) == 0);
    sct_machine_destroy(machine);
}

static void test_times(void) {
    sct_machine *machine =
        parse("{\"name\":\"x\",\"peak\":{\"f32\":16,\"f64\":8},\"top\":0.5,\"half\":{\"m\":2},"
              "\"memory\":64,\"product\":3,\"links\":[{\"ranks\":2,\"pair\":4,\"latency\":1,"
              "\"accumulate\":0.5},{\"pair\":9,\"port\":8,\"uplink\":2,\"total\":5}]}");
    /* 2 * 2 * 4 * 8 flops at 4 per second, at half speed because m is 2. */
    CHECK(sct_machine_multiply(machine, SCT_F64, 2, 4, 8) == 3 + 32 * 2);
    CHECK(sct_machine_multiply(machine, SCT_CF64, 2, 4, 8) == 3 + 128 * 2);
    /* 8 + 1 + 2 * 8 elements of 8 bytes. */
    machine->memory = 1;
    CHECK(sct_machine_multiply(machine, SCT_F64, 8, 1, 1) == 3 + 25 * 8);
    machine->memory = 64;
    CHECK(sct_machine_copy(machine, 0, 1, 8) == 1 + 2);
    CHECK(sct_machine_accumulate(machine, 1, 0, 8) == 1 + 4);
    CHECK(sct_machine_copy(machine, 1, 2, 8) == 4);
    /* Within one rank's memory, bytes are read and written. */
    CHECK(sct_machine_copy(machine, 1, 1, 128) == 4);
    CHECK(sct_machine_accumulate(machine, 1, 1, 128) == 6);
    sct_machine_destroy(machine);
}

/* Each machine that comes with the library has the name of its file. */
static void test_shipped(void) {
    static const char *const names[] = {"pvc12", "h100x8", "node", "cluster"};
    static const int ranks[] = {12, 8, 2, 0};
    for (int i = 0; i < 4; i++) {
        const char *name = sct_machine_shipped(i);
        sct_machine *machine = NULL;
        if (!CHECK(name && strcmp(name, names[i]) == 0) ||
            !CHECK_CASE(sct_machine_load(name, &machine) == SCT_OK, "%s", sct_last_reason()))
            continue;
        CHECK(strcmp(sct_machine_name(machine), name) == 0 && *sct_machine_about(machine) != '\0');
        CHECK(sct_machine_ranks(machine) == ranks[i] && machine->notes);
        check_printed(machine);
        sct_machine_destroy(machine);
    }
    CHECK(!sct_machine_shipped(4) && !sct_machine_shipped(-1));
}

static void expect_unloaded(const char *name, const char *reason) {
    sct_machine *machine = NULL;
    CHECK_CASE(sct_machine_load(name, &machine) != SCT_OK && !machine, "%s is loaded", name);
    CHECK_CASE(strcmp(sct_last_reason(), reason) == 0, "%s, not %s", sct_last_reason(), reason);
}

static void write_file(const char *path, const char *text, size_t bytes) {
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(text, 1, bytes, file) == bytes);
    if (file)
        fclose(file);
}

static void test_files(void) {
    static const char text[] = "{\"name\":\"mine\",\"peak\":{\"f64\":1},\"links\":[{}]}\0";
    char folder[] = "/tmp/machine.XXXXXX", reason[80];
    sct_machine *machine = NULL;
    if (!CHECK(mkdtemp(folder) && chdir(folder) == 0))
        return;
    write_file("mine", text, sizeof text - 2);
    CHECK(sct_machine_load("mine", &machine) == SCT_OK &&
          strcmp(sct_machine_name(machine), "mine") == 0);
    sct_machine_destroy(machine);
    write_file("mine", text, sizeof text);
    expect_unloaded("mine", "mine: it is not a text: byte 45 is 0");
    write_file("mine", "{", 1);
    expect_unloaded("mine", "mine:1:1: string or '}' expected near end of file");
    expect_unloaded("none", "none: neither a file (No such file or directory) nor one of the "
                            "machines pvc12 h100x8 node cluster");
    snprintf(reason, sizeof reason, "%s: cannot be read: Is a directory", folder);
    expect_unloaded(folder, reason);
    CHECK(unlink("mine") == 0 && rmdir(folder) == 0);
}

static void *no_memory(size_t bytes) {
    (void)bytes;
    return NULL;
}

/* There is no memory for the JSON parser. */
static void test_no_memory(void) {
    sct_machine *machine;
    json_set_alloc_funcs(no_memory, free);
    CHECK(sct_machine_parse("{}", "file", &machine) == SCT_NO_MEMORY);
    json_set_alloc_funcs(malloc, free);
}

static void test_texts(uint64_t seed) {
    test_reasons();
    test_printed();
    test_numbers(seed);
}

/* The locale of the thread changes nothing. */
static void test_arabic(uint64_t seed) {
    locale_t arabic = arabic_locale();
    if (!arabic)
        return;
    uselocale(arabic);
    test_texts(seed);
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(arabic);
}

int main(void) {
    uint64_t seed = check_seed(20);
    test_texts(seed);
    test_arabic(seed);
    test_defaults();
    test_levels();
    test_times();
    test_shipped();
    test_files();
    test_no_memory();
    return check_report("machine");
}
