# pairs.awk - after wire.awk: makes a table of what peers.sh has measured in pairs.

BEGIN {
    print "Sectile and computation alone, in turns. MB: what a rank gets and adds by Sectile's plan; wire:"
    print "how long by the bandwidth as measured. Over the longer: of computation and wire, pair by pair,"
    print "the median and the quartiles; plain TCP: the same of computation while a thread of each rank"
    print "moves as many bytes by it. Overlap: (computation + wire - seconds) / the smaller of both."
    print ""
    print "| place | MPI | shape | A B C | pairs | computation | MB | wire | seconds | over the longer" \
        " | from to | plain TCP | overlap |"
    print "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
}

field("program") == "pairs" {
    printf "| %s | %s | %s | %s |", field("place"), field("mpi"), field("of"), field("layouts")
    if (field("ok") != "true") {
        print " failed | | | | | | | | |"
        next
    }
    computation = field("computation") + 0
    wire = field("wire") + 0
    printf " %d | %.4f | %.2f | %.4f | %.4f | %.2f | %.2f to %.2f | %.2f | %s |\n", field("pairs"),
        computation, field("bytes") / 1e6, wire, field("seconds"), field("over"), field("from"),
        field("to"), field("plain_over"), overlap(field("seconds"), computation, wire)
}
