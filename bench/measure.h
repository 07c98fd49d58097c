/* How the programs of the benchmarks measure, compare and report: the same code for every engine. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* CPU time of this thread in seconds: what others do on the machine counts as little as it can. */
double bench_clock(void);

/* Microseconds of a call: the fastest of many batches of about a millisecond (or of one call, if it takes longer). */
double bench_fastest(void (*call)(void *data), void *data);

/* One line of the results: "engine model quantity value". */
void bench_report(const char *engine, const char *model, const char *quantity, double value);

/* Keep the values in `folder` under the engine's name, and compare them with what the other engines left there. False, with a line
 * on stderr, where the largest difference exceeds 1e-9 of the largest value. MuJoCo's accelerations of long chains
 * may differ by (n/100)^4 times as much: it factors M, whose condition grows so; the recursions do not. */
bool bench_agrees(const char *folder, const char *engine, const char *model, const char *quantity, int n, const double *values);

/* A vector for products with M. */
double bench_probe(int k);

/* Write the text to the file "folder/name"; its path, until the next call. Ends the program with a message if that cannot be. */
const char *bench_file(const char *folder, const char *name, const char *text);

#ifdef __cplusplus
}
#endif

#endif
