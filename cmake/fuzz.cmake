# Every test/fuzz_*.c is one libFuzzer program; everything it calls is compiled with the fuzzer's coverage.
# tools/fuzz runs them.

if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "DAL_FUZZ needs clang: use cmake --preset fuzz")
endif()
file(GLOB fuzz_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/test/fuzz_*.c")
foreach(source ${fuzz_sources})
    get_filename_component(name "${source}" NAME_WE)
    add_executable(${name} "${source}")
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test")
    target_include_directories(${name} PRIVATE include src test)
    target_link_libraries(${name} PRIVATE dalembert)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
