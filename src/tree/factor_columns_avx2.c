/* The factor of M on many columns for machines with AVX2 and FMA; CMakeLists.txt compiles this file with these instruction sets. */
#include "tree/kernels.h"

#ifdef DAL_HAVE_AVX2
#define DAL_TARGET avx2
#include "tree/factor_columns.c"
#endif
