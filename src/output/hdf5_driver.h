/* An HDF5 driver for a file that is being written.
 *
 * HDF5 does not survive a write that fails: it keeps the file open and crashes at the program's end. So its writes never fail here: the first error
 * (a full disk, a limit on the size) is recorded, and later writes stay in memory, from which HDF5 reads them again (it would wait for missing
 * bytes). The file then stays as it was before the error, HDF5 closes it normally, and the caller reads the error. */
#ifndef DAL_OUTPUT_HDF5_DRIVER_H
#define DAL_OUTPUT_HDF5_DRIVER_H

#include "output/hdf5_library.h"

typedef struct dal_hdf5_way {
    const dal_hdf5 *library;
    hid_t driver;
    int error; /* of the first failed write; 0: there is none */
} dal_hdf5_way;

/* False: HDF5 refuses the driver. */
bool dal_hdf5_way_open(dal_hdf5_way *way, const dal_hdf5 *library);
/* Files that are opened with these properties use the driver, which must outlive them. */
bool dal_hdf5_way_use(dal_hdf5_way *way, hid_t access);
/* No file that uses the driver may be open. */
void dal_hdf5_way_close(dal_hdf5_way *way);

#endif
