# A small study on four threads, in a program that the thread sanitizer watches: it ends with an error where two threads use a value without order.
#   cmake -DSOURCE=.. -DBUILD=.. -DCOMPILER=cc -DGENERATOR=Ninja -DLAUNCHER= -P check.cmake

# Does it work here at all?
file(MAKE_DIRECTORY "${BUILD}")
file(WRITE "${BUILD}/probe.c" "#include <pthread.h>\nstatic void *f(void *x) { return x; }\nint main(void) { pthread_t t; return pthread_create(&t, 0, f, 0) || pthread_join(t, 0); }\n")
execute_process(COMMAND "${COMPILER}" -fsanitize=thread "${BUILD}/probe.c" -o "${BUILD}/probe" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
if(NOT failed)
    execute_process(COMMAND "${BUILD}/probe" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
endif()
if(failed)
    message("the thread sanitizer is missing")
    return()
endif()

execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BUILD}" -G "${GENERATOR}" "-DCMAKE_C_COMPILER=${COMPILER}" "-DCMAKE_C_COMPILER_LAUNCHER=${LAUNCHER}"
    -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O0 -g1" -DDAL_FAST_LINK=ON -DDAL_SANITIZE_THREADS=ON -DDAL_TESTS=OFF -DDAL_PYTHON=OFF -DDAL_MPI=OFF OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BUILD}" --target program --parallel 2 OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

set(ENV{TSAN_OPTIONS} "halt_on_error=1:exitcode=66")
file(WRITE "${BUILD}/model.yaml" "dalembert: 1
space: planar
parameters: {L: 0.4, k: 30}
gravity: [0, -9.81]
bodies: {rod: {mass: 1.2, inertia: 0.016, angle: -20*deg, points: {O: [-L/2, 0], E: [L/2, 0]}}}
ground: {points: {O: [0, 0], S: [0.6, 0.2]}}
joints: {A: {type: revolute, connect: [ground.O, rod.O]}}
forces: {s: {type: spring-damper, connect: [ground.S, rod.E], stiffness: k, damping: 2, length: 0.3}}
record: [A.angle]
simulate: {until: 0.3, every: 0.01}
")

# Runs, settings of several compiled models, runs that fail, channels, all types of files, and motions that are made again.
foreach(arguments "--vary;k=10:1000:20log;--vary;L=uniform(0.3,0.5);--random;5;--channels;A.angle;-o;a.csv;-o;a.h5;-o;a.html;--motions;8"
        "--vary;formulation=kane,lagrange,recursive,volterra-reduced;--vary;coordinates=joint,natural;--vary;k=10:50:5;-o;b.csv")
    execute_process(COMMAND "${BUILD}/dalembert" sweep model.yaml ${arguments} --jobs 4 -q WORKING_DIRECTORY "${BUILD}" RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(code)
        message(FATAL_ERROR "sweep ${arguments}: ${code}\n${said}")
    endif()
endforeach()

# And the sanitizer sees a race where there is one: otherwise nothing above says anything.
file(WRITE "${BUILD}/race.c" "#include <pthread.h>\nstatic int n;\nstatic void *f(void *x) { for (int i = 0; i < 100000; i++) n++; return x; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); return 0; }\n")
execute_process(COMMAND "${COMPILER}" -fsanitize=thread "${BUILD}/race.c" -o "${BUILD}/race" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${BUILD}/race" RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
if(NOT code EQUAL 66)
    message(FATAL_ERROR "a race is not noticed: ${code}")
endif()
message("two studies on four threads: no race; one that was made is noticed")
