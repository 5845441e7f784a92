/* sectile_model.h - machines that are described, what a product would cost on them, and which
 * layouts are best.
 *
 * Nothing here needs data, a world or a network: any rank of any number of ranks on any machine can
 * be reasoned about anywhere. sectile.h includes this file. */
#ifndef SECTILE_MODEL_H
#define SECTILE_MODEL_H

#include <sectile/sectile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Machines ---- */

/* The machine with this name among those that come with the library, or else the one that the file
 * of this name describes (docs/machines.md). Not collective, as all of this header. */
SCT_API sct_status sct_machine_load(const char *name, sct_machine **machine);
/* A machine from the text of such a file; `origin` names the text in reasons. */
SCT_API sct_status sct_machine_parse(const char *text, const char *origin, sct_machine **machine);
/* The text of a file that describes it. Writes at most `bytes` bytes, always ending in '\0', and
 * returns the length of the whole text. */
SCT_API size_t sct_machine_print(const sct_machine *machine, char *text, size_t bytes);
SCT_API void sct_machine_destroy(sct_machine *machine);
SCT_API const char *sct_machine_name(const sct_machine *machine);
SCT_API const char *sct_machine_about(const sct_machine *machine);
/* How many ranks it has; 0: any number. */
SCT_API int sct_machine_ranks(const sct_machine *machine);
/* Flops per second at best of one rank. */
SCT_API double sct_machine_peak(const sct_machine *machine, sct_type type);
/* How many consecutive ranks see each other's memory, for plans; 0: all. */
SCT_API int sct_machine_ranks_per_node(const sct_machine *machine);
/* The name of machine `index` of those that come with the library; NULL: there are no more. */
SCT_API const char *sct_machine_shipped(int index);

#ifdef __cplusplus
}
#endif

#endif
