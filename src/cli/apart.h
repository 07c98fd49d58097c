/* Work in a process of its own: HDF5's library crashes on some damaged files, and a file of results may come from anywhere. */
#ifndef DAL_CLI_APART_H
#define DAL_CLI_APART_H

/* `work(user)` where `result` is a file that HDF5 reads: in a child, whose exit code is returned; a crash becomes a sentence that names
 * the file, and DAL_BAD_FILE. Other files are read by code of our own, and `work` is called as it is. */
int dal_work_apart(const char *command, const char *result, int (*work)(void *user), void *user);

#endif
