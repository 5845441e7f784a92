/* exhaustive_resources.c - makes a table of tolls, and leaves out what it can. */
#include "order/exhaustive_resources.h"

#include "base/status.h"

#include <stdlib.h>

void sct_search_tolls_clear(sct_search_tolls *tolls) {
    free(tolls->toll);
}

/* The channels that are used, the rank first; by channel the column that it gets. */
static int number_channels(const sct_graph *graph, const int64_t *datum, int transfers,
                           int *column) {
    int columns = 1;
    for (int i = 0; i < transfers; i++) {
        const sct_datum *moved = &graph->datum[datum[i]];
        for (int64_t t = moved->dues; t < moved->dues + moved->tolls; t++) {
            int64_t channel = graph->toll[t].channel;
            if (channel != SCT_CHANNEL_RANK && column[channel] == 0)
                column[channel] = columns++;
        }
    }
    return columns;
}

static void take_tolls(const sct_graph *graph, const int64_t *datum, const int *column,
                       sct_search_tolls *tolls) {
    for (int i = 0; i < tolls->transfers; i++) {
        const sct_datum *moved = &graph->datum[datum[i]];
        for (int64_t t = moved->dues; t < moved->dues + moved->tolls; t++) {
            const sct_toll *toll = &graph->toll[t];
            tolls->toll[i * tolls->channels + column[toll->channel]] = toll->seconds;
        }
    }
}

static bool one_goes_through(const sct_search_tolls *tolls, int channel) {
    int through = 0;
    for (int i = 0; i < tolls->transfers; i++)
        through += tolls->toll[i * tolls->channels + channel] > 0;
    return through <= 1;
}

/* Whether no transfer takes longer through the channel than through the other. */
static bool hidden_by(const sct_search_tolls *tolls, int channel, int other) {
    for (int i = 0; i < tolls->transfers; i++) {
        const double *toll = &tolls->toll[i * tolls->channels];
        if (toll[channel] > toll[other])
            return false;
    }
    return true;
}

/* Of two that hide each other the later one is. */
static bool is_hidden(const sct_search_tolls *tolls, int channel) {
    for (int other = 0; other < tolls->channels; other++)
        if (other != channel && hidden_by(tolls, channel, other) &&
            (other < channel || !hidden_by(tolls, other, channel)))
            return true;
    return false;
}

/* kept: room for as many channels as there are. */
static void leave_out(sct_search_tolls *tolls, int *kept) {
    int channels = 1;
    kept[0] = 0;
    for (int channel = 1; channel < tolls->channels; channel++)
        if (!one_goes_through(tolls, channel) && !is_hidden(tolls, channel))
            kept[channels++] = channel;
    for (int i = 0; i < tolls->transfers; i++)
        for (int channel = 0; channel < channels; channel++)
            tolls->toll[i * channels + channel] = tolls->toll[i * tolls->channels + kept[channel]];
    tolls->channels = channels;
}

sct_status sct_search_tolls_create(const sct_graph *graph, const int64_t *datum, int transfers,
                                   sct_search_tolls *tolls) {
    int *column = calloc((size_t)graph->channels + 1, sizeof *column);
    if (!column)
        return sct_fail(SCT_NO_MEMORY, "no memory for %lld channels", (long long)graph->channels);
    int channels = number_channels(graph, datum, transfers, column);
    size_t room = ((size_t)transfers + 1) * (size_t)channels;
    sct_search_tolls made = {
        .transfers = transfers, .channels = channels, .toll = calloc(room, sizeof *made.toll)};
    sct_status status = SCT_OK;
    if (made.toll) {
        take_tolls(graph, datum, column, &made);
        leave_out(&made, column);
        *tolls = made;
    } else {
        status = sct_fail(SCT_NO_MEMORY, "no memory for the tolls of %d transfers", transfers);
    }
    free(column);
    return status;
}
