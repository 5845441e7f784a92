/* network.c - see network.h. */
#include "base/network.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* A port's file holds its state, such as "4: ACTIVE". */
static bool is_active(const char *path) {
    char state[32] = "";
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool active = fgets(state, sizeof state, file) && strstr(state, "ACTIVE");
    fclose(file);
    return active;
}

static bool exists(const char *path) {
    (void)path;
    return true;
}

static bool any(const char *root, const char *pattern, bool (*holds)(const char *path)) {
    char text[PATH_MAX];
    glob_t found;
    bool is = false;
    if (snprintf(text, sizeof text, "%s/%s", root, pattern) >= (int)sizeof text ||
        glob(text, 0, NULL, &found) != 0)
        return false;
    for (size_t i = 0; i < found.gl_pathc && !is; i++)
        is = holds(found.gl_pathv[i]);
    globfree(&found);
    return is;
}

bool sct_has_rdma_network(const char *root) {
    return any(root, "class/infiniband/*/ports/*/state", is_active) ||
           any(root, "class/cxi/*", exists); /* Slingshot */
}
