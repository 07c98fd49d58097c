/* The same elimination for machines with AVX2 and FMA; CMakeLists.txt compiles this file with these instruction sets. */
#include "tree/kernels.h"

#ifdef DAL_HAVE_AVX2
#define DAL_ELIMINATION dal_elimination_avx2
#include "tree/loops.c"
#endif
