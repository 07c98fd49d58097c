/* Messages by MPI: bytes with one tag. Only the thread that opened it calls it (MPI_THREAD_FUNNELED). */
#include "study/transport.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG = 1 };

__attribute__((visibility("default"))) dal_transport_opener dal_transport_open;

static bool receive(bool wait, int *from, void **bytes, size_t *n)
{
    MPI_Status status;
    int there = 1, count = 0;
    *bytes = NULL;
    if ((wait ? MPI_Probe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &status) : MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status)) !=
            MPI_SUCCESS ||
        !there || MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS)
        return false;
    *bytes = malloc((size_t)count + 1);
    *n = (size_t)count;
    *from = status.MPI_SOURCE;
    return *bytes && MPI_Recv(*bytes, count, MPI_BYTE, status.MPI_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

static bool send(int to, const void *bytes, size_t n)
{
    return n <= INT_MAX && MPI_Send(bytes, (int)n, MPI_BYTE, to, TAG, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static void end(void)
{
    MPI_Finalize();
}

bool dal_transport_open(dal_transport *transport, char *why, size_t size)
{
    int level;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS || level < MPI_THREAD_FUNNELED) {
        snprintf(why, size, "MPI cannot be started with threads");
        return false;
    }
    *transport = (dal_transport){.receive = receive, .send = send, .end = end};
    MPI_Comm_rank(MPI_COMM_WORLD, &transport->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &transport->size);
    return true;
}
