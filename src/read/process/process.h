/* process.h - where a process's memory is: all of what it has in memory, in rows that sum to it
 * exactly; of which Lua's heap is one, and what is not told apart another. Made of the kernel's
 * list of mappings (mappings.h), the shadow map's blocks, and malloc's chunks between them
 * (chunks.h), all of it read from outside: the program does not stop for it.
 *
 * A look goes over the heap a part at a time, for as long as a repaint can wait; what is said is
 * the last whole look. */
#ifndef LMP_PROCESS_H
#define LMP_PROCESS_H

#include "read/process/chunks.h"

/* X(name, words, help): the rows, in the order shown. */
#define PROCESS_ROW_TABLE(X)                                                                       \
    X(LUA, "Lua's blocks", "live blocks, in bytes as Lua asked for them")                          \
    X(BEFORE, "Lua's, from before start", "what no other figure counts: lmp was not there yet")    \
    X(AROUND, "around Lua's blocks", "malloc's word for each block, and rounding")                 \
    X(FREE_PARTS, "free, between what lives",                                                      \
      "in pages with live blocks: malloc uses it again, but cannot give it back")                  \
    X(FREE_PAGES, "free, in whole pages", "malloc could give these back, and keeps them")          \
    X(MALLOC, "C code (malloc)", "what C code has asked malloc for, with what is around it")       \
    X(MAPPED, "C code (mapped)",                                                                   \
      "memory without a name that is not malloc's: mmap, other allocators, other threads' heaps")  \
    X(PROGRAM, "program, libraries", "files that are run in part, with their data")                \
    X(FILES, "mapped files", "files that the program has mapped")                                  \
    X(SHARED, "shared memory", "may be other processes', too")                                     \
    X(STACKS, "stacks", "C stacks: the main thread's, and those known by their guard pages")       \
    X(OWN, "lmp's own", "module, tables, shadow map: gone when the program runs without lmp")      \
    X(KERNEL, "the kernel's", "[vdso] and the like")                                               \
    X(UNTOLD, "not told apart", "in pages of Lua's heap: free, around blocks, or C code's")

typedef enum ProcessRow {
#define PROCESS_ROW_ENUM(name, words, help) PROCESS_##name,
    PROCESS_ROW_TABLE(PROCESS_ROW_ENUM)
#undef PROCESS_ROW_ENUM
        PROCESS_ROWS
} ProcessRow;

typedef struct ProcessRowInfo {
    const char *words, *help;
} ProcessRowInfo;
extern const ProcessRowInfo process_rows[PROCESS_ROWS];

/* What is known of the allocator below Lua. */
typedef enum ProcessMalloc {
    PROCESS_MALLOC_UNKNOWN, /* not glibc's malloc, or Lua's blocks are not as it makes them */
    PROCESS_MALLOC_UNREAD,  /* glibc's by all that can be seen, but its memory may not be read */
    PROCESS_MALLOC_READ,    /* glibc's: the chunks of Lua's blocks are as they must be */
} ProcessMalloc;

typedef struct ProcessFigures {
    uint64_t resident;          /* bytes; the sum of row[] */
    uint64_t row[PROCESS_ROWS]; /* bytes in memory */
    uint64_t absent;            /* of Lua's blocks: never touched, or swapped out; bytes */
    uint64_t live;              /* Lua's live bytes at the end of the look */
    bool partial; /* mappings are known, and how much Lua has; the heap is still being looked at */
    ProcessMalloc malloc;
    char other[64];              /* whose malloc it is, if it is a library's; "": not known */
    uint64_t pages[CHUNKS_FILL]; /* of the heap, by how full they are; see ChunkSums */
    /* As the program has answered last (LmpMemory); false: it never has. */
    bool asked;
    uint64_t count;  /* collectgarbage("count"), bytes */
    uint64_t before; /* of it from before start */
    int64_t beside;  /* counted by lmp, and not by Lua: from who asks the allocator itself; bytes */
    uint64_t began, ended; /* of the look, as lmp_os->clock() has it */
} ProcessFigures;

typedef struct Process Process;

/* Returns a reader of the view's process. The view stays the caller's and must stay open. NULL: no
 * memory. */
Process *process_new(const LmpView *view);
void process_free(Process *process);

/* Goes on looking for about `budget` nanoseconds, or begins again when the last look is a while
 * ago. Call view_refresh before. Returns whether a look is under way. */
bool process_step(Process *process, uint64_t now, uint64_t budget);
/* Returns true if it is to begin a look now. */
bool process_due(const Process *process, uint64_t now);
/* Begins a new look now, whatever the time. */
void process_again(Process *process);
/* Returns the last whole look, before its end a partial one. NULL: there is none yet. */
const ProcessFigures *process_figures(const Process *process);
/* Returns how far the look under way is, 0 to 1. */
double process_progress(const Process *process);
/* Call when the process's mappings cannot be read: it is gone, or not ours to see. */
bool process_hidden(const Process *process);

/* ---- in sentences ---------------------------------------------------------------------------- */

#define PROCESS_SENTENCES 6u
#define PROCESS_SENTENCE 320u

typedef struct ProcessWords {
    char line[PROCESS_SENTENCES][PROCESS_SENTENCE];
    uint32_t count;
} ProcessWords;

/* Writes "Lua's blocks are 70.0 MiB of 300.1 MiB in memory". */
char *process_headline(char out[PROCESS_SENTENCE], const ProcessFigures *f);
/* Writes what is to be said beside the rows: what could be given back, what Lua counts, what is not
 * known and why. */
void process_words(ProcessWords *words, const ProcessFigures *f);

#endif
