/* log.c - the log of this process: one function gets the messages of all ranks. */
#include "base/log.h"

#include "base/printable.h"
#include "base/setting.h"
#include "base/status.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {"off", "warning", "info", "debug"};

/* A line on stderr, written at once. It names the rank where several may write. */
static void print(void *context, sct_log_level level, int rank, const char *text) {
    char of_rank[32] = "";
    (void)context;
    if (rank >= 0 && sct_log_wants(SCT_LOG_DEBUG, rank))
        snprintf(of_rank, sizeof of_rank, "rank %d: ", rank);
    fprintf(stderr, "sectile: %s%s%s\n", level == SCT_LOG_WARNING ? "warning: " : "", of_rank,
            text);
}

static struct {
    atomic_int level;
    pthread_mutex_t lock; /* of the two below */
    sct_log_function *function;
    void *context;
} sink = {.level = SCT_LOG_WARNING, .lock = PTHREAD_MUTEX_INITIALIZER, .function = print};

sct_status sct_log(sct_log_level level, sct_log_function *function, void *context) {
    if ((unsigned)level > SCT_LOG_DEBUG)
        return sct_fail(SCT_BAD_ARGUMENT, "log: %d is not a level", (int)level);
    pthread_mutex_lock(&sink.lock);
    sink.function = function ? function : print;
    sink.context = context;
    atomic_store(&sink.level, (int)level);
    pthread_mutex_unlock(&sink.lock);
    return SCT_OK;
}

sct_status sct_log_from_environment(void) {
    const char *text = sct_setting_text("SECTILE_LOG");
    if (!text)
        return SCT_OK;
    for (sct_log_level level = SCT_LOG_OFF; level <= SCT_LOG_DEBUG; level++)
        if (strcmp(text, names[level]) == 0)
            return sct_log(level, NULL, NULL);
    return sct_fail(SCT_BAD_ARGUMENT,
                    "SECTILE_LOG: '%.40s' is not one of off, warning, info, debug", text);
}

bool sct_log_wants(sct_log_level level, int rank) {
    int most = atomic_load_explicit(&sink.level, memory_order_relaxed);
    bool of_all = rank <= 0 || level == SCT_LOG_WARNING || most == SCT_LOG_DEBUG;
    return (int)level <= most && of_all;
}

void sct_log_write(sct_log_level level, int rank, const char *format, ...) {
    if (!sct_log_wants(level, rank))
        return;
    char text[SCT_LOG_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sct_make_printable(text);
    pthread_mutex_lock(&sink.lock);
    if (sct_log_wants(level, rank)) /* still */
        sink.function(sink.context, level, rank, text);
    pthread_mutex_unlock(&sink.lock);
}
