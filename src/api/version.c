/* version.c - the version of the library, as the header has it. */
#include <sectile/sectile.h>

#define QUOTE(text) #text
#define VERSION(major, minor, patch) QUOTE(major) "." QUOTE(minor) "." QUOTE(patch)

const char *sct_version(void) {
    return VERSION(SCT_VERSION_MAJOR, SCT_VERSION_MINOR, SCT_VERSION_PATCH);
}
