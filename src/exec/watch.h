/* watch.h - notes what a rank does in a run, and when, for an observer.
 *
 * Work on a stream begins and ends when the stream reaches it. A transfer begins when the stream
 * has reached what the transfer follows, and ends when the stream has joined it. */
#ifndef SCT_EXEC_WATCH_H
#define SCT_EXEC_WATCH_H

#include "device/device.h"

#include <stdatomic.h>

typedef struct sct_watched sct_watched;

typedef struct sct_watch {
    sct_observer observer; /* without the function `event`: nothing is noted */
    sct_watched *last;     /* the latest event of the run */
    atomic_int expected;   /* times that streams have not noted yet */
} sct_watch;

/* Notes the beginning of an event, whose own times are ignored: when the stream reaches it, or now
 * if the stream is NULL. Returns NULL if nothing is noted, also for lack of memory. */
sct_watched *sct_watch_begin(sct_watch *watch, const sct_device *device, sct_stream *stream,
                             const sct_trace_event *traced);
/* Notes its end; does nothing for NULL. */
void sct_watch_end(sct_watched *watched, const sct_device *device, sct_stream *stream);
/* At the end of a run, when all streams are idle: reports to the observer the events that have
 * ended, and forgets them. */
void sct_watch_report(sct_watch *watch);

#endif
