/* framewriter.h - frames of a state as parts of a file: what has changed, against the first frame
 * of the chunk. Takes them from a live state, or from another recording. */
#ifndef LMP_RECORDING_WRITER_FRAMEWRITER_H
#define LMP_RECORDING_WRITER_FRAMEWRITER_H

#include "read/view.h"
#include "recording/format/fields.h"
#include "recording/format/part.h"
#include "recording/writer/chunk.h"

typedef struct FrameWriter FrameWriter;

/* Errors: NOMEM. */
LmpErr framewriter_open(FrameWriter **out, RecSink sink);
void framewriter_close(FrameWriter *f);
/* Goes on in a file that was written anew: with its chunks, which are ours now, and its last
 * tables. `rows`: it has all rows that we have written. */
void framewriter_move(FrameWriter *f, Chunk *live, Chunk *tables, uint64_t last_tables, bool rows);

/* Writes the parts that come first: schema, header, how the program was started and where (NULL:
 * not known). */
LmpErr framewriter_begin(FrameWriter *f, const LmpView *view, const char *again,
                         const char *directory);

/* Keeps, from now on, source files that tables name, so many bytes of text at most, with those that
 * are there already; and framewriter_put_sources writes those that were read since it was called
 * last. A file that finds no room is left out. */
void framewriter_keep_sources(FrameWriter *f, size_t most);
void framewriter_put_sources(FrameWriter *f, uint64_t clock);
/* Writes one that is known from another recording. Errors: NOMEM, and the sink's. */
LmpErr framewriter_put_source(FrameWriter *f, uint64_t clock, const char *source, const char *text,
                              size_t n);

/* Looks at the state: all figures but those of the tables. `recorded`: it is the view of a
 * recording. What it has is good until the next call. */
void framewriter_take(FrameWriter *f, const LmpView *view, bool recorded);
const LmpLive *framewriter_live(const FrameWriter *f);
/* Sets LmpLive.resident_own of what was taken, unless the program has noted it itself. */
void framewriter_set_own(FrameWriter *f, uint64_t bytes);
RecExtra *framewriter_extra(FrameWriter *f);

/* Writes what was taken: `with_tables`, also the tables, which are read right now, with counters
 * and live_bytes of that moment. Clock, flags, live_bytes and rss of `frame` are given; the rest is
 * filled in. Errors: NOMEM, and the sink's. */
LmpErr framewriter_put(FrameWriter *f, const LmpView *view, RecPart *frame, bool with_tables);

/* Writes the part that says that all was written. `left_out`: frames whose tables found no room. */
LmpErr framewriter_end(FrameWriter *f, uint64_t clock, uint32_t ended, uint64_t left_out);

/* Packs bytes of no section as a part, and puts it. */
LmpErr framewriter_put_bytes(FrameWriter *f, RecPart *part, const RecBytes *plain);

#endif
