/* alike.h - live blocks put together by what is in them: strings of equal content, tables with the
 * same keys. The program is asked for the contents, some at a time, and of so many blocks at most;
 * the others are summed up by type, so that all are there. */
#ifndef LMP_ALIKE_H
#define LMP_ALIKE_H

#include "read/heap/heapmap.h"
#include "widget/panel.h"

typedef enum AlikeBy { ALIKE_NOT, ALIKE_CONTENT, ALIKE_KEYS, ALIKE_WAYS } AlikeBy;

#define ALIKE_MOST 4096u /* blocks that are read */

typedef struct AlikeGroup {
    uint64_t id;
    LmpKind kind;
    bool part; /* parts of objects */
    bool read; /* they are alike; else nobody knows what is in them */
    uint64_t blocks, bytes;
    LmpPreview preview; /* of one of them */
} AlikeGroup;

typedef struct AlikeSum {
    uint32_t blocks;   /* in all (count) ... */
    uint32_t wanted;   /* ... of which strings, or tables */
    uint32_t compared; /* ... and of these read so far */
    uint32_t looked;   /* read or given up: at most ALIKE_MOST */
    uint32_t groups;   /* of those that are alike */
} AlikeSum;

typedef struct Alike Alike;

Alike *alike_new(void); /* NULL: no memory */
void alike_free(Alike *alike);
/* Begins with these blocks, of which it keeps a copy; what it had found stays until it is through.
 * `keep` false: that goes at once. */
void alike_begin(Alike *alike, AlikeBy by, const HeapListBlock *block, uint32_t count, bool keep);
/* With a fresh model: takes an answer of the program; asks for more. */
void alike_take(Alike *alike, const Model *model);
void alike_ask(Alike *alike, const Model *model, Ui *ui);
/* Has all been looked at? */
bool alike_done(const Alike *alike);
/* What the last complete look has found; during the first, what there is so far. */
const AlikeGroup *alike_groups(const Alike *alike, uint32_t *count);
AlikeSum alike_sum(const Alike *alike);
/* One more whenever groups have changed. */
uint64_t alike_serial(const Alike *alike);
/* The id of the group that a block is in; 0: none. */
uint64_t alike_group_of(const Alike *alike, uint64_t addr);

#endif
