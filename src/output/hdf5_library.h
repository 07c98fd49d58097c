/* The calls of HDF5 that are used, found in its shared library when a file is written. If it were linked, every start of the program would load
 * some forty libraries. */
#ifndef DAL_OUTPUT_HDF5_LIBRARY_H
#define DAL_OUTPUT_HDF5_LIBRARY_H

#include "base/library.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

/* clang-format off */
#define DAL_HDF5_CALLS(X)                                                                      \
    X(H5open) X(H5get_libversion) X(H5Eget_auto2) X(H5Eset_auto2) X(H5Ewalk2)                  \
    X(H5Fcreate) X(H5Fclose) X(H5Fstart_swmr_write)                                            \
    X(H5FDregister) X(H5FDunregister) X(H5Pset_driver) X(H5Pget_driver_info)                   \
    X(H5Pcreate) X(H5Pset_chunk) X(H5Pset_cache) X(H5Pset_fclose_degree)                       \
    X(H5Pset_metadata_read_attempts) X(H5Pset_libver_bounds) X(H5Pset_link_creation_order) X(H5Pclose)                          \
    X(H5Screate) X(H5Screate_simple) X(H5Sclose)                                               \
    X(H5Tcopy) X(H5Tset_size) X(H5Tset_cset) X(H5Tclose)                                       \
    X(H5Dcreate2) X(H5Dset_extent) X(H5Dwrite) X(H5Dwrite_chunk) X(H5Dflush) X(H5Dclose)       \
    X(H5Gcreate2) X(H5Gclose) X(H5Pset_obj_track_times)                                        \
    X(H5Acreate2) X(H5Awrite) X(H5Aclose)                                                      \
    X(H5Fopen) X(H5Gget_info) X(H5Lget_name_by_idx) X(H5Dopen2) X(H5Dget_space) X(H5Dget_type) \
    X(H5Dread) X(H5Sget_simple_extent_ndims) X(H5Sget_simple_extent_dims)                      \
    X(H5Sselect_hyperslab) X(H5Tget_class) X(H5Tis_variable_str) X(H5Tget_size)                \
    X(H5Aexists) X(H5Aopen)                                                                    \
    X(H5Aget_type) X(H5Aget_space) X(H5Sget_simple_extent_npoints) X(H5Aread) X(H5free_memory)

#define DAL_HDF5_NUMBERS(X)                                                                    \
    X(H5T_NATIVE_DOUBLE_g) X(H5T_NATIVE_INT_g) X(H5T_C_S1_g)                                   \
    X(H5P_CLS_FILE_CREATE_ID_g) X(H5P_CLS_FILE_ACCESS_ID_g) X(H5P_CLS_DATASET_CREATE_ID_g)   \
    X(H5P_CLS_GROUP_CREATE_ID_g)
/* clang-format on */

typedef struct dal_hdf5 {
    void *handle;
    DAL_HDF5_CALLS(DAL_CALL)
#define X(name) hid_t name;
    DAL_HDF5_NUMBERS(X)
#undef X
} dal_hdf5;

/* False with a sentence in `why` if the library is missing or has another version. */
bool dal_hdf5_load(dal_hdf5 *library, char *why, size_t size);
/* Called once for each loaded library (hdf5_gate.h); accepts one that is not loaded. */
void dal_hdf5_unload(dal_hdf5 *library);
/* Close an open identifier; a negative number is ignored. */
void dal_hdf5_close(herr_t (*close)(hid_t), hid_t id);

#endif
