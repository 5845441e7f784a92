/* completion.c - scripts by which shells complete command lines, made from the tables of verbs and
 * flags.
 *
 * Each completes verbs, the flags of a verb, the words that a flag allows, names of machines,
 * common layouts, and otherwise names of files. */
#include "args/help.h"

#include "args/flags.h"
#include "args/verbs.h"

#include <stdio.h>
#include <string.h>

/* True if the value of a flag is one of a few words, separated by | in `value`. */
static bool has_choices(const struct flag *flag) {
    return flag->value && (flag->parse == value_choice || flag->parse == value_choices ||
                           flag->parse == value_engine || flag->parse == value_type);
}

static bool takes(const struct flag *flag, const char *value) {
    return flag->value && strcmp(flag->value, value) == 0;
}

static bool takes_machine(const struct flag *flag) {
    return takes(flag, "NAME");
}

static bool takes_file(const struct flag *flag) {
    return takes(flag, "FILE") || takes_machine(flag);
}

static bool takes_layout(const struct flag *flag) {
    return takes(flag, "L");
}

/* True if print_words prints anything. */
static bool has_words(const struct flag *flag) {
    return has_choices(flag) || takes_layout(flag) || takes_machine(flag);
}

/* True if the value is a number or free text, for which a shell has nothing to offer. */
static bool takes_other(const struct flag *flag) {
    return flag->value && !has_words(flag) && !takes_file(flag);
}

/* Layouts that need no more to be said. */
static const char layouts[] = "row col 2d cyclic:64x64";

static void print_machines(void) {
    for (int i = 0; sct_machine_shipped(i); i++)
        printf("%s%s", i > 0 ? " " : "", sct_machine_shipped(i));
}

/* The words that a flag takes, or the most common of them. */
static void print_words(const struct flag *flag) {
    if (takes_machine(flag))
        print_machines();
    else if (takes_layout(flag))
        fputs(layouts, stdout);
    else
        for (const char *at = flag->value; *at != '\0'; at++)
            putchar(*at == '|' ? ' ' : *at);
}

/* Prints help text, without characters that are special in a description in single quotes. */
static void print_plain(const char *text) {
    for (; *text != '\0'; text++)
        if (!strchr("'[]\\", *text))
            putchar(*text);
}

static void print_verbs(void) {
    for (enum verb verb = 0; verb < VERBS; verb++)
        printf("%s ", verbs[verb].name);
}

/* The words that may follow a flag, or the verb machine; nothing does that is neither a word nor a
 * file. */
static void print_bash_words(void) {
    struct flag flag;
    for (enum verb verb = 0; verb < VERBS; verb++)
        for (int i = 0; i < flags_count; i++)
            if (flags_get(verb, i, &flag) && has_words(&flag)) {
                printf("    %s:%s) words=\"", verbs[verb].name, flag.name);
                print_words(&flag);
                printf("\"%s ;;\n", takes_file(&flag) ? " files=-f" : "");
            }
    for (enum verb verb = 0; verb < VERBS; verb++)
        for (int i = 0; i < flags_count; i++)
            if (flags_get(verb, i, &flag) && takes_other(&flag))
                printf("    %s:%s) return ;;\n", verbs[verb].name, flag.name);
    printf("    machine:machine) words=\"");
    print_machines();
    printf("\" files=-f ;;\n");
}

static void print_bash(void) {
    struct flag flag;
    printf("# Completion of sectile in bash.\n_sectile()\n{\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    local verb=${COMP_WORDS[1]} words= files=\n    COMPREPLY=()\n"
           "    # --flag=value is three words to bash\n"
           "    if [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
           "    if [ \"$word\" = = ]; then word=; fi\n"
           "    if [ \"$COMP_CWORD\" = 1 ]; then words='help --help --version'; fi\n"
           "    if [ \"$COMP_CWORD:$verb\" = 2:help ]; then words=layouts; fi\n"
           "    if [ -n \"$words\" ]; then\n        COMPREPLY=($(compgen -W \"");
    print_verbs();
    printf("$words\" -- \"$word\"))\n        return\n    fi\n    case $verb:$before in\n");
    print_bash_words();
    printf("    esac\n    if [[ $word == -* ]]; then\n"
           "        case $verb in\n");
    for (enum verb verb = 0; verb < VERBS; verb++) {
        printf("        %s) words=\"", verbs[verb].name);
        for (int i = 0; i < flags_count; i++)
            if (flags_get(verb, i, &flag))
                printf("%s ", flag.name);
        printf("\" ;;\n");
    }
    printf("        esac\n    fi\n    if [ -n \"$words\" ]; then\n"
           "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n    else\n"
           "        files=-f\n    fi\n"
           "    if [ -n \"$files\" ] && [ ${#COMPREPLY[@]} = 0 ]; then\n"
           "        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\n"
           "complete -o filenames -F _sectile sectile\n");
}

