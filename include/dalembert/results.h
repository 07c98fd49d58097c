/* Files of results, read row by row: however large they are, only some rows are in memory.
 *
 *     dal_results_open(NULL, "result.h5", messages, &results);
 *     const dal_column *columns = dal_results_columns(results, &n);
 *     while ((status = dal_results_next(results, &row)) == DAL_OK && row)
 *         ... row[0] is the time ...
 *     dal_results_close(results);
 */
#ifndef DALEMBERT_RESULTS_H
#define DALEMBERT_RESULTS_H

#include "dalembert/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dal_results dal_results;

/* The type is the extension: .csv (as dal_writer_open writes it, or any table of numbers under a line of names), .h5, .hdf5; and the same
 * with .part behind it: what a run left that was stopped, failed or killed (run.h). Of a killed one, a CSV part is read up to its last
 * whole line, an HDF5 part up to what was written last. A file that is not complete is read with a warning.
 *
 * This call trusts the file. HDF5's own library, which reads .h5 files, is known to crash on some that are damaged: a program that opens files of
 * unknown origin does it in a process of its own, as the program does. */
DAL_API dal_status dal_results_open(const dal_allocator *allocator, const char *path, dal_messages *messages, dal_results **results);
DAL_API void dal_results_close(dal_results *results);

/* Names and units; "" where the file does not tell the unit. The first column is the time. `n` may be NULL. */
DAL_API const dal_column *dal_results_columns(const dal_results *results, int *n);
/* The number of a column, -1: there is none of that name. */
DAL_API int dal_results_column(const dal_results *results, const char *name);
/* The hash of the model that it was made from; "" where the file does not tell. */
DAL_API const char *dal_results_hash(const dal_results *results);

/* Does the file say that its run did not reach its end? Known of HDF5 at once, of CSV after the last row. */
DAL_API bool dal_results_incomplete(const dal_results *results);

/* The next row; NULL after the last one. It is valid until the next call. The messages that the file was opened with have to live as long. */
DAL_API dal_status dal_results_next(dal_results *results, const double **row);

#ifdef __cplusplus
}
#endif

#endif
