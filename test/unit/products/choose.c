/* choose.c - layouts that are chosen for groups: what practice has found for an MLP; fixed and
 * equal layouts; memory. */
#include "support/check.h"

#include <sectile/sectile.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 200, FIXES = 8 };

/* Eight machines h100x8, each GPU with a link of 400 Gbit/s. */
static const char nodes[] =
    "{\"name\": \"nodes\", \"ranks\": 64, \"peak\": {\"f32\": 67e12, \"bf16\": 989e12}, \"top\": "
    "0.71, \"half\": "
    "{\"m\": 256, \"n\": 256, \"k\": 128}, \"memory\": 3.35e12, \"product\": 5e-6, \"barrier\": "
    "5e-6, \"slowed\": 0.41, \"links\": [{\"ranks\": 8, \"pair\": 450e9, \"port\": 450e9, "
    "\"latency\": 5e-6, \"accumulate\": 0.8}, {\"pair\": 50e9, \"port\": 50e9, \"latency\": 10e-6, "
    "\"accumulate\": 0.8}]}";

typedef struct question {
    sct_products *products;
    sct_machine *machine;
    sct_products_search search;
    sct_products_fix fix[FIXES];
} question;

static question ask(const char *text, const char *sizes, const char *machine, int ranks) {
    question asked = {.search = {.size = sizeof asked.search, .type = SCT_BF16, .ranks = ranks}};
    CHECK_CASE(sct_products_parse(text, sizes, &asked.products) == SCT_OK, "%s", sct_last_reason());
    sct_status status = machine == nodes ? sct_machine_parse(machine, "nodes", &asked.machine)
                                         : sct_machine_load(machine, &asked.machine);
    CHECK_CASE(status == SCT_OK, "%s", sct_last_reason());
    asked.search.machine = asked.machine;
    return asked;
}

static void fix(question *asked, const char *matrix, const char *layout) {
    int index = sct_products_matrix_find(asked->products, matrix);
    const sct_products_shape shape = sct_products_matrix_at(asked->products, index);
    sct_layout *made = NULL;
    CHECK(sct_layout_parse(layout, shape.rows, shape.cols, asked->search.ranks, &made) == SCT_OK);
    asked->fix[asked->search.fixes++] = (sct_products_fix){matrix, made};
}

static sct_products_choice choose(question *asked) {
    sct_products_choice choice = {.matrices = 0};
    asked->search.fix = asked->fix;
    CHECK_CASE(sct_products_choose(asked->products, &asked->search, &choice) == SCT_OK, "%s",
               sct_last_reason());
    return choice;
}

static void clear(question *asked) {
    for (int i = 0; i < asked->search.fixes; i++)
        sct_layout_destroy((sct_layout *)asked->fix[i].layout);
    sct_products_destroy(asked->products);
    sct_machine_destroy(asked->machine);
}

static void has(const question *asked, const sct_products_choice *choice, const char *matrix,
                const char *layout) {
    char text[TEXT] = "none";
    int index = sct_products_matrix_find(asked->products, matrix);
    if (index < choice->matrices)
        sct_layout_print(choice->layout[index], text, sizeof text);
    CHECK_CASE(strcmp(text, layout) == 0, "%s is %s, not %s", matrix, text, layout);
}

static question ask_mlp(const char *sizes, const char *machine, int ranks) {
    question asked = ask("Y = X[m,h] * V[h,f]; Z = Y * W[f,h]; Z ~ X", sizes, machine, ranks);
    CHECK(sct_products_backward(asked.products) == SCT_OK);
    return asked;
}

/* What holds for any choice. */
static void check_choice(const sct_products_choice *choice) {
    double sum = 0;
    for (int i = 0; i < choice->products; i++)
        sum += choice->work[i].seconds;
    CHECK(choice->matrices == 10 && choice->products == 6 && choice->seconds == sum);
    CHECK(choice->bound <= 1.001 * choice->seconds && choice->bound > 0.7 * choice->seconds);
}

