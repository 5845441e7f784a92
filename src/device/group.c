/* group.c - the end of a group of devices. */
#include "device/group.h"

void sct_device_group_leave(sct_device_group *group, int users) {
    if (!group->destroy)
        return;
    pthread_mutex_lock(&group->lock);
    group->users -= users;
    bool last = group->users == 0;
    pthread_mutex_unlock(&group->lock);
    if (last)
        group->destroy(group);
}
