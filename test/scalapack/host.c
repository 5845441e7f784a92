/* host.c - a program without MPI and ScaLAPACK, whose plug-ins bring them: it loads each of its
 * arguments without RTLD_GLOBAL, and runs them in turn. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef int function(void);

static int call(void *plugin, const char *name) {
    void *found = plugin ? dlsym(plugin, name) : NULL;
    function *run;
    if (!found) {
        fprintf(stderr, "host: %s\n", dlerror());
        return 1;
    }
    memcpy(&run, &found, sizeof run);
    return run();
}

int main(int argc, char **argv) {
    void *plugin = NULL;
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        failed |= call(plugin, "plugin_run");
    }
    return call(plugin, "plugin_end") | failed;
}
