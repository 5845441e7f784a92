/* sectile_model.h - described machines (docs/machines.md), on which products are estimated and
 * simulated.
 *
 * Nothing here needs data, a world or a network. sectile.h includes this file. */
#include <sectile/sectile.h> /* first, which includes this file before others that need it */

#ifndef SECTILE_MODEL_H
#define SECTILE_MODEL_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Machines ---- */

/* Loads the machine of this name from those that come with the library, or else from the file of
 * this name. Errors: SCT_BAD_ARGUMENT if there is neither, or the file is not a valid description;
 * SCT_FAILED if it cannot be read. Not collective. */
SCT_API sct_status sct_machine_load(const char *name, sct_machine **machine);
/* Makes a machine from the text of such a file; reasons call the text `origin`. Errors:
 * SCT_BAD_ARGUMENT for an invalid description. Not collective. */
SCT_API sct_status sct_machine_parse(const char *text, const char *origin, sct_machine **machine);
/* Writes a description that parses to the same machine, cut to `bytes` bytes with the final '\0',
 * and returns the length of the whole text. No errors. Not collective. */
SCT_API size_t sct_machine_print(const sct_machine *machine, char *text, size_t bytes);
/* Frees a machine. No errors. Not collective. */
SCT_API void sct_machine_destroy(sct_machine *machine);
/* Return the name, and one line about the machine ("": none). Both live as long as the machine. No
 * errors. Not collective. */
SCT_API const char *sct_machine_name(const sct_machine *machine);
SCT_API const char *sct_machine_about(const sct_machine *machine);
/* Returns the number of ranks; 0: any number. No errors. Not collective. */
SCT_API int sct_machine_ranks(const sct_machine *machine);
/* Returns the peak flops per second of one rank; 0: unknown. No errors. Not collective. */
SCT_API double sct_machine_peak(const sct_machine *machine, sct_type type);
/* Returns how many consecutive ranks share memory, as for sct_problem; 0: all. No errors. Not
 * collective. */
SCT_API int sct_machine_ranks_per_node(const sct_machine *machine);
/* Returns the name of machine `index`, from 0, of those that come with the library; NULL: there is
 * none. No errors. Not collective. */
SCT_API const char *sct_machine_shipped(int index);

#ifdef __cplusplus
}
#endif

#endif
