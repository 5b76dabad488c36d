/* keys.c - an insertion into a sorted array of the first few keys; later ones push the last out. */
#include "agent/heap/keys.h"

#include <string.h>

static int compare(const char *a, uint64_t a_size, const char *b, uint64_t b_size) {
    int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order ? order : (a_size > b_size) - (a_size < b_size);
}

void heapkeys_add(LmpHeapKeys *keys, const char *bytes, uint64_t size) {
    uint32_t i = keys->count;
    if (i < LMP_HEAP_KEYS) {
        keys->count++;
    } else {
        i = LMP_HEAP_KEYS - 1;
        if (compare(keys->bytes[i], keys->size[i], bytes, size) <= 0) return;
    }
    for (; i > 0 && compare(keys->bytes[i - 1], keys->size[i - 1], bytes, size) > 0; i--) {
        keys->bytes[i] = keys->bytes[i - 1];
        keys->size[i] = keys->size[i - 1];
    }
    keys->bytes[i] = bytes;
    keys->size[i] = size;
}

uint32_t heapkeys_join(const LmpHeapKeys *keys, char *out, uint32_t room, uint32_t *size) {
    *size = 0;
    for (uint32_t i = 0; i < keys->count; i++) {
        uint32_t before = i ? 2 : 0;
        if (*size + before + keys->size[i] > room) return i;
        memcpy(out + *size, ", ", before);
        memcpy(out + *size + before, keys->bytes[i], keys->size[i]);
        *size += before + (uint32_t)keys->size[i];
    }
    return keys->count;
}
