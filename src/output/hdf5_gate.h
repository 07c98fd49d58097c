/* Guards the use of HDF5's library in this process. The library has its own lock: a child that is forked while another thread holds that lock
 * waits for ever. */
#ifndef DAL_OUTPUT_HDF5_GATE_H
#define DAL_OUTPUT_HDF5_GATE_H

#include <sys/types.h>

/* Called before and after every use. */
void dal_hdf5_begin_use(void);
void dal_hdf5_end_use(void);
/* Like fork(), while no thread is between the two calls; -1 with EBUSY if one stays there for ten seconds. */
pid_t dal_hdf5_fork(void);

/* Loads and unloads the library. A build without HDF5 does nothing here. */
void dal_hdf5_probe(void);

#endif
