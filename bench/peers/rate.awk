# rate.awk - after fields.awk: the bandwidth that was measured for a place and an MPI, in MB/s; 0 if
# none was.
field("program") == "network" && field("ok") == "true" && field("place") == place &&
    field("mpi") == mpi {
    rate = field("bytes") * field("ranks") / field("nodes") / field("seconds") / 1e6
    most = rate > most ? rate : most
}
END { printf "%.1f", most }
