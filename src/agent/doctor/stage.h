/* stage.h - plays a program twice: once alone, with a witness that notes for every block who asked
 * for it; and once, identical to the last request, under the profiler.
 *
 * In the first run the profiler is started as well, so that the state holds the same, but its hook
 * is taken out again, and the interpreter is made to save its program counter (witness.h). In the
 * second run nothing is different from what a user's program meets. Both count what Lua asks for in
 * an allocator of doctor's own, below all. */
#ifndef LMP_DOCTOR_STAGE_H
#define LMP_DOCTOR_STAGE_H

#include "agent/doctor/arena.h"
#include "agent/doctor/owners.h"
#include "agent/doctor/witness.h"
#include "agent/state/profile.h"

typedef struct Program {
    const char *name, *text;
    size_t length;
} Program;

extern const Program corpus[]; /* the files of corpus/; ends with a row whose name is NULL */

typedef struct Mode {
    const char *name;
    bool stacks, generational;
    uint64_t sample; /* bytes, 0: every block */
    uint32_t refuse; /* refuse every Nth request for more memory, 0: none */
} Mode;

/* A request for a new block that was granted. */
typedef struct Made {
    size_t size;
    uint32_t site, path;    /* the witness's */
    uint32_t alloc_context; /* the profiler's, as in its map of the heap */
    int8_t owner;           /* LmpKind; -1: no object was seen to point to it */
    uint8_t type_tag, cls;  /* cls: LmpClass, the profiler's */
    bool read;              /* alloc context and cls are what the profiler said */
} Made;

typedef struct Totals {
    uint64_t mallocs, malloc_bytes, reallocs;
    int64_t realloc_bytes;
    uint64_t frees, free_bytes, failed, live_blocks, live_bytes, peak_bytes;
    uint64_t before_frees, before_reallocs;
} Totals;

typedef struct Outcome {
    int status;
    char message[200];
    uint64_t trail; /* hash over all requests, and what was printed */
    uint32_t made;
} Outcome;

typedef struct Stage {
    Arena arena;
    Owners owners;
    Witness witness;
    Made *made; /* by number, from 1; [0] is none */
    uint32_t room;
    const Program *program;
    const Mode *mode;
    lua_State *L;
    bool profiled; /* the second run */
    bool armed;    /* the program runs */
    bool failed;   /* no memory for our own bookkeeping */
    uint32_t unread;
    char *unread_at;
    uint64_t grown; /* requests for more memory (count) */
    Totals totals;
    Outcome alone, watched; /* of the first, of the second run */
    LmpProfile *profile;    /* while it is under way */
    lua_Alloc hook;         /* its allocator */
    void (*judge)(struct Stage *s, void *ud);
    void *judge_ud;
    const char *trouble; /* why a run could not be made; NULL: it could */
} Stage;

bool stage_open(Stage *s);
void stage_close(Stage *s);

/* Plays the first run; then the second, at whose end `judge` is called with the profile still
 * there. Returns false with s->trouble. */
bool stage_play(Stage *s, const Program *program, const Mode *mode, void (*judge)(Stage *, void *),
                void *ud);

/* Returns true if the two runs have been the same, to the last request. */
bool stage_runs_agree(const Stage *s);

/* Opens the table `host` of C functions for programs, and changes the libraries (hostlib.c). */
void hostlib_open(lua_State *L, Stage *s);

#endif
