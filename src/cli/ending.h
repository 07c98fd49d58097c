/* The end of the program by a signal: Ctrl-C (SIGINT) or kill (SIGTERM).
 *
 * The library cannot be interrupted in the middle of a factorisation, and the program does not wait for it. A separate thread waits for the signal.
 * Commands that check dal_caught_signal() have 0.12 s to notice it, and then 0.2 s to print their results. If they do not, at once in all other
 * commands, and at once after a second signal, the thread removes useless files and ends the program. The rows of a run stay. The exit code is
 * always 128 plus the number of the signal.
 */
#ifndef DAL_CLI_ENDING_H
#define DAL_CLI_ENDING_H

#include <stdbool.h>
#include <sys/types.h>

/* To be called first: from then on a signal ends the program at once, and leaves no unfinished file. */
void dal_ending_begin(const char *command);

/* From now on the command itself checks for signals. */
void dal_catch_signals(void);
void dal_catch_signals_well(void); /* the same for a command that only a signal ends: its exit code is 0 */
int dal_caught_signal(void);       /* its number, 0 if none */

/* Announces a file that is written as NAME.part until it is complete; an incomplete part is useless and is removed. */
void dal_announce_output(const char *path);
/* Announces a file of results, in which every row is useful: its part stays unless it is empty. */
void dal_announce_rows(const char *path);
/* Announces a file that is removed when the program ends. */
void dal_announce_temporary(const char *path);
/* The run can be continued from saved data: the thread prints this if it ends the program. */
void dal_announce_checkpoint(void);
/* A process that writes one of these files; 0: it has ended. */
void dal_announce_child(pid_t child);

#endif
