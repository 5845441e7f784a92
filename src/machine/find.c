/* find.c - finds machines by name: those of the library, then files. */
#include "machine/embedded.h"

#include "base/status.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* maximum size of a description */
enum { MOST_BYTES = 1 << 20 };

const char *sct_machine_shipped(int index) {
    return index >= 0 && index < sct_embedded_count ? sct_embedded[index].name : NULL;
}

static sct_status refuse_name(const char *name) {
    char list[120] = "";
    for (int i = 0; i < sct_embedded_count; i++)
        strcat(strcat(list, " "), sct_embedded[i].name);
    return sct_fail(SCT_BAD_ARGUMENT, "%s: neither a file (%s) nor one of the machines%s", name,
                    strerror(errno), list);
}

/* Reads a whole file as text. */
static sct_status read_file(FILE *file, const char *name, char *text) {
    size_t length = fread(text, 1, MOST_BYTES, file);
    if (ferror(file))
        return sct_fail(errno == EISDIR ? SCT_BAD_ARGUMENT : SCT_FAILED, "%s: cannot be read: %s",
                        name, strerror(errno));
    if (length == MOST_BYTES)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "%s: it has %d bytes or more, too many for a machine description", name,
                        MOST_BYTES);
    text[length] = '\0';
    if (strlen(text) != length)
        return sct_fail(SCT_BAD_ARGUMENT, "%s: it is not a text: byte %zu is 0", name,
                        strlen(text));
    return SCT_OK;
}

static sct_status load_file(const char *name, sct_machine **machine) {
    FILE *file = fopen(name, "rb");
    if (!file)
        return refuse_name(name);
    char *text = malloc(MOST_BYTES);
    sct_status status = text ? read_file(file, name, text)
                             : sct_fail(SCT_NO_MEMORY, "%s: no memory for the file", name);
    fclose(file);
    if (status == SCT_OK)
        status = sct_machine_parse(text, name, machine);
    free(text);
    return status;
}

sct_status sct_machine_load(const char *name, sct_machine **machine) {
    sct_status status = sct_check_given("name", name);
    if (status == SCT_OK)
        status = sct_check_given("machine", machine);
    if (status != SCT_OK)
        return status;
    for (int i = 0; i < sct_embedded_count; i++)
        if (strcmp(sct_embedded[i].name, name) == 0)
            return sct_machine_parse(sct_embedded[i].text, name, machine);
    return load_file(name, machine);
}
