/* user.c - a program that uses the installed library: two ranks call barrier, and the versions of
 * header and library agree. */
#include <sectile/sectile.h>

#include <stdio.h>
#include <string.h>

static int meet(sct_world *world, void *arg) {
    (void)arg;
    return sct_world_size(world) != 2 || sct_world_barrier(world) != SCT_OK;
}

#if !SCT_VERSION_AT_LEAST(0, 2, 0)
#error "the headers are too old"
#endif

/* The version tested is compared as a whole, not number by number. */
static void check_comparison(void) {
    enum { MAJOR = SCT_VERSION_MAJOR, MINOR = SCT_VERSION_MINOR, PATCH = SCT_VERSION_PATCH };
    _Static_assert(SCT_VERSION_AT_LEAST(MAJOR, MINOR, PATCH), "itself");
    _Static_assert(SCT_VERSION_AT_LEAST(MAJOR, MINOR - 1, PATCH + 9), "an earlier minor version");
    _Static_assert(SCT_VERSION_AT_LEAST(MAJOR - 1, MINOR + 9, PATCH + 9), "an earlier major one");
    _Static_assert(!SCT_VERSION_AT_LEAST(MAJOR, MINOR, PATCH + 1), "the next patch");
    _Static_assert(!SCT_VERSION_AT_LEAST(MAJOR, MINOR + 1, 0), "the next minor version");
    _Static_assert(!SCT_VERSION_AT_LEAST(MAJOR + 1, 0, 0), "the next major version");
}

int main(void) {
    check_comparison();
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
