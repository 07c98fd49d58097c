# Install BUILD under a prefix of its own, compile EXAMPLE.c against it with what pkg-config says, and compare what it prints with
# EXAMPLE.txt.
set(prefix "${BUILD}/test/installed")
set(program "${BUILD}/test/installed_example")
file(REMOVE_RECURSE "${prefix}")

# Run a command; what it printed is in `seen`.
macro(must)
    execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE seen ERROR_VARIABLE said RESULT_VARIABLE code OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT code EQUAL 0)
        message(FATAL_ERROR "${ARGN}: ${code}\n${seen}\n${said}")
    endif()
endmacro()

must("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")
set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig:$ENV{PKG_CONFIG_PATH}")
must("${PKG_CONFIG}" --cflags --libs dalembert)
separate_arguments(options UNIX_COMMAND "${seen}")
must("${COMPILER}" ${FLAGS} -std=c17 "${EXAMPLE}.c" ${options} -o "${program}")
must("${CMAKE_COMMAND}" "-DPROGRAM=${program}" "-DEXPECTED=${EXAMPLE}.txt" -P "${CMAKE_CURRENT_LIST_DIR}/../examples/check.cmake")
