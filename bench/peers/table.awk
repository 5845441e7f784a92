# table.awk - makes a table of the measurements of peers.sh; needs wire.awk.

# Puts the values of a key in all rounds into sorted[1..count], in ascending order.
function sort_values(values, key,    round, i, value) {
    count = 0
    for (round = 1; round <= rounds; round++) {
        if (!((key, round) in values))
            continue
        value = values[key, round]
        for (i = count++; i > 0 && sorted[i] > value; i--)
            sorted[i + 1] = sorted[i]
        sorted[i + 1] = value
    }
}

# The median after sort_values.
function median() {
    return (sorted[int((count + 1) / 2)] + sorted[int(count / 2) + 1]) / 2
}

function interval(format) {
    return sprintf(format " to " format, sorted[1], sorted[count])
}

function print_row(key,    part, group, time, times, computation, wire, over, longest, over_longest) {
    split(key, part, SUBSEP)
    group = part[1] SUBSEP part[2] SUBSEP part[3]
    printf "| %s | %s | %s | %s |", part[1], part[2], part[3], part[4]
    sort_values(seconds, key)
    if (count == 0) {
        print " failed | | | | | | | |"
        return
    }
    time = median()
    times = interval("%.4f")
    sort_values(ratio, key)
    over = count > 0 ? sprintf("%.2f | %s", median(), interval("%.2f")) : "- | -"
    sort_values(seconds, group SUBSEP "blas")
    computation = count > 0 ? median() : 0
    wire = bandwidth[part[1], part[2]] > 0 ? bytes[key] / bandwidth[part[1], part[2]] : 0
    longest = computation > wire ? computation : wire
    over_longest = longest > 0 ? time / longest : 0
    printf " %.4f | %s | %s | %.4f | %.2f | %.4f | %.2f | %s |\n", time, times, over, computation,
        bytes[key] / 1e6, wire, over_longest, overlap(time, computation, wire)
}

{
    place = field("place")
    mpi = field("mpi")
    program = field("program")
    round = field("round") + 0
    ok = field("ok") == "true"
}

program == "network" {
    rate = network_rate()
    if (!((place, mpi) in bandwidth))
        network[++networks] = place SUBSEP mpi
    if (rate > bandwidth[place, mpi])
        bandwidth[place, mpi] = rate
    next
}

{
    group = place SUBSEP mpi SUBSEP field("of")
    key = group SUBSEP program
    if (!(key in number)) {
        number[key] = ++keys
        name[keys] = key
    }
    if (program ~ /^sectile/ && !(group in best))
        best[group] = key
    rounds = round > rounds ? round : rounds
}

ok {
    seconds[key, round] = field("seconds") + 0
    bytes[key] = field("bytes_got") == "" ? field("bytes") : \
        (field("bytes_got") + field("bytes_accumulated")) / field("ranks")
}

END {
    for (i = 1; i <= keys; i++) {
        split(name[i], part, SUBSEP)
        group = part[1] SUBSEP part[2] SUBSEP part[3]
        for (round = 1; round <= rounds; round++)
            if ((name[i], round) in seconds && (best[group], round) in seconds)
                ratio[name[i], round] = seconds[name[i], round] / seconds[best[group], round]
    }
    print "Place: hosts x ranks on each. Medians of up to " rounds " rounds, with the least and the greatest."
    print "Over Sectile: the time over that of Sectile's first row for the shape, round by round."
    print "Computation: blas. MB: what a rank fetches and accumulates by Sectile's plan; for others, what"
    print "the network interface of a host counted. Wire: the seconds that this takes at the measured"
    print "bandwidth. Overlap: (computation + wire - time) / the shorter of the two."
    print ""
    for (i = 1; i <= networks; i++) {
        split(network[i], part, SUBSEP)
        printf "- %s, %s: %.1f MB/s each way\n", part[1], part[2], bandwidth[network[i]] / 1e6
    }
    print ""
    print "| place | MPI | shape | program | seconds | from to | over Sectile | from to | computation" \
        " | MB | wire | over the longer | overlap |"
    print "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= keys; i++)
        print_row(name[i])
}
