# Every test/test_*.c is one program under its own name in ctest. Those named *_complex.c and *_quad.c are compiled,
# like the kernels they call, for another scalar.

pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
if(NOT CMOCKA_FOUND)
    message(STATUS "cmocka (libcmocka-dev) is missing: no tests")
    return()
endif()

set(test_definitions
    DAL_TEST_MODELS="${PROJECT_SOURCE_DIR}/test/models"
    DAL_MODELS="${PROJECT_SOURCE_DIR}/models"
    DAL_HEADERS="${PROJECT_SOURCE_DIR}/include/dalembert"
    DAL_REFERENCE="${PROJECT_SOURCE_DIR}/test/reference"
    DAL_PROGRAM="$<TARGET_FILE:program>"
    DAL_PLUG_IN="${PROJECT_BINARY_DIR}/dalembert-mpi.so")

# ---- the kernels once more, for quadruple numbers; the library has those for complex ones --------------
file(GLOB kernels CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/kinematics/*.c" "${PROJECT_SOURCE_DIR}/src/force/*.c"
    "${PROJECT_SOURCE_DIR}/src/expr/evaluate.c")
set(variants "")
if(DAL_SANITIZE)
    set(kernels "") # the same source, watched once, in double numbers
endif()

function(add_variant name definition options)
    add_library(dalembert_${name} STATIC ${kernels})
    target_include_directories(dalembert_${name} PUBLIC include src)
    target_compile_definitions(dalembert_${name} PUBLIC ${definition})
    target_compile_options(dalembert_${name} PUBLIC ${options})
    target_link_libraries(dalembert_${name} PUBLIC ${ARGN})
endfunction()

if(kernels)
    add_library(dalembert_complex INTERFACE) # the library has them
    target_compile_definitions(dalembert_complex INTERFACE DAL_SCALAR_COMPLEX)
    target_include_directories(dalembert_complex INTERFACE include src)
    target_link_libraries(dalembert_complex INTERFACE dalembert)
    list(APPEND variants complex)
    include(CheckCSourceCompiles)
    set(CMAKE_REQUIRED_FLAGS -Wno-pedantic)
    set(CMAKE_REQUIRED_LIBRARIES quadmath)
    check_c_source_compiles("#include <quadmath.h>\nint main(void) { return (int)sinq(0); }" DAL_HAVE_QUADMATH)
    unset(CMAKE_REQUIRED_FLAGS)
    unset(CMAKE_REQUIRED_LIBRARIES)
    if(DAL_HAVE_QUADMATH)
        add_variant(quad DAL_SCALAR_QUAD -Wno-pedantic dalembert quadmath)
        list(APPEND variants quad)
    endif()
endif()

# ---- an allocation that fails -------------------------------------------------
# For LD_PRELOAD: test/test_crashes.c runs the program under it.
add_library(fail_allocation MODULE "${PROJECT_SOURCE_DIR}/test/fail_allocation.c")
set_target_properties(fail_allocation PROPERTIES C_VISIBILITY_PRESET default)
target_link_libraries(fail_allocation PRIVATE ${CMAKE_DL_LIBS})
target_compile_options(fail_allocation PRIVATE -fno-builtin -Wno-pedantic -fno-sanitize=all)
list(APPEND test_definitions DAL_FAIL_ALLOCATION="$<TARGET_FILE:fail_allocation>")

# ---- one program a file ---------------------------------------------------
file(GLOB test_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/test/test_*.c")
foreach(source ${test_sources})
    get_filename_component(name "${source}" NAME_WE)
    set(library dalembert)
    if(DAL_SANITIZE AND name MATCHES "^test_(documentation|friction_drift|linkages|reference|scaling)$") # long runs of what other tests watch
        continue()
    endif()
    if(name MATCHES "_(complex|quad)$")
        if(NOT CMAKE_MATCH_1 IN_LIST variants)
            message(STATUS "${name} is left out: no ${CMAKE_MATCH_1} numbers here")
            continue()
        endif()
        set(library dalembert_${CMAKE_MATCH_1})
    endif()
    add_executable(${name} "${source}")
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test")
    target_include_directories(${name} PRIVATE include src test)
    target_compile_definitions(${name} PRIVATE ${test_definitions})
    target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>) # the time goes into the library: compiled in two thirds of the time
    if(DAL_SANITIZE) # the library is watched for undefined behaviour; tests for wrong addresses only: compiled in half the time
        target_compile_options(${name} PRIVATE -O0 -fno-sanitize=undefined)
    endif()
    target_link_libraries(${name} PRIVATE ${library} ${needs} PkgConfig::CMOCKA m)
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/test")
    set_tests_properties(${name} PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77) # CHECK_SKIPPED of test/check.h
endforeach()

# ---- one wrong term a formulation -------------------------------------------
# Each of these programs brings its own copy of one formulation, with a wrong term in it (cmake/mutate.cmake); the archive supplies
# the others. The test passes if exactly that formulation falls out of agreement. Under the sanitizers it would say nothing new.
set(mutants lagrange udwadia-kalaba udwadia-phohomsiri maggi kane gibbs-appell boltzmann-hamel volterra volterra-reduced routh recursive component)
if(DAL_SANITIZE)
    set(mutants "")
endif()
foreach(mutant ${mutants})
    string(REPLACE "-" "_" file "${mutant}")
    set(name mutation_${file})
    dal_mutant("${mutant}" right wrong)
    add_executable(${name} "${PROJECT_SOURCE_DIR}/test/mutation.c" "${wrong}")
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test")
    target_include_directories(${name} PRIVATE include src test)
    target_compile_definitions(${name} PRIVATE ${test_definitions} DAL_MUTANT="${mutant}")
    target_link_libraries(${name} PRIVATE dalembert ${needs} PkgConfig::CMOCKA m)
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/test")
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()

# The same for derivations: the comparison with the kernels sees a wrong term in any step.
set(derived placed_bodies energy constraint_rows generalized_forces quasi_velocities kane_symbols gibbs_appell_symbols volterra_symbols
    boltzmann_hamel_symbols maggi_symbols routh_symbols attitude_parameters written_joints component_symbols measures udwadia_symbols
    derivation_steps named_systems partials elastic_elements subsystem_symbols lagrange_symbols recursive_symbols derivation markers meanings letters
    start_frames reduced_coordinates)
if(DAL_SANITIZE)
    set(derived "")
else()
    add_library(derive_mutant_test OBJECT "${PROJECT_SOURCE_DIR}/test/derive_mutation.c")
    target_include_directories(derive_mutant_test PRIVATE include src test)
    target_compile_definitions(derive_mutant_test PRIVATE ${test_definitions})
    target_link_libraries(derive_mutant_test PRIVATE PkgConfig::CMOCKA)
endif()
foreach(file ${derived})
    set(name mutation_derive_${file})
    set(wrong "${PROJECT_BINARY_DIR}/mutants/derive_${file}.c")
    add_custom_command(OUTPUT "${wrong}"
        COMMAND ${CMAKE_COMMAND} "-DNAME=derive-${file}" "-DSOURCE=${PROJECT_SOURCE_DIR}/src/derive/${file}.c" "-DOUT=${wrong}"
            -P "${PROJECT_SOURCE_DIR}/cmake/mutate.cmake"
        DEPENDS "${PROJECT_SOURCE_DIR}/src/derive/${file}.c" "${PROJECT_SOURCE_DIR}/cmake/mutate.cmake" VERBATIM)
    add_executable(${name} $<TARGET_OBJECTS:derive_mutant_test> "${wrong}")
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test")
    target_include_directories(${name} PRIVATE include src test)
    target_link_libraries(${name} PRIVATE dalembert ${needs} PkgConfig::CMOCKA m)
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/test")
endforeach()

foreach(name test_branches test_check test_cli test_compare test_crashes test_documentation test_equations test_growth test_incomplete test_outputs test_page test_resume test_robots
        test_stopping test_urdf test_watch test_zeros)
    if(TARGET ${name})
        add_dependencies(${name} program)
    endif()
endforeach()
add_dependencies(test_crashes fail_allocation)

# ---- what takes minutes ---------------------------------------------------------
# `make check-long`; the label keeps them out of `make check`.
add_test(NAME crashes_long COMMAND test_crashes long WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/test")
set_tests_properties(crashes_long PROPERTIES LABELS long TIMEOUT 7200)
find_package(Threads REQUIRED)
foreach(name test_tree_threads test_vary)
    if(TARGET ${name})
        target_link_libraries(${name} PRIVATE Threads::Threads)
    endif()
endforeach()
if(TARGET test_record AND HDF5Serial_FOUND)
    target_link_libraries(test_record PRIVATE HDF5Serial::HDF5Serial)
endif()

# What takes minutes, apart.
if(TARGET test_scaling AND NOT DAL_SANITIZE)
    add_test(NAME test_scaling_long COMMAND test_scaling long WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/test")
    set_tests_properties(test_scaling_long PROPERTIES TIMEOUT 3000 LABELS long)
endif()
if(TARGET test_generate AND NOT DAL_SANITIZE)
    add_test(NAME test_generate_long COMMAND test_generate long WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/test")
    set_tests_properties(test_generate_long PROPERTIES TIMEOUT 3000 LABELS long)
endif()
if(TARGET test_small_motions AND NOT DAL_SANITIZE)
    add_test(NAME test_small_motions_long COMMAND test_small_motions long WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/test")
    set_tests_properties(test_small_motions_long PROPERTIES TIMEOUT 3000 LABELS long)
endif()
if(TARGET test_derive AND NOT DAL_SANITIZE)
    add_test(NAME test_derive_long COMMAND test_derive long WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/test")
    set_tests_properties(test_derive_long PROPERTIES TIMEOUT 3000 LABELS long)
    add_test(NAME test_derive_motion_long COMMAND test_derive_motion long WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/test")
    set_tests_properties(test_derive_motion_long PROPERTIES TIMEOUT 3000 LABELS long)
endif()
foreach(name test_evaluation test_derivatives test_derivatives_complex test_friction_slopes test_parameter_derivatives test_friction test_reduced test_study test_vary)
    if(TARGET ${name} AND NOT DAL_SANITIZE)
        add_test(NAME ${name}_long COMMAND ${name} long WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/test")
        set_tests_properties(${name}_long PROPERTIES TIMEOUT 3000 LABELS long)
    endif()
endforeach()
if(TARGET test_simulation)
    add_test(NAME test_simulation_long COMMAND test_simulation long WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/test")
    set_tests_properties(test_simulation_long PROPERTIES TIMEOUT 3000 LABELS long)
endif()

# ---- the reference page ---------------------------------------------------
# `reference doc/language.md` writes the sections that come from the tables of the code into the page.
add_executable(reference "${PROJECT_SOURCE_DIR}/tools/reference.c")
target_include_directories(reference PRIVATE include src)
target_link_libraries(reference PRIVATE dalembert)
add_test(NAME reference_is_up_to_date COMMAND reference --check "${PROJECT_SOURCE_DIR}/doc/language.md")

# ---- the studies --------------------------------------------------------------
# That the tools behind doc/studies/ run at all, on a few points: the rows hold to the tolerance, and the error is small. The case studies of
# doc/validation.md: of the last, states are those of the paper, and the errors of Lagrange and of the reduced equations are of its order.
if(NOT DAL_SANITIZE)
    add_test(NAME validation_case_studies_run COMMAND "${PROJECT_SOURCE_DIR}/tools/case-studies" $<TARGET_FILE:program> "${PROJECT_BINARY_DIR}/pictures")
    set_tests_properties(validation_case_studies_run PROPERTIES
        PASS_REGULAR_EXPRESSION "here [|] 15 [|] 15 [|] 15 [|] 12 [|].*steps of 0.1 s [|] [0-9.]+e-14 [|] [0-9.]+e-14 [|] [0-9.]+e-14 [|] [0-9.]+e-15 [|]")
    add_test(NAME study_baumgarte_runs COMMAND ${CMAKE_COMMAND} -E env QUICK=1 "${PROJECT_SOURCE_DIR}/tools/study-baumgarte" $<TARGET_FILE:program> -
        "${PROJECT_BINARY_DIR}/pictures")
    set_tests_properties(study_baumgarte_runs PROPERTIES PASS_REGULAR_EXPRESSION "direct-correction=1e-12` [|]  [|]  [|] [0-9.]+e-1[2-9] [|] [0-9.]+e-0[7-9] ")
    add_test(NAME work_precision_runs COMMAND ${CMAKE_COMMAND} -E env QUICK=1 "${PROJECT_SOURCE_DIR}/tools/work-precision" "${PROJECT_BINARY_DIR}" -
        "${PROJECT_BINARY_DIR}/pictures")
    set_tests_properties(work_precision_runs PROPERTIES PASS_REGULAR_EXPRESSION "[|] 1e-5 [|] [0-9.]+e-0[45], [0-9.]+ ms ")
endif()

# ---- the report page in a browser -------------------------------------------------
# The viewer alone on motions with closed forms, then the page of every model of the gallery: what it shows is what the file has. Then comparisons, equations, studies, and what a reader clicks in the scene.
find_program(CHROMIUM NAMES chromium chromium-browser google-chrome)
if(DAL_HAVE_PAGE AND CHROMIUM AND NOT DAL_SANITIZE)
    set(browser "CHROMIUM=${CHROMIUM}" "VIEWER_PAGE=${PROJECT_BINARY_DIR}/viewer/page.html")
    add_test(NAME viewer_in_a_browser COMMAND ${CMAKE_COMMAND} -E env ${browser} "${NODE}" "${PROJECT_SOURCE_DIR}/viewer/test/page.mjs")
    file(GLOB gallery CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/models/*.yaml" "${PROJECT_SOURCE_DIR}/models/machines/*.yaml")
    # Every sixth page each time, all of them in the long test.
    set(sample "")
    set(place 0)
    foreach(model ${gallery})
        if(place EQUAL 0)
            list(APPEND sample "${model}")
        endif()
        math(EXPR place "(${place} + 1) % 6")
    endforeach()
    add_test(NAME gallery_in_a_browser COMMAND ${CMAKE_COMMAND} -E env ${browser} "${NODE}" "${PROJECT_SOURCE_DIR}/viewer/test/gallery.mjs"
        --program $<TARGET_FILE:program> "${PROJECT_BINARY_DIR}/gallery" ${sample})
    add_test(NAME gallery_in_a_browser_long COMMAND ${CMAKE_COMMAND} -E env ${browser} "${NODE}" "${PROJECT_SOURCE_DIR}/viewer/test/gallery.mjs"
        --program $<TARGET_FILE:program> "${PROJECT_BINARY_DIR}/gallery-long" ${gallery})
    set_tests_properties(gallery_in_a_browser_long PROPERTIES TIMEOUT 1800 LABELS long)
    add_test(NAME comparison_in_a_browser COMMAND ${CMAKE_COMMAND} -E env ${browser} "${NODE}" "${PROJECT_SOURCE_DIR}/viewer/test/compare.mjs"
        $<TARGET_FILE:program> "${PROJECT_BINARY_DIR}/comparisons" "${PROJECT_SOURCE_DIR}/models")
    add_test(NAME equations_in_a_browser COMMAND ${CMAKE_COMMAND} -E env ${browser} "${NODE}" "${PROJECT_SOURCE_DIR}/viewer/test/equations.mjs"
        $<TARGET_FILE:program> "${PROJECT_BINARY_DIR}/equations" "${PROJECT_SOURCE_DIR}/models")
    add_test(NAME looks_in_a_browser COMMAND ${CMAKE_COMMAND} -E env ${browser} "${NODE}" "${PROJECT_SOURCE_DIR}/viewer/test/looks.mjs"
        $<TARGET_FILE:program> "${PROJECT_BINARY_DIR}/looks")
    add_test(NAME studies_in_a_browser COMMAND ${CMAKE_COMMAND} -E env ${browser} "${NODE}" "${PROJECT_SOURCE_DIR}/viewer/test/study.mjs"
        $<TARGET_FILE:program> "${PROJECT_BINARY_DIR}/studies")
    add_test(NAME sliders_in_a_browser COMMAND ${CMAKE_COMMAND} -E env ${browser} "${NODE}" "${PROJECT_SOURCE_DIR}/viewer/test/sliders.mjs"
        $<TARGET_FILE:program> "${PROJECT_BINARY_DIR}/sliders")
    add_test(NAME modes_in_a_browser COMMAND ${CMAKE_COMMAND} -E env ${browser} "${NODE}" "${PROJECT_SOURCE_DIR}/viewer/test/modes.mjs"
        $<TARGET_FILE:program> "${PROJECT_BINARY_DIR}/modes")
    # the longest ones begin first
    add_test(NAME wishes_in_a_browser COMMAND ${CMAKE_COMMAND} -E env ${browser} "${NODE}" "${PROJECT_SOURCE_DIR}/viewer/test/wishes.mjs"
        $<TARGET_FILE:program> "${PROJECT_BINARY_DIR}/wishes" "${PROJECT_SOURCE_DIR}/models")
    set_tests_properties(comparison_in_a_browser equations_in_a_browser gallery_in_a_browser looks_in_a_browser modes_in_a_browser sliders_in_a_browser studies_in_a_browser viewer_in_a_browser wishes_in_a_browser PROPERTIES TIMEOUT 900 COST 1000)
elseif(NOT DAL_SANITIZE)
    message(STATUS "the report page is not tested in a browser: it needs the page itself and chromium")
endif()

# ---- threads of a study under the thread sanitizer ----------------------------------
# The program is built once more for it, which takes minutes: `make check-long`.
if(NOT DAL_SANITIZE)
    add_test(NAME study_threads_long COMMAND ${CMAKE_COMMAND} "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DBUILD=${PROJECT_BINARY_DIR}/threads"
        "-DCOMPILER=${CMAKE_C_COMPILER}" "-DGENERATOR=${CMAKE_GENERATOR}" "-DLAUNCHER=${CMAKE_C_COMPILER_LAUNCHER}"
        -P "${PROJECT_SOURCE_DIR}/test/threads/check.cmake")
    set_tests_properties(study_threads_long PROPERTIES TIMEOUT 3000 LABELS long SKIP_REGULAR_EXPRESSION "the thread sanitizer is missing")
endif()

# ---- the installed library --------------------------------------------------
# An example, compiled against what `cmake --install` puts under a prefix: with the shared library and with the archive, in C and in C++.
set(sanitizers "")
if(DAL_SANITIZE)
    set(sanitizers -fsanitize=address,undefined)
endif()
find_program(CXX_COMPILER NAMES g++ clang++ c++)
mark_as_advanced(CXX_COMPILER)
set(cxx "")
if(CXX_COMPILER)
    set(cxx "${CXX_COMPILER}")
endif()
add_test(NAME installed_library COMMAND ${CMAKE_COMMAND} "-DBUILD=${PROJECT_BINARY_DIR}" "-DCOMPILER=${CMAKE_C_COMPILER}" "-DCXX=${cxx}"
    "-DPKG_CONFIG=${PKG_CONFIG_EXECUTABLE}" "-DLIBDIR=${CMAKE_INSTALL_LIBDIR}" "-DFLAGS=${sanitizers}" "-DVERSION=${PROJECT_VERSION}"
    "-DSOVERSION=${soversion}" "-DEXAMPLE=${PROJECT_SOURCE_DIR}/examples/07_tree" -P "${PROJECT_SOURCE_DIR}/test/installed/check.cmake")

# The shared library shows the functions that the headers mark with DAL_API. The sanitizers bring symbols of their own.
if(NOT DAL_SANITIZE)
    add_test(NAME exported_symbols COMMAND "${PROJECT_SOURCE_DIR}/tools/exported-symbols" "${CMAKE_NM}" $<TARGET_FILE:dalembert_shared> ${headers})
endif()

# Folders use symbols of those before them, and of none behind.
file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/objects.txt"
    CONTENT "$<JOIN:$<TARGET_OBJECTS:dalembert_objects>,\n>\n$<JOIN:$<TARGET_OBJECTS:dalembert_complex_objects>,\n>\n$<JOIN:$<TARGET_OBJECTS:cli_objects>,\n>\n$<JOIN:$<TARGET_OBJECTS:program>,\n>\n")
add_test(NAME folders_link_in_order COMMAND "${PROJECT_SOURCE_DIR}/tools/link-order" "${PROJECT_BINARY_DIR}/objects.txt" ${DAL_FOLDERS} cli)
# Derivations are a second implementation beside the kernels: they use no symbol of these.
add_test(NAME derivations_use_no_kernel COMMAND sh -c
    "grep -E '/src/(derive|kinematics|tree|dynamics|state)/' '${PROJECT_BINARY_DIR}/objects.txt' > '${PROJECT_BINARY_DIR}/derive-objects.txt' && '${PROJECT_SOURCE_DIR}/tools/link-order' '${PROJECT_BINARY_DIR}/derive-objects.txt' derive kinematics tree state dynamics")

# As clang-format leaves it.
if(NOT DAL_SANITIZE)
    add_test(NAME sources_are_formatted COMMAND "${PROJECT_SOURCE_DIR}/tools/format-check")
    set_tests_properties(sources_are_formatted PROPERTIES SKIP_RETURN_CODE 77)
endif()

# A name says which file of src/ is meant.
add_test(NAME names_of_files_are_unique COMMAND sh -c "! find . -name '*.[ch]' -printf '%f\\n' | LC_ALL=C sort | uniq -d | grep ." WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}/src")

# Fields of tables and reasons decide, not names and sentences.
add_test(NAME no_name_and_no_sentence_decides COMMAND "${PROJECT_SOURCE_DIR}/tools/no-names" "${PROJECT_SOURCE_DIR}/src")

# Texts that users read have no private words.
add_test(NAME texts_are_in_plain_words COMMAND "${PROJECT_SOURCE_DIR}/tools/plain-words" "${PROJECT_SOURCE_DIR}")

# Tests that pages name as their evidence exist.
add_test(NAME pages_name_tests_that_exist COMMAND "${PROJECT_SOURCE_DIR}/tools/named-tests" "${PROJECT_SOURCE_DIR}")

# The fields of a state and of a system are seen by few.
if(NOT DAL_SANITIZE)
    add_test(NAME fields_are_seen_by_sixty_files_at_most COMMAND "${PROJECT_SOURCE_DIR}/tools/who-sees" "${PROJECT_SOURCE_DIR}" "${CMAKE_C_COMPILER}" 60 25)
endif()

# ---- the way of one evaluation ----------------------------------------------------
if(NOT DAL_SANITIZE)
    add_subdirectory("${PROJECT_SOURCE_DIR}/tools" tools) # apart: the options of single source files end here
    add_test(NAME one_evaluation_changes_folders_nine_times_at_most
        COMMAND "${PROJECT_SOURCE_DIR}/tools/folder-changes" $<TARGET_FILE:folder_changes> "${PROJECT_SOURCE_DIR}/models/four-bar.yaml" 9)
endif()

# ---- the package for Python -----------------------------------------------------
if(DAL_HAVE_PYTHON)
    execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import numpy, pytest" RESULT_VARIABLE python_lacks ERROR_QUIET OUTPUT_QUIET)
    if(python_lacks)
        message(STATUS "the package for Python is not tested: it needs NumPy and pytest (Debian's packages python3-numpy and python3-pytest)")
    else()
        set(python_environment "PYTHONPATH=${PROJECT_BINARY_DIR}/python" "DALEMBERT_PROGRAM=$<TARGET_FILE:program>" "DALEMBERT_BUILD=${PROJECT_BINARY_DIR}"
            OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1)
        add_test(NAME python_package COMMAND ${CMAKE_COMMAND} -E env ${python_environment} "${Python3_EXECUTABLE}" -m pytest -q -p no:cacheprovider
            -m "not long" "${PROJECT_SOURCE_DIR}/test/python" WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
        add_test(NAME python_package_long COMMAND ${CMAKE_COMMAND} -E env ${python_environment} "${Python3_EXECUTABLE}" -m pytest -q -p no:cacheprovider
            -m long "${PROJECT_SOURCE_DIR}/test/python" WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
        set_tests_properties(python_package_long PROPERTIES TIMEOUT 3000 LABELS long)
        set_tests_properties(python_package PROPERTIES TIMEOUT 900)
    endif()
endif()
