# FLINT. The library loads it only when equations are derived in symbols, so its headers and the name of the shared object are wanted:
#
#   FLINTShared_INCLUDE_DIR, FLINTShared_SONAME ("libflint.so.17")

find_path(FLINTShared_INCLUDE_DIR flint/fmpq_mpoly_factor.h)
find_library(FLINTShared_LIBRARY flint)
mark_as_advanced(FLINTShared_INCLUDE_DIR FLINTShared_LIBRARY)

if(FLINTShared_LIBRARY)
    get_filename_component(_flint "${FLINTShared_LIBRARY}" REALPATH)
    get_filename_component(_flint "${_flint}" NAME)
    string(REGEX MATCH "^.+\\.so\\.[0-9]+" FLINTShared_SONAME "${_flint}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FLINTShared REQUIRED_VARS FLINTShared_LIBRARY FLINTShared_INCLUDE_DIR FLINTShared_SONAME)
