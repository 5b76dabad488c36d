/* model.h - what one repaint is drawn from: everything a panel may want to know about the program
 * at one moment, copied out of the shared state, checked, with what is derived from two moments
 * (rates, change since the mark). The narrow waist between sources and panels: tests fill one by
 * hand.
 *
 * All counts that index something are already checked here: panels may use them as they are. */
#ifndef LMP_MODEL_H
#define LMP_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "read/ledger/ledger.h"
#include "read/mapcell.h"
#include "read/model/opened.h"
#include "read/stats.h"
#include "read/verdict/verdict.h"
#include "read/view.h"

/* Change over time or since a mark. Bytes and counts may be negative. */
typedef struct ModelDelta {
    int64_t bytes[LMP_KINDS], blocks[LMP_KINDS], allocs[LMP_KINDS]; /* by owner */
    int64_t made[LMP_KINDS];                                        /* bytes made */
    int64_t tag_bytes[LMP_KINDS], tag_made[LMP_KINDS];              /* by tag */
    int64_t total_bytes, total_blocks, total_allocs, total_made;
} ModelDelta;

#define MODEL_NO_MARK UINT64_MAX

/* The user's settings for marks, in one display: the one to count from, names, hidden ones. */
typedef struct ModelMarks {
    uint64_t count_from; /* number of a mark, from 1; 0: the last one; MODEL_NO_MARK: none */
    struct ModelMarkEdit {
        uint64_t number; /* 0: unused */
        bool gone;
        char name[40]; /* "": its own */
    } edit[LMP_MARKS]; /* by number % LMP_MARKS */
} ModelMarks;

#define MODEL_OUTSIDE_SECONDS 10u

#define MODEL_PAST 16u /* moments kept to derive rates from */

typedef struct ModelMoment {
    uint64_t clock;
    uint64_t mallocs, frees, alloc_bytes, free_bytes;
    uint64_t live[LMP_KINDS], blocks[LMP_KINDS], allocs[LMP_KINDS];
    uint64_t tag_live[LMP_KINDS], made[LMP_KINDS], tag_made[LMP_KINDS];
    uint64_t laps, lap_bytes;
} ModelMoment;

/* The other run that tables compare with, in place of counting from a mark. */
typedef struct ModelAgainst {
    const char *name; /* as a person wrote it, "old.lmprec@peak"; NULL: none is compared */
    uint64_t live, peak;
    uint32_t came, went; /* lines that hold something in one of the two only, and what they hold */
    uint64_t came_bytes, went_bytes;
    bool read;     /* the tables do compare: the four above are known */
    bool pathless; /* one of the two has no call paths, so what is by path does not */
    bool sampled;  /* one is */
} ModelAgainst;

/* What was made in some time and lives now (survivors.c). */
typedef struct ModelSince {
    bool on;           /* a person has asked: since a moment, or of a piece of the past */
    bool now;          /* since `from`, up to now */
    bool shown;        /* it is known: of_class, and with `lines` LmpTally.since */
    bool lines;        /* by line, too */
    uint64_t from, to; /* as far as births are known */
    LedgerLives of_class[LMP_C_COUNTED];
} ModelSince;

