/* alike.h - groups live blocks by their contents: strings of equal content, tables with the same
 * keys. The program is asked for the contents, some blocks at a time, up to ALIKE_MOST; the other
 * blocks are summed up by type, so that all are in a group. The groups have a table, which takes
 * the place of the list of blocks. */
#ifndef LMP_ALIKE_H
#define LMP_ALIKE_H

#include "read/heapmap/heapmap.h"
#include "widget/panel.h"
#include "widget/tablepanel.h"

typedef enum AlikeBy { ALIKE_NOT, ALIKE_CONTENT, ALIKE_KEYS, ALIKE_WAYS } AlikeBy;

#define ALIKE_MOST 4096u /* blocks that are read */

typedef struct AlikeGroup {
    uint64_t id;
    LmpKind kind;
    bool part; /* parts of objects */
    bool read; /* the blocks are alike; else nobody knows what is in them */
    uint64_t blocks, bytes;
    LmpPreview preview; /* of one of the blocks */
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
/* Begins a look at these blocks, of which it keeps a copy; the results of the last look stay until
 * this one is complete. `keep` false: they go at once. */
void alike_begin(Alike *alike, AlikeBy by, const MapListBlock *block, uint32_t count, bool keep);
/* Call with a fresh model: takes an answer of the program; asks for more. */
void alike_take(Alike *alike, const Model *model);
void alike_ask(Alike *alike, const Model *model, Ui *ui);
/* Returns true if all blocks have been looked at. */
bool alike_done(const Alike *alike);
/* Returns the groups of the last complete look; during the first look, those found so far. */
const AlikeGroup *alike_groups(const Alike *alike, uint32_t *count);
AlikeSum alike_sum(const Alike *alike);
/* Returns the id of a block's group; 0: none. */
uint64_t alike_group_of(const Alike *alike, uint64_t addr);

typedef struct BlocksAlike {
    TablePanel panel;
    Alike *alike;
    uint64_t entered; /* id of the group that enter was pressed on; 0: none */
} BlocksAlike;

BlocksAlike *blocks_alike_new(void); /* NULL: no memory */
void blocks_alike_free(BlocksAlike *groups);
/* Writes "4,096 of 16,384 strings read · 312 contents". */
void blocks_alike_note(const BlocksAlike *groups, AlikeBy by, char *out, size_t size);
/* Writes a group in words; "": no group has that id. */
void blocks_alike_name(const BlocksAlike *groups, uint64_t id, bool ascii, char *out, size_t size);

#endif
