/* recordoutput.h - records what the program prints: reads the spool's memory file, which display
 * and relay fill anyway. Nobody waits for the recorder: output that is gone from the file is left
 * out. */
#ifndef LMP_RECORDOUTPUT_H
#define LMP_RECORDOUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "pty/relay_state.h"
#include "record/writer/recorder.h"

#define RECORDOUTPUT_MOST (16u << 20) /* bytes of one recording */

typedef struct RecordOutput {
    int fd;                     /* the spool, opened anew: a position of our own; -1: none */
    uint64_t at;                /* bytes of the output looked at so far */
    uint64_t kept;              /* of these, recorded */
    const LmpRelayState *relay; /* NULL: none */
} RecordOutput;

/* `memory`: a spool's memory file, which stays the caller's; -1: none. */
void recordoutput_open(RecordOutput *output, int memory);
void recordoutput_close(RecordOutput *output);
/* Records what has come since, a bounded piece at a time, as of `clock`. *more: there is more. */
LmpErr recordoutput_take(RecordOutput *output, LmpRecorder *recorder, uint64_t clock, bool *more);
/* Returns true if the relay has everything that the program has written, or if there is no
 * relay. */
bool recordoutput_whole(const RecordOutput *output);

#endif
