/* machine.c - asks the system what only processes of this machine have in common. */
#include "fabric/machine.h"

#include "base/hash.h"

#include <stdio.h>
#include <unistd.h>

/* MPI_Comm_split_type would find it, too, but it spins. */
uint64_t sct_find_machine(void) {
    static const char *const links[] = {"/proc/self/ns/pid", "/proc/self/ns/net",
                                        "/proc/self/ns/uts", "/proc/self/ns/time"};
    char text[256];
    uint64_t hash = sct_hash_of_nothing;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (file) {
        hash = sct_hash_more(hash, text, fread(text, 1, sizeof text, file));
        fclose(file);
    }
    for (int i = 0; i < 4; i++) {
        ssize_t length = readlink(links[i], text, sizeof text);
        hash = sct_hash_more(hash, text, length > 0 ? (size_t)length : 0);
    }
    return hash;
}
