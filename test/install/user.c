/* user.c - a program that uses the installed library: two ranks call barrier, and the versions of
 * header and library agree. */
#include <sectile/sectile.h>

#include <stdio.h>
#include <string.h>

static int meet(sct_world *world, void *arg) {
    (void)arg;
    return sct_world_size(world) != 2 || sct_world_barrier(world) != SCT_OK;
}

int main(void) {
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", SCT_VERSION_MAJOR, SCT_VERSION_MINOR,
             SCT_VERSION_PATCH);
    if (strcmp(version, sct_version()) != 0) {
        fprintf(stderr, "header %s, library %s\n", version, sct_version());
        return 1;
    }
    if (sct_run(2, NULL, meet, NULL) != SCT_OK) {
        fprintf(stderr, "%s\n", sct_last_reason());
        return 1;
    }
    puts(version);
    return 0;
}
