/* embedded.h - the files of machines/, which the build makes a C file of. */
#ifndef SCT_MACHINE_EMBEDDED_H
#define SCT_MACHINE_EMBEDDED_H

#include <sectile/sectile_model.h>

typedef struct sct_shipped_machine {
    const char *name, *text;
} sct_shipped_machine;

extern const sct_shipped_machine sct_shipped[];
extern const int sct_shipped_count;

#endif
