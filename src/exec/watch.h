/* watch.h - notes what a rank does in a run, and when, for an observer.
 *
 * What it does begins and ends when a stream gets there: with transfers, when it has got to what
 * they come after, and when it has joined them. */
#ifndef SCT_EXEC_WATCH_H
#define SCT_EXEC_WATCH_H

#include "device/device.h"

#include <stdatomic.h>

typedef struct sct_watched sct_watched;

typedef struct sct_watch {
    sct_observer observer; /* without the function `event`: nothing is noted */
    sct_watched *last;     /* the latest traced of the run */
    atomic_int expected;   /* times that streams have not noted yet */
} sct_watch;

/* Notes the beginning of a traced, whose times do not count: on a stream, or, if that is NULL, now.
 * NULL if nothing is noted, also for lack of memory. */
sct_watched *sct_watch_begin(sct_watch *watch, const sct_device *device, sct_stream *stream,
                             const sct_trace_event *traced);
/* Notes its end; does nothing for NULL. */
void sct_watch_end(sct_watched *watched, const sct_device *device, sct_stream *stream);
/* At the end of a run, when all streams are idle: reports to the observer the events that have
 * ended, and forgets them. */
void sct_watch_report(sct_watch *watch);

#endif
