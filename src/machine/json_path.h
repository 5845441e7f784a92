/* json_path.h - the keys that lead to a position in JSON text. */
#ifndef SCT_MACHINE_JSON_PATH_H
#define SCT_MACHINE_JSON_PATH_H

#include <stddef.h>

enum { SCT_PATH_BYTES = 80 };

/* The path, such as "links[1].pair", of the value that ends at `end`. The text before it is well
 * formed. "": the whole text. */
void sct_machine_path(const char *text, size_t end, char path[SCT_PATH_BYTES]);

#endif
