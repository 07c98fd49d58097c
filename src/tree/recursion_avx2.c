/* The same recursions for machines with AVX2 and FMA; CMakeLists.txt compiles this file with these instruction sets. */
#include "tree/kernels.h"

#ifdef DAL_HAVE_AVX2
#define DAL_RECURSION dal_recursion_avx2
#define DAL_RECURSION_NAME "avx2"
#define DAL_RECURSION_LOOPS dal_elimination_avx2
#define DAL_RECURSION_SWEEP dal_sweeping_avx2
#include "tree/recursion.c"
#endif
