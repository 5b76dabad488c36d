/* c_names.c - an array of names, found through a hash index of the functions' addresses. */
#include "agent/charge/c_names.h"

#include <stddef.h>

static uint32_t hash_of(const void *address) {
    return (uint32_t)rowindex_mix((uintptr_t)address, 2);
}

bool c_names_open(LmpCNames *names) {
    return rowindex_open(&names->index, 1024);
}

void c_names_close(LmpCNames *names) {
    rowindex_close(&names->index);
}

LmpCName *c_names_find(LmpCNames *names, const void *address) {
    uint32_t hash = hash_of(address), at = hash, i;
    while ((i = rowindex_next(&names->index, hash, &at)))
        if (names->name[i].address == address) return &names->name[i];
    return NULL;
}

uint32_t c_names_text(LmpCNames *names, const void *address) {
    const LmpCName *c = names ? c_names_find(names, address) : NULL;
    return c ? c->text : 0;
}

LmpCName *c_names_note(LmpCNames *names, const void *address) {
    LmpCName *c = c_names_find(names, address);
    if (c) return c;
    if (names->count + 1 >= LMP_C_NAMES_MOST || !rowindex_room(&names->index, 1)) return NULL;
    c = &names->name[++names->count];
    c->address = address;
    rowindex_add(&names->index, hash_of(address), names->count);
    return c;
}
