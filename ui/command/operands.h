/* operands.h - what a person names on the command line: a recording and a moment of it, a heap
 * snapshot, a profiled state (PID or PID:SERIAL). Functions that return false have printed one line
 * on stderr which says what is wrong. */
#ifndef LMP_OPERANDS_H
#define LMP_OPERANDS_H

#include "command/command.h"
#include "read/snapshot/compare.h"
#include "read/view.h"
#include "recording/reader/moment.h"

/* ---- files that cannot be read --------------------------------------------------------------- */

/* What the file should have been. */
typedef enum Unreadable {
    UNREADABLE_RECORDING,
    UNREADABLE_SNAPSHOT,
    UNREADABLE_EITHER,
    UNREADABLES
} Unreadable;

/* Prints one line on stderr; `why` is the errno of the failure, 0: not known. Returns the exit
 * status, 1. */
int operand_unreadable(Unreadable what, const char *file, LmpErr err, int why);

/* ---- recordings ------------------------------------------------------------------------------ */

/* Opens a recording. A damaged recording opens, and a line says what the damage has cost. */
bool operand_recording(LmpRecording **recording, const char *file);
/* Says what damage has cost. May seek another frame, so call it before recording_seek. */
void operand_say_damage(LmpRecording *recording, const char *file);
/* Returns true if the file is a recording, by its first bytes, even if nothing behind them can be
 * read; false if it cannot be opened. Takes FILE@MOMENT, too. */
bool operand_is_recording(const char *name);

/* Finds the moment that was asked for. Says so if the nearest recorded one is far off. Lines begin
 * with "NAME: ", unless the name is "". */
bool operand_moment(LmpRecording *recording, const char *name, const char *text, LmpMoment *moment);

/* Opens "FILE@MOMENT" and finds the moment; without "@MOMENT", the end (`said` is "" then, unless
 * the end was not recorded). */
bool operand_recording_at(LmpRecording **recording, const char *name, LmpMoment *moment);

/* ---- heap snapshots -------------------------------------------------------------------------- */

bool operand_snapshot(LmpSnapshot *snapshot, const char *file);
/* Sorts the files by the time at which they were taken, as far as they can be read. */
void operand_sort_snapshots(const char **file, uint32_t files);
/* Sorts a series of files and opens it: `growth` from one to the next, `last` the last one. */
bool operand_steps(LmpSnapshotSteps *growth, LmpSnapshot *last, const char **file, uint32_t files);

/* ---- profiled states ------------------------------------------------------------------------- */

/* Returns false, and prints nothing, if the text names no state. *serial 0: no serial was named. */
bool operand_parse_state(const char *text, uint32_t *pid, uint32_t *serial);
/* Opens the state. */
bool operand_state(uint32_t pid, uint32_t serial, LmpView *view);

/* Reads the operands of a command that takes a state and perhaps a file (*file NULL: none). Returns
 * OPERANDS_READ, or the exit status if help was asked for or a line has said what is wrong. */
enum { OPERANDS_READ = -1 };
int operands_state_and_file(const Parse *parse, uint32_t *pid, uint32_t *serial, const char **file);

#endif
