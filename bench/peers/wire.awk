# wire.awk - after fields.awk: what the tables of peers.sh, and what it measures, share.

# Of a line of `network`: the bandwidth of a host each way, in bytes a second; 0 if it failed.
function network_rate() {
    if (field("ok") != "true")
        return 0
    return field("bytes") * field("ranks") / field("nodes") / field("seconds")
}

# What of the shorter one of computation and traffic is hidden behind the other.
function overlap(time, computation, wire) {
    if (wire < 0.02 * computation)
        return "-"
    return sprintf("%.2f", (computation + wire - time) / (computation < wire ? computation : wire))
}
