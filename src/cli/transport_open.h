/* Was the program started by mpirun? Opens the messages between its processes. */
#ifndef DAL_CLI_TRANSPORT_OPEN_H
#define DAL_CLI_TRANSPORT_OPEN_H

#include "dalembert/base.h"
#include "study/transport.h"

/* Was it started by Open MPI, MPICH or similar programs? They set variables of the environment. */
bool dal_started_together(void);
/* Loads the library that calls MPI, which is beside the program. DAL_BAD_COMMAND with a message: there is none. */
dal_status dal_open_transport(dal_transport *transport, dal_messages *messages);

#endif
