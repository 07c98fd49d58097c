/* ABA on many columns for machines with AVX-512; CMakeLists.txt compiles this file with these instruction sets. */
#include "tree/kernels.h"

#ifdef DAL_HAVE_AVX2
#define DAL_TARGET avx512
#define DAL_LANES 8
#include "tree/aba_columns.c"
#endif
