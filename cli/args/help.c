/* help.c - the help texts, made from the tables of verbs and flags. */
#include "args/help.h"

#include "args/flags.h"
#include "args/verbs.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, COLUMN = 32 };

static const char layouts[] =
    "Layouts:\n"
    "  row, row@P, col, col@P        one block of rows, or of columns, for each rank;\n"
    "                                with @P only for the first P ranks\n"
    "  2d, 2d:PRxPC                  one block for each rank, in the squarest grid of\n"
    "                                ranks or in a grid of PR x PC ranks\n"
    "  cyclic:MBxNB[@PRxPC]          blocks of MB x NB, dealt round a grid of ranks;\n"
    "                                optionally ,src=RxC (the owner of the first\n"
    "                                block) and ,first=IxJ (the size of that block)\n"
    "  cuts:R1,R2xC1,C2@0,1,0x1,0,1  cuts above rows R1, R2 and left of columns C1,\n"
    "                                C2 (- for none); after @ the grid row of each\n"
    "                                block of rows, x, the grid column of each block\n"
    "                                of columns; or, without x, the rank of each\n"
    "                                tile, row by row\n"
    "  Any of them may be followed by *c (c replicas), %r0,r1,... (the rank at each\n"
    "  position, or strides: %4x16,1x4 is 0, 4, ... 60, 1, 5, ... 63) and /f (parts\n"
    "  stored column-major), in this order: row*2/f. A layout cuts the matrix as it\n"
    "  is stored, before --op is applied.\n";

/* Prints words in lines that start at `indent`, which the first line has reached already. */
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

/* "-n, --ranks P". */
static int print_names(const struct flag *flag) {
    bool lettered = flags_has_letter(flag);
    int column = printf("  %s%s%s", lettered ? flag->also : "", lettered ? ", " : "", flag->name);
    if (flag->value)
        column += printf(" %s", flag->value);
    return column;
}

static void print_flag(const struct flag *flag, bool all) {
    char text[1024];
    bool had_name = flag->also && !flags_has_letter(flag);
    int column = print_names(flag);
    if (column >= COLUMN) {
        putchar('\n');
        column = 0;
    }
    snprintf(text, sizeof text, "%s%s%s", flag->help, all && had_name ? "; an older name is " : "",
             all && had_name ? flag->also : "");
    printf("%*s", COLUMN - column, "");
    print_wrapped(text, COLUMN);
}

static bool has_advanced(enum verb verb) {
    struct flag flag;
    for (int i = 0; i < flags_count; i++)
        if (flags_get(verb, i, &flag) && flag.advanced)
            return true;
    return false;
}

static void print_flags(enum verb verb, bool all) {
    const char *shown = NULL;
    struct flag flag;
    for (int i = 0; i < flags_count; i++) {
        if (!flags_get(verb, i, &flag) || (flag.advanced && !all))
            continue;
        if (flag.group != shown)
            printf(" %s\n", flag.group);
        shown = flag.group;
        print_flag(&flag, all);
    }
}

void help_print(void) {
    printf("sectile %s - multiplies distributed matrices in any layout\n\n"
           "Usage: sectile VERB [arguments]\n\nVerbs:\n",
           sct_version());
    for (enum verb verb = 0; verb < VERBS; verb++)
        printf("  %-11s%s\n", verbs[verb].name, verbs[verb].summary);
    printf("  help VERB  explains a verb, like sectile VERB --help or -h\n"
           "  help VERB --all  adds what is for experiments and tests\n"
           "  help layouts  explains how layouts are written\n"
           "  --version  prints the version of the library\n"
           "  --completion bash|zsh|fish  prints a script by which that shell completes command\n"
           "             lines\n\n"
           "Ranks are threads of one process. Under sectile launch, srun, torchrun, or the\n"
           "mpiexec of an MPI for which sectile was built, each process is a rank instead,\n"
           "and rank 0 prints the results, as in these examples:\n\n"
           "sectile launch -n 4 sectile run --check\n\n"
           "mpiexec -n 4 sectile run --check\n\n"
           "Processes on several hosts need the same files under the same names. They wait\n"
           "for a process that is stopped or stuck without a limit, unless the variable\n"
           "SECTILE_WAIT_SECONDS sets one; then all fail and name it. SECTILE_LOG=info has\n"
           "rank 0 say which versions, paths and plans are used; debug, all ranks.\n\n"
           "Without --ranks, verbs that move data use as many ranks as there are cores, but\n"
           "no more than --machine has; under such launchers, all of the processes.\n"
           "Others take the number from --machine, if its description gives one (pvc12: 12,\n"
           "h100x8: 8, node: 2). --ranks cannot exceed the ranks of --machine.\n\n"
           "Exit: 0 success, 1 the work or a check failed, 2 bad usage, 3 the engine is not\n"
           "available.\n");
}

void help_print_layouts(void) {
    printf("%s\n"
           "  Examples for an 8 x 8 matrix on 4 ranks:\n"
           "    row             rows 0 and 1 on rank 0, 2 and 3 on rank 1, and so on\n"
           "    2d              a quarter on each rank\n"
           "    cyclic:2x2      16 blocks, dealt round a grid of 2 x 2 ranks\n"
           "    row@2*2         two replicas, each on two ranks\n"
           "    cuts:1x-@3,0x0  row 0 on rank 3, the others on rank 0\n\n"
           "sectile plan --picture --a LAYOUT draws one.\n",
           layouts);
}

void help_print_verb(enum verb verb, bool all) {
    const struct verb_entry *entry = &verbs[verb];
    printf("sectile %s - %s\n\nUsage: sectile %s %s\n\n", entry->name, entry->summary, entry->name,
           entry->usage);
    print_wrapped(entry->details, 0);
    printf("\nFlags, as --flag value or --flag=value (defaults in parentheses):\n");
    print_flags(verb, all);
    if (!all && has_advanced(verb))
        printf("\nsectile help %s --all adds what is for experiments and tests.\n", entry->name);
    if (verb != VERB_MACHINE && verb != VERB_LAUNCH) /* which take no layouts */
        printf("\n%s", layouts);
    printf("\nExample:\n  %s\n", entry->example);
}
