# HDF5 without MPI. The library loads it only when a .h5 file is written (linked in, it would cost every start of
# the program 4 ms), so its headers and the name of the shared object are wanted:
#
#   HDF5Serial_INCLUDE_DIR, HDF5Serial_SONAME ("libhdf5_serial.so.103")
#   HDF5Serial::HDF5Serial   to link with, for tests

find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
    pkg_search_module(PC_HDF5 QUIET hdf5-serial hdf5_serial hdf5)
endif()
find_path(HDF5Serial_INCLUDE_DIR hdf5.h HINTS ${PC_HDF5_INCLUDE_DIRS} PATH_SUFFIXES hdf5/serial)
find_library(HDF5Serial_LIBRARY NAMES hdf5_serial hdf5 HINTS ${PC_HDF5_LIBRARY_DIRS})
mark_as_advanced(HDF5Serial_INCLUDE_DIR HDF5Serial_LIBRARY)

if(HDF5Serial_LIBRARY)
    get_filename_component(_hdf5 "${HDF5Serial_LIBRARY}" REALPATH)
    get_filename_component(_hdf5 "${_hdf5}" NAME)
    string(REGEX MATCH "^.+\\.so\\.[0-9]+" HDF5Serial_SONAME "${_hdf5}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HDF5Serial REQUIRED_VARS HDF5Serial_LIBRARY HDF5Serial_INCLUDE_DIR HDF5Serial_SONAME)

if(HDF5Serial_FOUND AND NOT TARGET HDF5Serial::HDF5Serial)
    add_library(HDF5Serial::HDF5Serial INTERFACE IMPORTED)
    set_target_properties(HDF5Serial::HDF5Serial PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${HDF5Serial_INCLUDE_DIR}"
        INTERFACE_LINK_LIBRARIES "${HDF5Serial_LIBRARY}")
endif()
