/* comma.c - makes the locale with localedef, since a system need not have any but "C". */
#include "support/comma.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char source[] =
    "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n";

/* Writes the files of the locale to a folder named comma, in this one. */
static void compile(const char *folder) {
    char command[100];
    snprintf(command, sizeof command, "localedef -c -i /dev/stdin %s/comma 2>%s/log", folder,
             folder);
    FILE *pipe = popen(command, "w");
    if (!pipe)
        return;
    fputs(source, pipe);
    pclose(pipe); /* it fails, since other categories have no source */
}

locale_t comma_locale(void) {
    char folder[] = "/tmp/sectile_comma.XXXXXX", command[60];
    if (!mkdtemp(folder))
        return (locale_t)0;
    compile(folder);
    setenv("LOCPATH", folder, 1);
    locale_t locale = newlocale(LC_NUMERIC_MASK, "comma", (locale_t)0);
    unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 ? locale : (locale_t)0;
}
