# CVODE and IDA of SUNDIALS 6. The library loads them only when a run asks for one of their integrators, so their headers and the names of
# the shared objects are wanted; each brings its own copy of the vectors and linear solvers, and needs nothing but libc:
#
#   SUNDIALSShared_INCLUDE_DIR, SUNDIALSShared_CVODE ("libsundials_cvode.so.6"), SUNDIALSShared_IDA ("libsundials_ida.so.6")

find_path(SUNDIALSShared_INCLUDE_DIR cvode/cvode.h)
find_library(SUNDIALSShared_CVODE_LIBRARY sundials_cvode)
find_library(SUNDIALSShared_IDA_LIBRARY sundials_ida)
mark_as_advanced(SUNDIALSShared_INCLUDE_DIR SUNDIALSShared_CVODE_LIBRARY SUNDIALSShared_IDA_LIBRARY)

foreach(_part CVODE IDA)
    if(SUNDIALSShared_${_part}_LIBRARY)
        get_filename_component(_sundials "${SUNDIALSShared_${_part}_LIBRARY}" REALPATH)
        get_filename_component(_sundials "${_sundials}" NAME)
        string(REGEX MATCH "^.+\\.so\\.[0-9]+" SUNDIALSShared_${_part} "${_sundials}")
    endif()
endforeach()

# The interface differs from one major version to the next, and the index and number types are decided when SUNDIALS is built.
if(SUNDIALSShared_INCLUDE_DIR AND EXISTS "${SUNDIALSShared_INCLUDE_DIR}/sundials/sundials_config.h")
    file(STRINGS "${SUNDIALSShared_INCLUDE_DIR}/sundials/sundials_config.h" _sundials REGEX "define SUNDIALS_(VERSION |DOUBLE_PRECISION)")
    string(REGEX MATCH "VERSION \"([0-9.]+)" _ignored "${_sundials}")
    set(SUNDIALSShared_VERSION "${CMAKE_MATCH_1}")
    if(SUNDIALSShared_VERSION MATCHES "^6\\." AND _sundials MATCHES "DOUBLE_PRECISION")
        set(SUNDIALSShared_SUITABLE TRUE)
    endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SUNDIALSShared
    REQUIRED_VARS SUNDIALSShared_CVODE SUNDIALSShared_IDA SUNDIALSShared_INCLUDE_DIR SUNDIALSShared_SUITABLE
    VERSION_VAR SUNDIALSShared_VERSION)
