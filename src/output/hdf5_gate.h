/* Who uses HDF5's library in this process. It has a lock of its own: a child that is made while another thread holds that lock waits for ever. */
#ifndef DAL_OUTPUT_HDF5_GATE_H
#define DAL_OUTPUT_HDF5_GATE_H

#include <sys/types.h>

/* Around every use. */
void dal_hdf5_begin_use(void);
void dal_hdf5_end_use(void);
/* As fork(), while no thread is between the two; -1 with EBUSY if one is for ten seconds. */
pid_t dal_hdf5_fork(void);

/* Loads the library and lets it go again. Nothing in a build without it. */
void dal_hdf5_probe(void);

#endif
