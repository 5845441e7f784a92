/* mpich_finalize.c - preloaded so that MPICH can end. MPICH 4.0 over UCX closes each connection in
 * MPI_Finalize, which may need an answer of the other rank, which no longer makes progress
 * (pmodels/mpich#6596). Connections left open are closed with the process. */
void *ucp_disconnect_nb(void *endpoint);

void *ucp_disconnect_nb(void *endpoint) {
    (void)endpoint;
    return 0; /* done */
}
