# The package for Python: python/dalembert/ in the build folder, with the extension module _core.abi3.so in it. Python 3.11 or newer; which one does not
# matter further (limited API). That of the system is taken, not one that happens to come first in PATH: it has Debian's NumPy.
set(DAL_HAVE_PYTHON FALSE)
set(Python3_FIND_STRATEGY LOCATION)
set(Python3_FIND_VIRTUALENV STANDARD)
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
    set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 3.11 QUIET COMPONENTS Interpreter Development.Module)
if(NOT Python3_FOUND)
    message(STATUS "the package for Python is skipped: it needs the headers of Python 3.11 (Debian's package python3-dev)")
    return()
endif()
set(DAL_HAVE_PYTHON TRUE)
set(package "${PROJECT_BINARY_DIR}/python/dalembert")
file(GLOB python_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/src/*.c")
file(GLOB python_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/dalembert/*.py" "${PROJECT_SOURCE_DIR}/python/dalembert/*.pyi"
    "${PROJECT_SOURCE_DIR}/python/dalembert/py.typed")

# Of the same objects as the program, with LAPACK from archives where they exist: NumPy brings a LAPACK of its own, and the two do not meet.
find_package(Threads REQUIRED)
add_library(python_module MODULE ${python_sources} $<TARGET_OBJECTS:cli_objects> $<TARGET_OBJECTS:dalembert_objects> $<TARGET_OBJECTS:dalembert_complex_objects>)
set_target_properties(python_module PROPERTIES OUTPUT_NAME _core PREFIX "" SUFFIX .abi3.so LIBRARY_OUTPUT_DIRECTORY "${package}")
target_include_directories(python_module PRIVATE include "${PROJECT_SOURCE_DIR}/python/src")
target_include_directories(python_module SYSTEM PRIVATE ${Python3_INCLUDE_DIRS})
target_compile_options(python_module PRIVATE -Wno-pedantic) # slots of types are functions in pointers to void
target_link_libraries(python_module PRIVATE ${program_needs} ${CMAKE_DL_LIBS} Threads::Threads m)
target_link_options(python_module PRIVATE LINKER:-Bsymbolic-functions LINKER:--exclude-libs,ALL)

set(copies "")
foreach(file ${python_files})
    get_filename_component(name "${file}" NAME)
    add_custom_command(OUTPUT "${package}/${name}" COMMAND ${CMAKE_COMMAND} -E copy "${file}" "${package}/${name}" DEPENDS "${file}" VERBATIM)
    list(APPEND copies "${package}/${name}")
endforeach()
add_custom_target(python_package ALL DEPENDS ${copies} python_module)
