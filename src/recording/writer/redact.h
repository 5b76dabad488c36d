/* redact.h - hides what a program has made up, before its recording is shown to others. All texts
 * of the program go: those that a row of the tables still names get stand-ins ("file3", "f12"), by
 * which who made what can be told apart; all others, such as names that were found to be better
 * ones later, are wiped. What stays is Lua's: "[C]", "main chunk", names of its own libraries. */
#ifndef LMP_RECORDING_WRITER_REDACT_H
#define LMP_RECORDING_WRITER_REDACT_H

#include "read/view.h"

typedef enum LmpRedact {
    LMP_REDACT_NOTHING,
    LMP_REDACT_CONTENTS, /* code in strings, tags, marks, frames; names of functions and files of
                            code stay: who made what is what a recording is for */
    LMP_REDACT_ALL       /* these names, too, and the program's own */
} LmpRedact;

/* Redacts the tables and the header of a recording's own memory, with the figures of its last frame
 * in it. Errors: NOMEM. */
LmpErr redact_names(LmpView *view, LmpRedact how);
/* Redacts the figures of the frame that is in the memory now. */
void redact_figures(LmpView *view);

#endif
