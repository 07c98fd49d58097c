/* Was the program started by mpirun, and how do its processes talk? */
#ifndef DAL_CLI_TRANSPORT_OPEN_H
#define DAL_CLI_TRANSPORT_OPEN_H

#include "dalembert/base.h"
#include "study/transport.h"

/* By Open MPI, MPICH or their relatives: they say so in the environment. */
bool dal_started_together(void);
/* Loads the library beside the program that calls MPI. DAL_BAD_COMMAND with a sentence: there is none. */
dal_status dal_open_transport(dal_transport *transport, dal_messages *messages);

#endif