static void print_zsh_flag(const struct flag *flag) {
    if (flags_has_letter(flag))
        printf("        '(%s %s)'{%s,%s}'[", flag->also, flag->name, flag->also, flag->name);
    else
        printf("        '%s[", flag->name);
    print_plain(flag->help);
    printf("]");
    if (takes_machine(flag)) {
        printf(":machine:_sectile_machines");
    } else if (takes_layout(flag)) {
        printf(":layout:_sectile_layouts");
    } else if (has_words(flag)) {
        printf(":value:(");
        print_words(flag);
        printf(")");
    } else if (flag->value) {
        printf(takes_file(flag) ? ":file:_files" : ":value: ");
    }
    printf("' \\\n");
}

static void print_zsh(void) {
    struct flag flag;
    printf("#compdef sectile\n# Completion of sectile in zsh.\n"
           "_sectile_machines()\n{\n    _alternative 'machines:machine:(");
    print_machines();
    printf(")' 'files:file:_files'\n}\n_sectile_layouts()\n{\n    compadd %s\n}\n_sectile()\n{\n"
           "    local -a verbs\n    verbs=(\n",
           layouts);
    for (enum verb verb = 0; verb < VERBS; verb++) {
        printf("        '%s:", verbs[verb].name);
        print_plain(verbs[verb].summary);
        printf("'\n");
    }
    printf("        'help:explains a verb'\n        '--help:lists all verbs'\n"
           "        '--version:prints the version of the library'\n    )\n"
           "    if ((CURRENT == 2)); then\n"
           "        _describe verb verbs\n        return\n    fi\n    shift words\n"
           "    ((CURRENT--))\n    case $words[1] in\n");
    for (enum verb verb = 0; verb < VERBS; verb++) {
        printf("    %s) _arguments \\\n", verbs[verb].name);
        for (int i = 0; i < flags_count; i++)
            if (flags_get(verb, i, &flag))
                print_zsh_flag(&flag);
        printf("        '*:%s' ;;\n",
               verbs[verb].names > 0 ? "machine:_sectile_machines" : "file:_files");
    }
    printf("    help)\n        verbs=(\"${(@)verbs:#(help|-)*}\" 'layouts:explains how layouts are "
           "written')\n"
           "        _describe verb verbs ;;\n    esac\n}\n_sectile \"$@\"\n");
}

static void print_fish_flag(enum verb verb, const struct flag *flag) {
    bool is_long = flag->name[1] == '-';
    printf("complete -c sectile -n '__fish_seen_subcommand_from %s' %s %s", verbs[verb].name,
           is_long ? "-l" : "-s", flag->name + (is_long ? 2 : 1));
    if (flags_has_letter(flag))
        printf(" -s %s", flag->also + 1);
    if (has_words(flag)) {
        printf(takes_file(flag) ? " -r -F -a '" : " -x -a '");
        print_words(flag);
        printf("'");
    } else if (flag->value) {
        printf(takes_file(flag) ? " -r -F" : " -x");
    }
    printf(" -d '");
    print_plain(flag->help);
    printf("'\n");
}

static void print_fish(void) {
    struct flag flag;
    printf("# Completion of sectile in fish.\n");
    for (enum verb verb = 0; verb < VERBS; verb++) {
        printf("complete -c sectile -n __fish_use_subcommand -f -a %s -d '", verbs[verb].name);
        print_plain(verbs[verb].summary);
        printf("'\n");
    }
    printf("complete -c sectile -n __fish_use_subcommand -f -a help -d 'explains a verb'\n"
           "complete -c sectile -n '__fish_seen_subcommand_from help' -f -a '");
    print_verbs();
    printf("layouts'\n");
    printf("complete -c sectile -n '__fish_seen_subcommand_from machine' -a '");
    print_machines();
    printf("'\n");
    for (enum verb verb = 0; verb < VERBS; verb++)
        for (int i = 0; i < flags_count; i++)
            if (flags_get(verb, i, &flag))
                print_fish_flag(verb, &flag);
}

bool completion_print(const char *shell) {
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].print();
            return true;
        }
    return false;
}
