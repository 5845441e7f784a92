# wire.awk - functions for the tables and measurements of peers.sh; needs fields.awk.

# The bandwidth of a host each way, in bytes per second, from a line of `network`; 0 if it failed.
function network_rate() {
    if (field("ok") != "true")
        return 0
    return field("bytes") * field("ranks") / field("nodes") / field("seconds")
}

# The share of the shorter of computation and communication that is hidden behind the longer.
function overlap(time, computation, wire) {
    if (wire < 0.02 * computation)
        return "-"
    return sprintf("%.2f", (computation + wire - time) / (computation < wire ? computation : wire))
}
