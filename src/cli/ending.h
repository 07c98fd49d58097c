/* How the program ends when it is asked to: Ctrl-C (SIGINT) or a polite kill (SIGTERM).
 *
 * The library cannot be interrupted in the middle of a factorisation, and the program does not wait for it. A thread of its own waits for
 * the signal. Commands that check dal_caught_signal() have 0.12 s to notice it, and then 0.2 s to say what they have; without that, at once
 * in all other commands, and at once with a second signal, the thread removes what is of no use and ends the program. Rows of a run stay. The exit code is
 * 128 and the number of the signal either way.
 */
#ifndef DAL_CLI_ENDING_H
#define DAL_CLI_ENDING_H

#include <stdbool.h>
#include <sys/types.h>

/* Before anything else: a signal ends the program at once, and leaves no unfinished file. */
void dal_ending_begin(const char *command);

/* From now on the command itself checks for signals. */
void dal_catch_signals(void);
void dal_catch_signals_well(void); /* the same for a command that only a signal ends: its exit code is 0 */
int dal_caught_signal(void);       /* its number, 0 if none */

/* A file that will be written as NAME.part until it is complete; half of it is of no use to anybody. */
void dal_announce_output(const char *path);
/* A file of results, of which every row is: its part stays unless it is empty. */
void dal_announce_rows(const char *path);
/* A file that is to be gone when the program ends. */
void dal_announce_temporary(const char *path);
/* What was saved of the run can be gone on with: said where the program ends without the command. */
void dal_announce_checkpoint(void);
/* A process that writes one of these files; 0: it has ended. */
void dal_announce_child(pid_t child);

#endif
