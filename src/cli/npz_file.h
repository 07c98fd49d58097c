/* Arrays for NumPy: a .npz file is a ZIP file of .npy files. */
#ifndef DAL_CLI_NPZ_FILE_H
#define DAL_CLI_NPZ_FILE_H

#include "dalembert/base.h"

/* Numbers, row-major, or texts (in one column). */
typedef struct dal_npz_array {
    const char *name;
    int rows, columns; /* columns -1: a vector */
    const double *values;
    const char *const *texts; /* instead of values */
} dal_npz_array;

/* DAL_OK, or a status after a message that begins with "dalembert COMMAND". */
dal_status dal_write_npz(const char *command, const char *path, int n, const dal_npz_array *arrays);

#endif
