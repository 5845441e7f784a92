/* loaded.h - functions of what is loaded in this process: the program, its shared libraries, and
 * plug-ins with theirs. */
#ifndef SCT_SCALAPACK_LOADED_H
#define SCT_SCALAPACK_LOADED_H

typedef void sct_function(void);

/* The addresses of a program or shared library. */
typedef struct sct_address_range {
    const char *begin, *end;
} sct_address_range;

/* That which has the address; it is never unloaded from now on. Empty if none has it. */
sct_address_range sct_loaded_extent(const void *address);

/* The file name of that which has the address, without its folder. */
const char *sct_loaded_name(const void *address);

/* The function of that name that code at `caller` would have without this library; NULL: none.
 * `ours` is the function that this library exports by the name, or NULL. What is found is not
 * unloaded. */
sct_function *sct_loaded_find(const void *caller, const char *symbol, sct_function *ours);

/* The address of a symbol in the object that has the function, or in one that it depends on; NULL:
 * none. */
void *sct_loaded_beside(sct_function *function, const char *symbol);

#endif
