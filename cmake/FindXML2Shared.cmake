# libxml2. The library loads it only when a URDF file is read (linked in, it would bring ICU and others into every start of the
# program, which would take twice as long), so its headers and the name of the shared object are wanted:
#
#   XML2Shared_INCLUDE_DIR, XML2Shared_SONAME ("libxml2.so.2")

find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
    pkg_search_module(PC_XML2 QUIET libxml-2.0)
endif()
find_path(XML2Shared_INCLUDE_DIR libxml/parser.h HINTS ${PC_XML2_INCLUDE_DIRS} PATH_SUFFIXES libxml2)
find_library(XML2Shared_LIBRARY NAMES xml2 HINTS ${PC_XML2_LIBRARY_DIRS})
mark_as_advanced(XML2Shared_INCLUDE_DIR XML2Shared_LIBRARY)

if(XML2Shared_LIBRARY)
    get_filename_component(_xml2 "${XML2Shared_LIBRARY}" REALPATH)
    get_filename_component(_xml2 "${_xml2}" NAME)
    string(REGEX MATCH "^.+\\.so\\.[0-9]+" XML2Shared_SONAME "${_xml2}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(XML2Shared REQUIRED_VARS XML2Shared_LIBRARY XML2Shared_INCLUDE_DIR XML2Shared_SONAME)
