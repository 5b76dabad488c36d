/* ending.h - how a run ended, in words. */
#ifndef LMP_ENDING_H
#define LMP_ENDING_H

#include "read/ledger/ledger.h"
#include "read/view.h"
#include "record/recording.h"

/* Writes "finished", "killed by signal 9 (SIGKILL)", "exited with status 1", "still running" ... to
 * `out`, at least 64 bytes. `ended`: 1 + the program's wait status; 0: not known, or not our
 * child. */
void ending_words(char *out, size_t size, const LmpView *view, uint32_t ended);

/* Writes the same for a frame that a recording is at: "as it was" if the run went on. */
LedgerWhen ending_of_frame(char *out, size_t size, LmpRecording *recording, uint32_t frame);

#endif
