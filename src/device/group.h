/* group.h - devices that the ranks of one process share, and what is made once for all of them. */
#ifndef SCT_DEVICE_GROUP_H
#define SCT_DEVICE_GROUP_H

#include "device/device.h"

#include <pthread.h>

typedef struct sct_device_group sct_device_group;

/* The common part of every group. */
struct sct_device_group {
    int count; /* of devices */
    /* NULL: the group lasts as long as the process, and its users are not counted. */
    void (*destroy)(sct_device_group *group);
    pthread_mutex_t lock; /* of the users */
    int users;
};

/* How a back end makes groups. */
typedef struct sct_device_grouping {
    /* The list is that of the engine's options. */
    sct_status (*create)(const char *list, int users, sct_device_group **group);
    /* Opens device number `index`, which is one of the users. It leaves when it is closed, or if it
     * cannot be opened. */
    sct_status (*open)(sct_device_group *group, int index, const sct_world_options *options,
                       sct_device **device);
} sct_device_grouping;

/* So many users leave. The last of them destroys the group. */
SCT_API void sct_device_group_leave(sct_device_group *group, int users);

#endif
