# rate.awk - prints the bandwidth measured for a place and an MPI, in MB/s, or 0; needs wire.awk.
field("program") == "network" && field("place") == place && field("mpi") == mpi {
    most = network_rate() > most ? network_rate() : most
}
END { printf "%.1f", most / 1e6 }
