# Run PROGRAM with ARGUMENTS and compare what it prints with the file EXPECTED.
separate_arguments(ARGUMENTS)
execute_process(COMMAND "${PROGRAM}" ${ARGUMENTS} OUTPUT_VARIABLE seen RESULT_VARIABLE code)
file(READ "${EXPECTED}" wanted)
if(NOT code EQUAL 0 OR NOT seen STREQUAL wanted)
    message(FATAL_ERROR "exit code ${code}; it printed\n${seen}and should print\n${wanted}")
endif()
