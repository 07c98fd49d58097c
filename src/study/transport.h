/* Messages between the processes of a study. MPI provides them (mpi/mpi_transport.c), in a library that is loaded if mpirun started the program: the
 * program itself does not need MPI. */
#ifndef DAL_STUDY_TRANSPORT_H
#define DAL_STUDY_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct dal_transport {
    int rank, size; /* of this process; how many there are */
    /* The next message, in *bytes (n of them), which the caller frees with free(). False: there is none now, if `wait` is false; or there will be no
     * more messages. */
    bool (*receive)(bool wait, int *from, void **bytes, size_t *n);
    /* False: it cannot be sent. */
    bool (*send)(int to, const void *bytes, size_t n);
    /* After the last message, in every process. */
    void (*end)(void);
} dal_transport;

/* The only function of the loaded library, DAL_TRANSPORT_OPEN. False with a message. */
typedef bool dal_transport_opener(dal_transport *transport, char *why, size_t size);
#define DAL_TRANSPORT_OPEN "dal_transport_open"

#endif
