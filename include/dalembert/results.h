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

/* The type is the extension: .csv (as dal_writer_open writes it, or any table of numbers under a line of names), .h5, .hdf5; and the same with .part
 * after it: the rows of a run that was stopped, failed or was killed (run.h). After a killed run, a CSV part is read up to its last whole line, an
 * HDF5 part up to the last write. A file that is not complete is read with a warning.
 *
 * This call trusts the file. The HDF5 library, which reads .h5 files, is known to crash on some damaged files. A program that opens files of unknown
 * origin should do it in a separate process, as `dalembert` does. */
DAL_API dal_status dal_results_open(const dal_allocator *allocator, const char *path, dal_messages *messages, dal_results **results);
DAL_API void dal_results_close(dal_results *results);

/* Names and units; "": the file has no unit. The first column is the time. `n` may be NULL. */
DAL_API const dal_column *dal_results_columns(const dal_results *results, int *n);
/* The number of a column, -1: there is none of that name. */
DAL_API int dal_results_column(const dal_results *results, const char *name);
/* The hash of the model that the results were made from; "": the file has none. */
DAL_API const char *dal_results_hash(const dal_results *results);

/* Does the file say that its run did not reach its end? Known of HDF5 at once, of CSV after the last row. */
DAL_API bool dal_results_incomplete(const dal_results *results);

/* The next row; NULL after the last one. It is valid until the next call. The messages of dal_results_open must live as long as the results. */
DAL_API dal_status dal_results_next(dal_results *results, const double **row);

#ifdef __cplusplus
}
#endif

#endif
