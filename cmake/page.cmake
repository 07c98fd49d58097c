# The viewer of the report page (viewer/): bundled by esbuild under node, embedded into the library as an array. Its packages come
# from the npm registry when the list of them (package-lock.json) is new. Where node, npm or the packages are missing, the library is
# made without the page, and says so when one is asked for.
#
# DAL_VIEWER_SOURCE: the C file that holds it.

set(viewer "${PROJECT_SOURCE_DIR}/viewer")
set(DAL_VIEWER_SOURCE "${PROJECT_BINARY_DIR}/viewer/viewer.c")
set(DAL_HAVE_PAGE FALSE)

function(install_viewer_packages result)
    file(LOCK "${viewer}/.lock" GUARD FUNCTION TIMEOUT 600 RESULT_VARIABLE locked) # several builds may share the folder
    set(installed "${viewer}/node_modules/.package-lock.json") # npm writes it last
    if(EXISTS "${installed}" AND NOT "${viewer}/package-lock.json" IS_NEWER_THAN "${installed}")
        set(${result} 0 PARENT_SCOPE)
        return()
    endif()
    message(STATUS "packages of the report page: npm ci")
    execute_process(COMMAND "${NPM}" ci --no-audit --no-fund --ignore-scripts --prefer-offline --fetch-retries=1 --fetch-timeout=60000 WORKING_DIRECTORY "${viewer}"
        RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE why TIMEOUT 600)
    if(NOT failed EQUAL 0)
        string(REGEX REPLACE "\n.*" "" why "${why}")
        message(STATUS "npm ci: ${why}")
    endif()
    set(${result} "${failed}" PARENT_SCOPE)
endfunction()

if(DAL_PAGE AND NOT DAL_FUZZ)
    find_program(NODE NAMES node nodejs)
    find_program(NPM npm)
    if(NODE AND NPM AND EXISTS "${viewer}/package-lock.json")
        install_viewer_packages(failed)
        if(failed EQUAL 0)
            set(DAL_HAVE_PAGE TRUE)
        endif()
    endif()
    if(NOT DAL_HAVE_PAGE)
        message(STATUS "the report page is left out: it needs node and npm (Debian: nodejs, npm) and, once, the npm registry")
    endif()
endif()

if(DAL_HAVE_PAGE)
    file(GLOB_RECURSE viewer_sources CONFIGURE_DEPENDS "${viewer}/src/*" "${viewer}/fonts/*.woff2")
    add_custom_command(OUTPUT "${DAL_VIEWER_SOURCE}"
        COMMAND "${NODE}" "${viewer}/build.mjs" "${PROJECT_BINARY_DIR}/viewer"
        COMMAND "${NODE}" "${viewer}/embed.mjs" "${PROJECT_BINARY_DIR}/viewer/page.html" "${PROJECT_BINARY_DIR}/viewer/equations.html"
            "${DAL_VIEWER_SOURCE}"
        DEPENDS ${viewer_sources} "${viewer}/build.mjs" "${viewer}/embed.mjs" "${viewer}/package-lock.json"
        COMMENT "The report page" VERBATIM)
else()
    file(CONFIGURE OUTPUT "${DAL_VIEWER_SOURCE}" @ONLY CONTENT [[
#include <stddef.h>
extern const unsigned char dal_viewer[];
extern const size_t dal_viewer_size;
const unsigned char dal_viewer[1] = {0};
const size_t dal_viewer_size = 0;
extern const unsigned char dal_equations_viewer[];
extern const size_t dal_equations_viewer_size;
const unsigned char dal_equations_viewer[1] = {0};
const size_t dal_equations_viewer_size = 0;
]])
endif()
