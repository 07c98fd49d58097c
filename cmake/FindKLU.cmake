# KLU of SuiteSparse, which brings no pkg-config file of its own: the target KLU::KLU.
# Sources include <suitesparse/klu.h>.

find_path(KLU_INCLUDE_DIR suitesparse/klu.h)
find_library(KLU_LIBRARY klu)
mark_as_advanced(KLU_INCLUDE_DIR KLU_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU REQUIRED_VARS KLU_LIBRARY KLU_INCLUDE_DIR)

if(KLU_FOUND AND NOT TARGET KLU::KLU)
    add_library(KLU::KLU INTERFACE IMPORTED)
    set(_klu "${KLU_LIBRARY}")
    foreach(_part amd colamd btf suitesparseconfig)
        find_library(KLU_${_part}_LIBRARY ${_part})
        mark_as_advanced(KLU_${_part}_LIBRARY)
        if(KLU_${_part}_LIBRARY)
            list(APPEND _klu "${KLU_${_part}_LIBRARY}")
        endif()
    endforeach()
    set_target_properties(KLU::KLU PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${KLU_INCLUDE_DIR}"
        INTERFACE_LINK_LIBRARIES "${_klu}")
endif()
