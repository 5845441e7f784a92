# pairs.awk - makes a table of the measurements of peers.sh in pairs; needs wire.awk.

BEGIN {
    print "Sectile and computation alone, in turns. MB: what a rank fetches and accumulates by the plan. Wire:"
    print "the seconds that this takes at the measured bandwidth. Over the longer: the time over the longer of"
    print "computation and wire, the median and quartiles of the pairs. Plain TCP: the same for computation"
    print "while a thread of each rank moves as many bytes by plain TCP. Overlap: (computation + wire -"
    print "seconds) / the shorter of the two. Measured: the seconds with the work layout that measuring finds;"
    print "gain: the time by estimate over it, the median and quartiles of the pairs; (same): of one work layout."
    print ""
    print "| place | MPI | shape | A B C | pairs | computation | MB | wire | seconds | over the longer" \
        " | from to | plain TCP | overlap | measured | gain | from to |"
    print "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
}

field("program") == "pairs" {
    printf "| %s | %s | %s | %s |", field("place"), field("mpi"), field("of"), field("layouts")
    if (field("ok") != "true") {
        print " failed | | | | | | | | | | | |"
        next
    }
    computation = field("computation") + 0
    wire = field("wire") + 0
    printf " %d | %.4f | %.2f | %.4f | %.4f | %.2f | %.2f to %.2f | %.2f | %s |", field("pairs"),
        computation, field("bytes") / 1e6, wire, field("seconds"), field("over"), field("from"),
        field("to"), field("plain_over"), overlap(field("seconds"), computation, wire)
    printf " %.4f | %.2f%s | %.2f to %.2f |\n", field("measured"), field("gain"),
        field("same") == "true" ? " (same)" : "", field("gain_from"), field("gain_to")
}
