/* texttable.c - all texts in one growing buffer, an array of where each begins, and a hash index of
 * them. */
#include "report/texttable.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static uint32_t hash_of(const char *bytes, size_t n) {
    uint64_t h = n;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3ull;
    return (uint32_t)(h ^ h >> 32);
}

static bool room_for(TextTable *t, size_t n) {
    return array_room(&t->bytes, &t->room, t->used + n) &&
           array_room(&t->at, &t->text_room, t->texts + 2) && rowindex_room(&t->index, 1);
}

/* The index has rows from 1: text i is row i + 1. */
uint32_t texttable_bytes(TextTable *t, const char *bytes, size_t n) {
    uint32_t hash = hash_of(bytes, n), at = hash, row;
    while ((row = rowindex_next(&t->index, hash, &at)))
        if (t->at[row] - t->at[row - 1] == n &&
            (n == 0 || memcmp(t->bytes + t->at[row - 1], bytes, n) == 0))
            return row - 1;
    if (t->failed || !room_for(t, n)) {
        t->failed = true;
        return 0;
    }
    row = t->texts++;
    t->at[row] = t->used;
    if (n > 0) memcpy(t->bytes + t->used, bytes, n);
    t->used += n;
    t->at[row + 1] = t->used;
    rowindex_add(&t->index, hash, row + 1);
    return row;
}

uint32_t texttable_text(TextTable *t, const char *text) {
    return texttable_bytes(t, text, strlen(text));
}

bool texttable_open(TextTable *t, const char *first) {
    *t = (TextTable){0};
    if (!rowindex_open(&t->index, 256)) return false;
    if (first) texttable_text(t, first);
    return !t->failed;
}

void texttable_close(TextTable *t) {
    if (t->index.slot) rowindex_close(&t->index);
    free(t->bytes);
    free(t->at);
    *t = (TextTable){0};
}
