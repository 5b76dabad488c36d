/* blocks_alike.h - the table of groups of alike blocks, in place of the list of blocks. */
#ifndef LMP_BLOCKS_ALIKE_H
#define LMP_BLOCKS_ALIKE_H

#include "panels/alike.h"
#include "widget/tablepanel.h"

typedef struct BlocksAlike {
    TablePanel panel;
    Alike *alike;
    uint64_t entered; /* id of the group that enter was pressed on; 0: none */
} BlocksAlike;

BlocksAlike *blocks_alike_new(void); /* NULL: no memory */
void blocks_alike_free(BlocksAlike *groups);
/* Writes "4,096 of 16,384 strings read · 312 contents". */
void blocks_alike_note(const BlocksAlike *groups, AlikeBy by, const Ui *ui, char *out, size_t size);
/* Writes a group in words; "": no group has that id. */
void blocks_alike_name(const BlocksAlike *groups, uint64_t id, bool ascii, char *out, size_t size);

#endif
