/* json_path.h - the keys that lead to a place in a text of JSON. */
#ifndef SCT_MACHINE_JSON_PATH_H
#define SCT_MACHINE_JSON_PATH_H

#include <stddef.h>

enum { SCT_PATH_BYTES = 80 };

/* Such as "links[1].pair", of what ends at `end`; the text before is well formed. "": all of it. */
void sct_machine_path(const char *text, size_t end, char path[SCT_PATH_BYTES]);

#endif