/* Megatron-LM with sequence parallelism: the first weight by columns, the second by rows. */
static void test_few_tokens(void) {
    question asked = ask_mlp("m=1024,h=12288,f=49152", "h100x8", 8);
    sct_products_choice choice = choose(&asked);
    check_choice(&choice);
    has(&asked, &choice, "V", "col");
    has(&asked, &choice, "W", "row");
    has(&asked, &choice, "Y", "col");
    has(&asked, &choice, "X", "row");
    has(&asked, &choice, "dV", "col");
    has(&asked, &choice, "dX", "row");
    sct_products_choice_clear(&choice);
    clear(&asked);
}

/* The weights, and what is between the layers, as in Megatron-LM; X takes less time in copies. */
static void test_more_tokens(void) {
    question asked = ask_mlp("m=8192,h=12288,f=49152", "h100x8", 8);
    sct_products_choice choice = choose(&asked), style = {.seconds = 0};
    check_choice(&choice);
    has(&asked, &choice, "V", "col");
    has(&asked, &choice, "W", "row");
    has(&asked, &choice, "Y", "col");
    has(&asked, &choice, "dV", "col");
    asked.search.fixes = 0;
    CHECK(sct_products_choose_style(asked.products, &asked.search, SCT_STYLE_SEQUENCE, &style) ==
          SCT_OK);
    CHECK_CASE(choice.seconds < style.seconds && choice.seconds > 0.95 * style.seconds,
               "%.4g s, and Megatron-LM takes %.4g s", choice.seconds, style.seconds);
    sct_products_choice_clear(&style);
    sct_products_choice_clear(&choice);
    clear(&asked);
}

/* Each rank has tokens of its own, and fetches the weights. */
static void test_many_tokens(void) {
    question asked = ask_mlp("m=65536,h=12288,f=49152", "h100x8", 8);
    sct_products_choice choice = choose(&asked);
    check_choice(&choice);
    has(&asked, &choice, "X", "row");
    has(&asked, &choice, "Y", "row");
    sct_products_choice_clear(&choice);
    clear(&asked);
}

/* Each node has tokens of its own, and the GPUs of a node have columns of Y: of the weights, too.
 */
static void test_nodes(void) {
    question asked = ask_mlp("m=65536,h=12288,f=49152", nodes, 64);
    sct_products_choice choice = choose(&asked);
    check_choice(&choice);
    has(&asked, &choice, "Y", "2d:8x8");
    sct_products_choice_clear(&choice);
    clear(&asked);
}

/* Little memory for a product of squares: no copies, and a grid of 4 x 4 as in Cannon's algorithm.
 */
static void test_square(void) {
    question asked = ask("C = A[n,n] * B[n,n]", "n=16384", "cluster", 16);
    asked.search.type = SCT_F32;
    sct_products_choice free = choose(&asked), tight;
    asked.search.memory = 215000000; /* the matrices take 201326592 bytes on each rank */
    tight = choose(&asked);
    has(&asked, &tight, "B", "2d:4x4");
    has(&asked, &tight, "C", "2d:4x4");
    char work[TEXT];
    sct_layout_print(tight.work[0].layout ? tight.work[0].layout : tight.layout[2], work, TEXT);
    CHECK_CASE(strcmp(work, "2d:4x4") == 0, "the work is %s", work);
    CHECK(tight.memory <= asked.search.memory && free.memory > 3 * asked.search.memory);
    CHECK(sct_layout_replicas(tight.layout[0]) == 1);
    sct_products_choice_clear(&free);
    sct_products_choice_clear(&tight);
    clear(&asked);
}

