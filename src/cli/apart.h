/* Work in a separate process: the HDF5 library crashes on some damaged files, and a file of results may come from anywhere. */
#ifndef DAL_CLI_APART_H
#define DAL_CLI_APART_H

/* If `result` is an HDF5 file, `work(user)` runs in a child process, whose exit code is returned; after a crash there is a message that names the
 * file, and DAL_BAD_FILE is returned. Other files are read by our own code, and `work` is called directly. */
int dal_work_apart(const char *command, const char *result, int (*work)(void *user), void *user);

#endif
