/* texttable.h - texts by number, each kept once: the string tables of file formats. */
#ifndef LMP_TEXTTABLE_H
#define LMP_TEXTTABLE_H

#include <stddef.h>

#include "base/rowindex.h"

typedef struct TextTable {
    char *bytes;
    size_t used;
    size_t *at; /* text i from 0: bytes[at[i]] to at[i + 1] - 1 */
    uint32_t room, texts, text_room;
    LmpRowIndex index;
    bool failed; /* no memory: texts are 0 since */
} TextTable;

/* Returns false if there is no memory. `first`: text 0; NULL: there is none yet. */
bool texttable_open(TextTable *t, const char *first);
void texttable_close(TextTable *t);
uint32_t texttable_bytes(TextTable *t, const char *bytes, size_t n);
uint32_t texttable_text(TextTable *t, const char *text);

#endif