static void test_fixes(void) {
    question asked = ask_mlp("m=512,h=256,f=1024", "h100x8", 8);
    fix(&asked, "V", "row*2");
    fix(&asked, "W", "2d:2x4");
    fix(&asked, "W", "2d:4x2");
    fix(&asked, "dV", "row");
    sct_products_choice choice = choose(&asked);
    check_choice(&choice);
    has(&asked, &choice, "V", "row*2");
    has(&asked, &choice, "dV", "row");
    char w[TEXT], dw[TEXT];
    sct_layout_print(choice.layout[sct_products_matrix_find(asked.products, "W")], w, TEXT);
    sct_layout_print(choice.layout[sct_products_matrix_find(asked.products, "dW")], dw, TEXT);
    CHECK_CASE((strcmp(w, "2d:2x4") == 0 || strcmp(w, "2d:4x2") == 0) && strcmp(w, dw) == 0,
               "W is %s, dW is %s", w, dw);
    sct_products_choice_clear(&choice);
    clear(&asked);
}

static void test_memory(void) {
    question asked = ask_mlp("m=8192,h=4096,f=16384", "h100x8", 8);
    sct_products_choice free = choose(&asked), tight;
    asked.search.memory = free.memory * 3 / 4;
    tight = choose(&asked);
    check_choice(&tight);
    /* The same layouts may take a little less with plans for less workspace. */
    CHECK(tight.memory <= asked.search.memory && tight.seconds >= 0.95 * free.seconds);
    for (int i = 0; i < tight.products; i++)
        CHECK(tight.work[i].limit > 0 && tight.work[i].workspace <= tight.work[i].limit);
    asked.search.memory = 1000;
    sct_products_choice none = {.matrices = 0};
    CHECK(sct_products_choose(asked.products, &asked.search, &none) == SCT_WORKSPACE);
    CHECK_CASE(strstr(sct_last_reason(), "memory: the matrices that are there at once need"), "%s",
               sct_last_reason());
    CHECK(none.matrices == 0 && !none.layout);
    sct_products_choice_clear(&free);
    sct_products_choice_clear(&tight);
    clear(&asked);
}

static void refused(question *asked, const char *reason) {
    sct_products_choice choice;
    asked->search.fix = asked->fix;
    CHECK(sct_products_choose(asked->products, &asked->search, &choice) == SCT_BAD_ARGUMENT);
    CHECK_CASE(strstr(sct_last_reason(), reason), "%s", sct_last_reason());
}

static void test_refusals(void) {
    question asked = ask("Y = X[64,32] * V[32,16]", NULL, "h100x8", 8);
    asked.search.ranks = 4;
    refused(&asked, "machine h100x8 has 8, not 4");
    asked.search.ranks = 8;
    asked.search.type = SCT_F32;
    fix(&asked, "X", "row");
    asked.fix[0].matrix = "Q";
    refused(&asked, "there is no matrix Q to fix");
    asked.fix[0].matrix = "V";
    refused(&asked, "V: the layout is for 64 x 32");
    clear(&asked);
}

/* More ranks than a matrix has rows and columns, and a prime number of them. */
static void test_few_elements(void) {
    question asked = ask("Y = X[3,2] * V[2,40]; Z = Y * W[40,1]", NULL, "cluster", 7);
    asked.search.type = SCT_F64;
    sct_products_choice choice = choose(&asked);
    CHECK(choice.matrices == 5 && choice.products == 2);
    has(&asked, &choice, "X", "row*7");
    sct_products_choice_clear(&choice);
    clear(&asked);
}

/* A million ranks, and one more. */
static void test_many_ranks(void) {
    question asked = ask("H = X[m,h] * U[h,f]; Y = H * D[f,h]; Y ~ X", "m=1048576,h=8192,f=32768",
                         "cluster", 1 << 20);
    asked.search.type = SCT_F64;
    sct_products_choice choice = choose(&asked);
    CHECK(choice.matrices == 5 && choice.products == 2 && choice.work[0].alone);
    CHECK(choice.seconds < 1.1 * choice.bound);
    sct_products_choice_clear(&choice);
    asked.search.ranks++;
    refused(&asked, "ranks: 1048577 is not between 1 and 1048576");
    clear(&asked);
}

int main(void) {
    test_many_ranks();
    test_few_tokens();
    test_more_tokens();
    test_many_tokens();
    test_nodes();
    test_square();
    test_fixes();
    test_memory();
    test_refusals();
    test_few_elements();
    return check_report("products_choose");
}
