/* sectile_launch.h - how the ranks that `sectile launch` has started find each other. sectile.h
 * includes this file. */
#ifndef SECTILE_LAUNCH_H
#define SECTILE_LAUNCH_H

#include <sectile/sectile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the bootstrap of a process that `sectile launch` has started, for sct_world_create with the
 * engine "processes". Environment variables tell the rank (SECTILE_RANK), the number of
 * ranks (SECTILE_RANKS) and the descriptor of a connection to the launcher (SECTILE_LAUNCHER),
 * which must be open. There is nothing to free, and any number of worlds may be made with it, one
 * after the other. Errors: SCT_NO_ENGINE if the process was not started so; SCT_FAILED if one of
 * the variables is set, but there is no such connection, as where a rank has started another
 * process and closed it. Not collective. */
SCT_API sct_status sct_bootstrap_launched(sct_bootstrap *bootstrap);

#ifdef __cplusplus
}
#endif

#endif
