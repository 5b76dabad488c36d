/* recording.h - reads a recording (recorder.h): gives the state of any of its frames as a LmpView,
 * on which all works that reads a live one.
 *
 * The file may be anything: whatever is in it is checked, memory and time are bounded by its
 * length and by what a state can hold. Not for several threads at once. */
#ifndef LMP_RECORDING_READER_RECORDING_H
#define LMP_RECORDING_READER_RECORDING_H

#include <stdio.h>

#include "read/mapcell.h"
#include "read/view.h"
#include "recording/format/texts.h"

typedef struct LmpRecording LmpRecording;

enum {
    LMP_FRAME_TABLES = 1, /* has tables; without: only the live part is of this moment, the tables
                             are of the last frame before that has them */
    LMP_FRAME_MARK = 2,   /* there is a mark that the frame before did not have */
    LMP_FRAME_PEAK = 4,   /* the heap was larger than ever before, since the frame before */
    LMP_FRAME_CYCLE = 8,  /* a collector cycle has ended since the frame before */
    LMP_FRAME_END = 16    /* the last one, after the program's end */
};

typedef struct LmpFrameInfo {
    uint64_t clock; /* ns since start */
    unsigned flags;
    uint64_t live_bytes;
    uint64_t rss; /* bytes; 0: not known */
} LmpFrameInfo;

/* Opens a recording, also one whose end is missing, as when a program was killed while it wrote.
 * Errors: FOREIGN (no recording), VERSION, DAMAGED (nothing in it can be read), NOMEM, FILE (it
 * cannot be opened: errno). */
LmpErr recording_open(LmpRecording **out, const char *file);
/* Opens one that is still being written, e.g. a memfd. `fd` stays the caller's and must stay open.
 * */
LmpErr recording_open_fd(LmpRecording **out, int fd);
/* Frames that came since (of recording_open_fd). When older ones have been thinned out meanwhile,
 * or the descriptor has become that of another file (recscan_reopen), frames have other numbers,
 * recording_generation is another, and none is sought. Errors: as above; DAMAGED, NOMEM: there are
 * no frames any more. */
LmpErr recording_refresh(LmpRecording *r);
uint32_t recording_generation(const LmpRecording *r);
void recording_close(LmpRecording *r);

/* Returns, of a complete one, how many frames have no tables of their own since these found no room
 * below its limit. */
uint64_t recording_left_out(const LmpRecording *r);
/* What damage to its file has cost, for after "is damaged: "; NULL: nothing. Reads all of it, once,
 * and the frame sought may be another then. */
#define LMP_REC_DAMAGE 512u /* bytes of the words, with the NUL */
const char *recording_damage(LmpRecording *r);
/* Returns how many rows of the tables (functions, sites, records, nodes) of the frame sought are
 * not known then: what they say of who made what reads "(others)" or "?"; figures and sums are
 * right. */
uint64_t recording_lost_rows(const LmpRecording *r);
/* Returns true if it was closed in order. Else it is still being written, or its writer was
 * killed. */
bool recording_complete(const LmpRecording *r);

uint32_t recording_frames(const LmpRecording *r);
LmpFrameInfo recording_frame(const LmpRecording *r, uint32_t i);
/* Returns the last frame at or before; 0 if there is none before. */
uint32_t recording_at(const LmpRecording *r, uint64_t clock);

/* Puts the state of frame i into the recording's own memory. On an error (DAMAGED: that frame;
 * NOMEM) the state before stays. */
LmpErr recording_seek(LmpRecording *r, uint32_t i);
/* Puts all of it there but the figures of call paths, which may be those of any frame: for a ledger
 * without LEDGER_TREE and LEDGER_FUNCTIONS. Of a million paths it takes half the time. */
LmpErr recording_seek_lines(LmpRecording *r, uint32_t i);
/* Returns the frame sought; UINT32_MAX: none yet. */
uint32_t recording_now(const LmpRecording *r);
/* Returns the clock of the frame whose tables are shown (at or before the one sought). */
uint64_t recording_tables_clock(const LmpRecording *r);

/* Returns a view (view_open_whole) of that memory: every reader of a live state works on it:
 * model_fill, ledger_refresh, report_fill. Its pid is 0, it has no leaves; requests have no effect.
 * Same pointer for all seeks. Before the first seek its figures are 0. */
LmpView *recording_view(LmpRecording *r);

/* Returns the same, for the last reader of all, who gives memory back as it goes (LmpTables.spent):
 * gives back what another seek would need. Afterwards there is none (DAMAGED). */
LmpView *recording_spend(LmpRecording *r);

/* How it was started: words that a shell takes for nothing else, below LMP_REC_AGAIN bytes with
 * the NUL; NULL: not known. */
#define LMP_REC_AGAIN 4096u
const char *recording_again(const LmpRecording *r);
/* Returns the program's directory when it began; NULL: not known. */
const char *recording_directory(const LmpRecording *r);
/* Returns the texts of source files that it has, NULL: none; good until the recording is read
 * again. */
const KeptTexts *recording_sources(const LmpRecording *r);
/* Returns the same, for a caller who frees them later: it has none then, until opened again. */
KeptTexts *recording_take_sources(LmpRecording *r);
uint32_t recording_ended(const LmpRecording *r); /* 1 + wait status; 0: not known */

/* The live bytes before and after the tables of the frame sought were read, and whether the tables
 * are of one moment (tablechecks.h). */
typedef struct LmpTablesRead {
    uint64_t clock[2];      /* ns since start */
    uint64_t live_bytes[2]; /* before, after */
    uint64_t moved;         /* bytes that came or went in between */
    bool consistent;        /* nothing has happened in between, and nothing was half done */
} LmpTablesRead;
LmpTablesRead recording_tables_read(const LmpRecording *r);

/* ---- output ---------------------------------------------------------------------------------- */

/* Output: pieces with their times. */
typedef struct LmpRecordedOutput {
    uint64_t clock;    /* ns since start */
    const char *bytes; /* good until recording_close or recording_refresh */
    size_t n;
} LmpRecordedOutput;
uint32_t recording_outputs(const LmpRecording *r);
LmpRecordedOutput recording_output(const LmpRecording *r, uint32_t i);

/* ---- the heap map ---------------------------------------------------------------------------- */

/* The heap map of the frame sought, at a fixed resolution. */
/* Returns how many bytes of addresses a cell stands for; 0: no map was recorded. */
uint64_t recording_map(const LmpRecording *r, MapCell cell[MAPCELL_RECORDED]);

/* ---- the file itself ------------------------------------------------------------------------- */

/* Writes it to `out` in readable form, part by part, as it lies there (dump.c): for whoever wants
 * to know what is in it, or reads it with a program of their own. `heads`: without what is in the
 * parts. Damaged parts are said. Errors: FOREIGN, VERSION, DAMAGED, NOMEM. */
LmpErr recording_dump(int fd, bool heads, FILE *out);

#endif
