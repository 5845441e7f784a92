# rate.awk - after wire.awk: the bandwidth that was measured for a place and an MPI, in MB/s; 0 if
# none was.
field("program") == "network" && field("place") == place && field("mpi") == mpi {
    most = network_rate() > most ? network_rate() : most
}
END { printf "%.1f", most / 1e6 }
