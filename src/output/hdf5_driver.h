/* HDF5's way to a file that is being written, in the place of its own driver.
 *
 * HDF5 does not survive a write that fails: it keeps the file open and crashes at the program's end. So its writes never fail here: the
 * first trouble (a full disk, a limit on the size) is remembered, and what HDF5 writes afterwards stays in memory, where it reads it again
 * (what it does not find, it waits for). The file then is what it was before the trouble, HDF5 closes it in peace, and the caller asks
 * for the error. */
#ifndef DAL_OUTPUT_HDF5_DRIVER_H
#define DAL_OUTPUT_HDF5_DRIVER_H

#include "output/hdf5_library.h"

typedef struct dal_hdf5_way {
    const dal_hdf5 *library;
    hid_t driver;
    int error; /* of the first write that failed; 0: all is well */
} dal_hdf5_way;

/* False: HDF5 does not take it. */
bool dal_hdf5_way_open(dal_hdf5_way *way, const dal_hdf5 *library);
/* Files that are opened with these properties go this way; it has to outlive them. */
bool dal_hdf5_way_take(dal_hdf5_way *way, hid_t access);
/* No file may be open that goes this way. */
void dal_hdf5_way_close(dal_hdf5_way *way);

#endif
