/* oracle_memory.c - see oracle_memory.h. */
#include "oracle_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct OracleChunk {
    struct OracleChunk *next;
    size_t size;
} OracleChunk;

static char *chunk_new(Oracle *o, size_t size, char *at) {
    void *p =
        mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    OracleChunk *c = p;
    c->next = o->chunks;
    c->size = size;
    o->chunks = c;
    return (char *)(c + 1);
}

#define PACKED_CHUNK (1u << 20)

static void *packed_get(Oracle *o, size_t size) {
    size_t n = (size + 7) / 8;
    if (n >= 64) return malloc(size);
    if (o->bins[n]) {
        void *p = o->bins[n];
        memcpy(&o->bins[n], p, sizeof(void *));
        return p;
    }
    if (!o->bump || (size_t)(o->bump_end - o->bump) < n * 8) {
        o->bump = chunk_new(o, PACKED_CHUNK, NULL);
        if (!o->bump) return NULL;
        o->bump_end = o->bump - sizeof(OracleChunk) + PACKED_CHUNK;
        o->bump += 8; /* so that not even the first stands at a multiple of 16 */
    }
    char *p = o->bump;
    o->bump += n * 8;
    return p;
}

static void packed_put(Oracle *o, void *p, size_t size) {
    size_t n = (size + 7) / 8;
    if (n >= 64) {
        free(p);
        return;
    }
    memcpy(p, &o->bins[n], sizeof(void *));
    o->bins[n] = p;
}

/* Sparse: each small allocation has one chance in 16 to stand in a far mapping of its own. Those
 * are known by their page offset, which malloc never gives out. */
#define FAR_MAX 1000
#define FAR_OFFSET (sizeof(OracleChunk))

static void *spread_get(Oracle *o, size_t size) {
    static const uint64_t base = 0x200000000000ull;
    if (o->requests % 16 != 0 || size > 2048 || o->far >= FAR_MAX) return malloc(size);
    uint64_t h = (o->requests + 1) * 0x9e3779b97f4a7c15ull;
    char *at = (char *)(uintptr_t)(base + (h >> 20) % (1ull << 44) / 4096 * 4096);
    void *p = chunk_new(o, 4096, at);
    if (!p) return malloc(size);
    o->far++;
    return p;
}

static void spread_put(Oracle *o, void *p) {
    if ((uintptr_t)p % 4096 != FAR_OFFSET) {
        free(p);
        return;
    }
    OracleChunk *c = (OracleChunk *)p - 1, **link = &o->chunks;
    while (*link && *link != c)
        link = &(*link)->next;
    if (!*link) { /* malloc does give it out, after all */
        free(p);
        return;
    }
    *link = c->next;
    munmap(c, c->size);
    o->far--;
}

static void fill(char *p, size_t from, size_t to) {
    if (to - from > 1u << 20) to = from + (1u << 20); /* leave huge blocks untouched memory */
    memset(p + from, 0xA5, to - from);
}

void *oracle_memory_get(Oracle *o, size_t size) {
    char *p = o->back == OB_PACKED   ? packed_get(o, size)
              : o->back == OB_SPREAD ? spread_get(o, size)
                                     : malloc(size);
    if (p) fill(p, 0, size);
    return p;
}

void oracle_memory_put(Oracle *o, char *p, size_t size) {
    fill(p, 0, size);
    if (o->back == OB_PACKED) {
        packed_put(o, p, size);
    } else if (o->back == OB_SPREAD) {
        spread_put(o, p);
    } else {
        free(p);
    }
}

void *oracle_memory_resize(Oracle *o, char *p, size_t old, size_t size) {
    if (o->back == OB_MALLOC) {
        char *q = realloc(p, size);
        if (q && size > old) fill(q, old, size);
        return q;
    }
    char *q = oracle_memory_get(o, size);
    if (!q) return NULL;
    memcpy(q, p, old < size ? old : size);
    oracle_memory_put(o, p, old);
    return q;
}

void oracle_memory_end(Oracle *o) {
    while (o->chunks) {
        OracleChunk *c = o->chunks;
        o->chunks = c->next;
        munmap(c, c->size);
    }
}
