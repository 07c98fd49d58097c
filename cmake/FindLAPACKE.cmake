# The C interface to LAPACK, as one imported target:
#
#   LAPACKE::LAPACKE   whatever LAPACK the system offers, normally shared
#   LAPACKE::Static    archives, only where they link; a program starts 3 ms sooner with them
#
# A BLAS without threads is preferred: small problems lose time in a threaded one, and
# results must not depend on the number of threads.

find_path(LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES lapacke openblas-serial)
find_library(LAPACKE_LIBRARY lapacke)
find_library(LAPACKE_LAPACK_LIBRARY lapack openblas)
find_library(LAPACKE_BLAS_LIBRARY blas openblas)
mark_as_advanced(LAPACKE_INCLUDE_DIR LAPACKE_LIBRARY LAPACKE_LAPACK_LIBRARY LAPACKE_BLAS_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LAPACKE
    REQUIRED_VARS LAPACKE_LIBRARY LAPACKE_LAPACK_LIBRARY LAPACKE_BLAS_LIBRARY LAPACKE_INCLUDE_DIR)

if(LAPACKE_FOUND AND NOT TARGET LAPACKE::LAPACKE)
    add_library(LAPACKE::LAPACKE INTERFACE IMPORTED)
    set_target_properties(LAPACKE::LAPACKE PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${LAPACKE_INCLUDE_DIR}"
        INTERFACE_LINK_LIBRARIES "${LAPACKE_LIBRARY};${LAPACKE_LAPACK_LIBRARY};${LAPACKE_BLAS_LIBRARY}")
    get_filename_component(_blas "${LAPACKE_BLAS_LIBRARY}" REALPATH)
    if(_blas MATCHES "openblas-(pthread|openmp)")
        message(WARNING "${_blas} is a threaded BLAS; a serial one (libopenblas-serial-dev) is faster here")
    endif()
endif()

# Archives need the Fortran run-time library, whose development link is often not installed: its soname will do.
find_library(LAPACKE_STATIC_LIBRARY liblapacke.a)
find_library(LAPACKE_STATIC_LAPACK liblapack.a PATH_SUFFIXES openblas-serial)
find_library(LAPACKE_STATIC_BLAS libblas.a PATH_SUFFIXES openblas-serial)
find_library(LAPACKE_FORTRAN_LIBRARY NAMES libgfortran.so.5 gfortran)
mark_as_advanced(LAPACKE_STATIC_LIBRARY LAPACKE_STATIC_LAPACK LAPACKE_STATIC_BLAS LAPACKE_FORTRAN_LIBRARY)

if(LAPACKE_FOUND AND LAPACKE_STATIC_LIBRARY AND LAPACKE_STATIC_LAPACK AND LAPACKE_STATIC_BLAS
        AND LAPACKE_FORTRAN_LIBRARY AND NOT TARGET LAPACKE::Static)
    set(_archives "${LAPACKE_STATIC_LIBRARY};${LAPACKE_STATIC_LAPACK};${LAPACKE_STATIC_BLAS};${LAPACKE_FORTRAN_LIBRARY};m")
    include(CheckCSourceCompiles)
    set(CMAKE_REQUIRED_INCLUDES "${LAPACKE_INCLUDE_DIR}")
    set(CMAKE_REQUIRED_LIBRARIES "${_archives}")
    check_c_source_compiles("
        #include <lapacke.h>
        int main(void)
        {
            double a = 1, w = 0, work[8];
            return LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'U', 1, &a, 1, &w, work, 8);
        }" LAPACKE_STATIC_LINKS)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_LIBRARIES)
    if(LAPACKE_STATIC_LINKS)
        add_library(LAPACKE::Static INTERFACE IMPORTED)
        set_target_properties(LAPACKE::Static PROPERTIES
            INTERFACE_INCLUDE_DIRECTORIES "${LAPACKE_INCLUDE_DIR}"
            INTERFACE_LINK_LIBRARIES "${_archives}")
    endif()
endif()
