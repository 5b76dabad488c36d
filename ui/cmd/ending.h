/* ending.h - how a run ended, in words. */
#ifndef LMP_ENDING_H
#define LMP_ENDING_H

#include "read/view.h"

/* "finished", "killed by signal 9 (SIGKILL)", "exited with status 1", "still running" ... `ended`:
 * 1 + its wait status; 0: it is not known, or it is not our child. At least 64 bytes. */
void ending_words(char *out, size_t size, const LmpView *view, uint32_t ended);

#endif
