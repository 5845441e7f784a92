/* embedded.h - the files of machines/, embedded by the build. */
#ifndef SCT_MACHINE_EMBEDDED_H
#define SCT_MACHINE_EMBEDDED_H

#include <sectile/sectile_model.h>

typedef struct sct_embedded_machine {
    const char *name, *text;
} sct_embedded_machine;

extern const sct_embedded_machine sct_embedded[];
extern const int sct_embedded_count;

#endif
