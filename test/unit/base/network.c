/* network.c - a host has a network with remote memory access if a port is up, in a description of
 * devices as the kernel gives it. */
#include "base/network.h"
#include "support/check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/sectile-network-XXXXXX";

/* Makes folders below the root, one in the other. */
static void make(const char *const *names, char path[PATH_MAX]) {
    int length = snprintf(path, PATH_MAX, "%s", root);
    for (; *names; names++) {
        length += snprintf(path + length, (size_t)(PATH_MAX - length), "/%s", *names);
        (void)mkdir(path, S_IRWXU);
    }
}

static void set_state(const char *device, const char *state) {
    const char *const names[] = {"class", "infiniband", device, "ports", "1", NULL};
    char path[PATH_MAX], name[PATH_MAX + 8];
    make(names, path);
    snprintf(name, sizeof name, "%s/state", path);
    FILE *file = fopen(name, "we");
    CHECK(file && fputs(state, file) >= 0 && fclose(file) == 0);
}

int main(void) {
    char path[PATH_MAX], command[PATH_MAX];
    CHECK(mkdtemp(root) != NULL);
    CHECK(!sct_has_rdma_network(root));
    CHECK(!sct_has_rdma_network("/nowhere"));
    set_state("mlx5_0", "1: DOWN\n");
    CHECK(!sct_has_rdma_network(root));
    set_state("mlx5_1", "4: ACTIVE\n");
    CHECK(sct_has_rdma_network(root));
    set_state("mlx5_1", "");
    CHECK(!sct_has_rdma_network(root));
    make((const char *const[]){"class", "cxi", "cxi0", NULL}, path);
    CHECK(sct_has_rdma_network(root));
    snprintf(command, sizeof command, "rm -r %s", root);
    CHECK(system(command) == 0);
    return check_report("network");
}
