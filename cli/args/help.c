/* help.c - the texts of help, made from the tables of verbs and flags. */
#include "args/help.h"

#include "args/flags.h"
#include "args/verbs.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, COLUMN = 32 };

static const char layouts[] =
    "Layouts:\n"
    "  row, row@P, col, col@P        blocks of rows, or of columns, on all or P ranks\n"
    "  2d, 2d:PRxPC                  one block for each rank of the squarest, or of\n"
    "                                this, grid\n"
    "  cyclic:MBxNB[@PRxPC]          blocks of MB x NB dealt round a grid of ranks;\n"
    "                                then may follow ,src=RxC (who has the first\n"
    "                                block) and ,first=IxJ (the size of that block)\n"
    "  cuts:R1,R2xC1,C2@0,1,0x1,0,1  cut above rows R1, R2 and left of columns C1, C2\n"
    "                                (- for no cut); behind the @ the grid row of\n"
    "                                each block of rows, x, the grid column of each\n"
    "                                block of columns; or, with no x, the rank of\n"
    "                                each tile\n"
    "  Each may go on with *c (c replicas), then %r0,r1,... (the rank at each place,\n"
    "  or by strides: %4x16,1x4 is 0, 4, ... 60, 1, 5, ... 63), then /f (parts stored\n"
    "  by columns): row*2/f. Layouts cut matrices as they are stored: what is\n"
    "  transposed by --op is cut before that.\n";

/* Words of `text` in lines that start at `indent`; the first line has got there already. */
static void print_wrapped(const char *text, int indent) {
    int column = indent;
    while (*text != '\0') {
        int length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        column += printf("%s%.*s", column > indent ? " " : "", length, text);
        text += length + (text[length] == ' ');
    }
    putchar('\n');
}

static void print_flag(const struct flag *flag) {
    int column =
        printf("  %s%s%s", flag->name, flag->value ? " " : "", flag->value ? flag->value : "");
    if (column >= COLUMN) {
        putchar('\n');
        column = 0;
    }
    printf("%*s", COLUMN - column, "");
    print_wrapped(flag->help, COLUMN);
}

void help_print(void) {
    printf("sectile %s - multiplies matrices that are cut and dealt to ranks in any way\n\n"
           "Usage: sectile VERB [arguments]\n\nVerbs:\n",
           sct_version());
    for (enum verb verb = 0; verb < VERBS; verb++)
        printf("  %-11s%s\n", verbs[verb].name, verbs[verb].summary);
    printf("  help VERB  says more about a verb, as does sectile VERB --help\n"
           "  --version  prints the version of the library\n\n"
           "Ranks are threads. Under mpiexec, of an MPI that sectile was built for, each\n"
           "process is a rank instead, and rank 0 prints: mpiexec -n 4 sectile run --check\n"
           "Processes on several hosts must find the same files under the same names.\n"
           "If --ranks does not say how many, there are as many as --machine has, of those\n"
           "that have a number (pvc12 12, h100x8 8, node 2), but under mpiexec at work what\n"
           "it starts; else what the help of the verb says. No machine has more than it has.\n\n"
           "Exit: 0 done, 1 the work failed or a check did not hold, 2 bad usage, 3 the engine\n"
           "asked for is not there.\n");
}

void help_print_verb(enum verb verb) {
    const struct verb_entry *entry = &verbs[verb];
    printf("sectile %s - %s\n\nUsage: sectile %s %s\n\n", entry->name, entry->summary, entry->name,
           entry->usage);
    print_wrapped(entry->details, 0);
    printf("\nFlags, as --flag value or --flag=value (with what stands if they are not given):\n");
    for (int i = 0; i < flags_count; i++)
        if (flags[i].verbs & 1u << verb)
            print_flag(&flags[i]);
    printf("\n%s\nExample:\n  %s\n", layouts, entry->example);
}