typedef struct Model {
    /* who */
    char program[64]; /* control bytes replaced, valid UTF-8 */
    char lua[32];     /* "Lua 5.4.4" */
    uint32_t pid, serial;
    bool owners_known;

    /* when and in what state */
    LmpSeen seen;
    uint32_t ended; /* how the process ended, by `lmp run`: 1 + its wait status; 0: not known */
    uint64_t clock; /* nanoseconds since start: elapsed time, origin of all clocks below */
    uint64_t start_realtime; /* when it began, nanoseconds since 1970; 0: not known */
    uint64_t tables_clock;   /* of a recording, where the tables may be of another moment than
                                `clock`: set by who fills the model; 0: they are of `clock` */

    /* figures */
    LmpStats stats;
    uint64_t failed_bytes, own_bytes, peak_clock;
    uint64_t rss;     /* resident set of the program, bytes; 0: not known */
    uint64_t outside; /* of it beyond the heap and the profiler's own: the least within
                         MODEL_OUTSIDE_SECONDS, each time all three at one moment */

    /* a second's worth of change, per second; zero when nothing runs */
    double allocs_per_s, frees_per_s;           /* counts */
    double alloc_bytes_per_s, free_bytes_per_s; /* growth by reallocation counts as allocated */
    ModelDelta per_s;
    double laps_per_s;  /* frames of the program's own that ended (laps.h) */
    uint64_t lap_bytes; /* that one of them made, on average; if none ended, as of all so far */

    /* garbage collector: ring as in LmpGc, last cycle in ring[(cycles - 1) % LMP_GC_RING] */
    LmpGc gc;

    /* since the mark that is counted from; `marked` false: there is none */
    ModelMarks wanted; /* set by the display */
    bool marked;
    uint32_t base; /* row in mark[] that is counted from */
    ModelDelta since_mark;
    uint64_t laps_since_mark; /* frames that ended (count) */
    /* Counting from a moment of a recording in place of a mark: set by who fills the model.
     * `marked` is true then, and `base` LMP_MARKS. */
    bool held;
    bool tables_held;               /* the ledger's tallies count from what ledger_hold has kept */
    ModelMoment held_from, held_to; /* held_to.clock 0: to now */
    ModelSince since;               /* set by who fills the model */
    ModelAgainst against;           /* set by who fills the model, with `held` */
    uint32_t marks;                 /* in mark[], oldest first */
    LmpMark mark[LMP_MARKS];
    uint32_t marks_kept; /* LmpLive.marked */
    uint64_t marks_all;  /* ever set */

    /* the heap over time; history.used <= LMP_HISTORY, interval > 0 */
    LmpHistory history;

    /* the operation under the pause; op.op LMP_OP_NONE: none to show. frames <= LMP_FRAMES, depth
     * >= frames, cut_at <= frames, locals <= LMP_LOCALS, upvalues <= LMP_UPVALUES, hit <=
     * LMP_BREAKS, all texts end */
    LmpOp op;
    LmpBreaksDone breaks; /* the state of the conditions; count <= LMP_BREAKS */
    bool breaks_ours;     /* they are those of this display */

    /* birth epochs: a block of epoch e was born about (e - 1) * epoch_length after start */
    uint32_t epoch;
    uint64_t epoch_length;

    /* what is in a value of it: the answer to the last request. rows <= LMP_INSIDE_ROWS, texts end
     */
    bool inside_ready;
    LmpInside inside;

    /* previews that the program gave; preview_count <= LMP_PREVIEWS, shown <= LMP_PREVIEW_BYTES */
    bool preview_ready; /* they answer the last request */
    uint32_t preview_count;
    LmpPreview preview[LMP_PREVIEWS];

    /* who made what: the parts that panels on screen need, see model_fill_ledger */
    Ledger ledger;
    unsigned ledger_parts;  /* LEDGER_* of the last refresh */
    uint64_t ledger_serial; /* one more with every refresh */
    bool ledger_marked;     /* its tallies count from the mark */

    LmpCallers callers; /* samples, where no call paths are kept */

    Verdicts verdicts; /* what it amounts to, as of the last model_fill_verdicts */

    OpenedSnapshot *heap; /* the snapshot that is open; NULL: none */

    const LmpView *view; /* for the heap map only; NULL in tests, and for moments of a recording */
    /* those have this, set by who fills the model: bytes of addresses of a cell, 0: no map */
    uint64_t map_cell;
    MapCell map[MAPCELL_RECORDED];

    /* private to model_fill and model_fill_ledger */
    uint64_t outside_second[MODEL_OUTSIDE_SECONDS]; /* least of each, by second + 1 */
    uint64_t outside_least[MODEL_OUTSIDE_SECONDS];
    uint32_t past_used;
    ModelMoment past[MODEL_PAST]; /* oldest first */
} Model;

typedef struct ModelInput {
    uint64_t now; /* CLOCK_MONOTONIC, nanoseconds */
    bool alive;   /* the process is there */
    uint64_t rss; /* bytes; 0: not known */
    uint64_t own; /* of which lmp's own: view_memory; bytes */
    /* Reads rss once more, for a heap that has grown above it in between; NULL: nobody can. */
    uint64_t (*rss_again)(void *program);
    void *program; /* its argument */
} ModelInput;

