/* loaded.c - looks through the program and the libraries in the order in which symbols are bound:
 * what is global, then what the caller brings, as a plug-in does that was loaded without
 * RTLD_GLOBAL, then all else.
 *
 * Two plug-ins may each bring a ScaLAPACK, and each must get its own. */
#include "scalapack/loaded.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A name that is global if this library is. */
static const char own_name[] = "sectile_pdgemm_";
/* A routine beside those that this library serves. */
static const char neighbour[] = "pdsymm_";

/* POSIX has functions and objects in one kind of address; C has no conversion between them. */
static sct_function *as_function(void *symbol) {
    sct_function *function;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

static const void *as_address(sct_function *function) {
    const void *address;
    memcpy(&address, &function, sizeof address);
    return address;
}

/* ---- What is loaded ---- */

typedef struct object {
    sct_address_range extent;
    char name[PATH_MAX]; /* none: the program */
} object;

/* The object that is wanted: that which has the address, or else that of the number. */
typedef struct search {
    const char *address;
    int number;
    object *found;
} search;

static sct_address_range extent_of(const struct dl_phdr_info *info) {
    uintptr_t begin = UINTPTR_MAX, end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
        if (part->p_type != PT_LOAD)
            continue;
        begin = from < begin ? from : begin;
        end = to > end ? to : end;
    }
    return (sct_address_range){(const char *)begin, (const char *)end};
}

static int visit(struct dl_phdr_info *info, size_t bytes, void *context) {
    (void)bytes;
    search *wanted = context;
    sct_address_range extent = extent_of(info);
    const char *address = wanted->address;
    bool is = address ? address >= extent.begin && address < extent.end : wanted->number-- == 0;
    if (!is)
        return 0;
    wanted->found->extent = extent;
    snprintf(wanted->found->name, sizeof wanted->found->name, "%s", info->dlpi_name);
    return 1;
}

static bool find_at(const void *address, object *found) {
    search wanted = {.address = address, .found = found};
    return address && dl_iterate_phdr(visit, &wanted);
}

static bool find_number(int number, object *found) {
    search wanted = {.number = number, .found = found};
    return dl_iterate_phdr(visit, &wanted);
}

/* An object with those that it depends on; the program with all that is global. NULL: there is no
 * such file, as for what the kernel maps. */
static void *open_object(const object *o) {
    return dlopen(*o->name ? o->name : NULL, RTLD_LAZY | RTLD_NOLOAD);
}

const char *sct_loaded_name(const void *address) {
    Dl_info about;
    const char *name = dladdr(address, &about) && about.dli_fname ? about.dli_fname : "a program";
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

sct_address_range sct_loaded_extent(const void *address) {
    object o;
    if (!find_at(address, &o))
        return (sct_address_range){NULL, NULL};
    (void)open_object(&o); /* and never closed */
    return o.extent;
}

/* ---- What it has ---- */

void *sct_loaded_beside(sct_function *function, const char *symbol) {
    object o;
    void *scope = find_at(as_address(function), &o) ? open_object(&o) : NULL;
    void *found = scope ? dlsym(scope, symbol) : NULL;
    if (scope)
        dlclose(scope);
    return found;
}

/* What this library hides in a plug-in that is linked to it is in the object of the neighbour. */
static sct_function *find_in(void *scope, const char *symbol, sct_function *ours) {
    sct_function *found = as_function(dlsym(scope, symbol));
    if (!found || found != ours)
        return found;
    sct_function *beside = as_function(dlsym(scope, neighbour));
    found = as_function(sct_loaded_beside(beside, symbol));
    return found == ours ? NULL : found;
}

/* Where this library is global, what it hides comes next; if it comes after ScaLAPACK, then it
 * hides nothing. */
static sct_function *find_global(const char *symbol, sct_function *ours) {
    void *scope = dlopen(NULL, RTLD_LAZY);
    sct_function *found = NULL;
    if (ours && dlsym(scope, own_name))
        found = as_function(dlsym(RTLD_NEXT, symbol));
    if (!found)
        found = find_in(scope, symbol, ours);
    dlclose(scope);
    return found;
}

static sct_function *find_below(const object *o, const char *symbol, sct_function *ours) {
    void *scope = open_object(o);
    sct_function *found = scope ? find_in(scope, symbol, ours) : NULL;
    if (scope && !found)
        dlclose(scope);
    return found;
}

sct_function *sct_loaded_find(const void *caller, const char *symbol, sct_function *ours) {
    object o;
    sct_function *found = find_global(symbol, ours);
    if (!found && find_at(caller, &o))
        found = find_below(&o, symbol, ours);
    for (int i = 0; !found && find_number(i, &o); i++)
        found = find_below(&o, symbol, ours);
    return found;
}
