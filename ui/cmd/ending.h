/* ending.h - how a run ended, in words. */
#ifndef LMP_ENDING_H
#define LMP_ENDING_H

#include "read/ledger/ledger.h"
#include "read/view.h"
#include "record/recording.h"

/* "finished", "killed by signal 9 (SIGKILL)", "exited with status 1", "still running" ... `ended`:
 * 1 + its wait status; 0: it is not known, or it is not our child. At least 64 bytes. */
void ending_words(char *out, size_t size, const LmpView *view, uint32_t ended);

/* The same of a frame that a recording is at: "as it was" where the run went on. */
LedgerWhen ending_of_frame(char *out, size_t size, LmpRecording *recording, uint32_t frame);

#endif