/* Fills the model from the view as of now. `model` is all zeroes before the first time; what
 * earlier calls left in it serves to derive the rates. */
void model_fill(Model *model, LmpView *view, const ModelInput *input);

/* Refreshes model->ledger, after model_fill: the parts asked for (LEDGER_*). The ledger is to be
 * freed by who frees the model (ledger_free). False: no memory, it is as it was. */
bool model_fill_ledger(Model *model, const LmpView *view, unsigned parts);

/* Makes model->verdicts again, from a ledger that has its sites (verdict.h says what that costs).
 * `tables`: those of the ledger; NULL: none. */
void model_fill_verdicts(Model *model, const LmpTables *tables);

/* Leaves nothing of what rates and the memory outside Lua are derived from: call before a moment is
 * filled in that does not follow the last one. */
void model_forget_past(Model *model);

/* Returns the figures of a moment as the model has them now, to count from (Model.held_from). */
ModelMoment model_moment(const Model *model);

/* Fills what needs no view, for tests and model_fill: figures of a live part, damaged perhaps. */
void model_fill_live(Model *model, const LmpLive *live, uint64_t clock);

/* Returns true if tables of lines can count from the mark in row i of mark[]. */
bool model_mark_kept(const Model *model, uint32_t i);

/* Returns the finished cycle `back` cycles ago (0: the last one), NULL when it is not kept. */
const LmpGcCycle *model_gc_cycle(const Model *model, uint64_t back);

/* ---- the past -------------------------------------------------------------------------------- */

/* What happened in an interval of the past: figures of the heap's history (LmpHistory) between two
 * moments, for the timeline. */
typedef struct ModelPast {
    uint64_t max_bytes, min_bytes;             /* the heap, largest and least */
    uint64_t kind_bytes[LMP_KINDS];            /* by owner, when it was about at its largest */
    uint64_t held_bytes, held_kind[LMP_KINDS]; /* after the last collection by its end; 0: none */
    uint64_t allocs, frees, alloc_bytes, free_bytes, cycles; /* what happened in it */
    uint64_t length; /* nanoseconds that the five above are over: whole samples; may be 0 */
} ModelPast;

/* Sums the samples that overlap [from, to), nanoseconds since start. A sample still being filled,
 * and time after it in which nothing was allocated, have what lives now. */
ModelPast model_past(const Model *model, uint64_t from, uint64_t to);

/* Counts collector cycles finished by a moment, as far as the samples tell. */
uint32_t model_cycles_by(const Model *model, uint64_t clock);

/* ---- survivors ------------------------------------------------------------------------------- */

/* Which of the blocks that live now were made since a moment, or between two, by line and call
 * path: read from the shadow map, whose entries say when a block was born. So what came and stayed
 * is told apart from what old blocks have left room for, which no difference of live bytes can; and
 * the program counts nothing for it.
 *
 * Births are known by epoch (LmpLive.epoch: a 128th of the run or less) and collector cycle. That
 * is exact enough for a piece of the past, whose ends are moved to those of epochs. For "since now"
 * the map is read at once: of the blocks that are born in the same epoch and cycle those count that
 * are not there yet. What is still taken for older then is a block made at the very address of one
 * that was freed meanwhile, in the same epoch and cycle; and the milliseconds of that reading
 * belong to neither side. A block that grows keeps its birth. */
typedef struct Survivors Survivors;

/* Returns a reader of what is made from now on. The view must stay open. NULL: no memory. */
Survivors *survivors_since_now(const LmpView *view, uint64_t clock);
/* Returns a reader of what was made between two moments (nanoseconds since start). */
Survivors *survivors_between(const LmpView *view, uint64_t from, uint64_t to);
void survivors_free(Survivors *survivors);

/* Goes on reading the map for about `budget` nanoseconds; after all of it has been read it rests
 * for ten times as long. `now`: any clock. */
void survivors_step(Survivors *survivors, uint64_t now, uint64_t budget);
/* Puts what the last complete reading has found into model->since and for the next refresh of
 * model->ledger, valid until the next step. NULL: nothing is to be shown. */
void survivors_fill(const Survivors *survivors, Model *model);

#endif
