/* chunks.c - walks chunk by chunk from one Lua block to the next; a gap counts only if it ends
 * exactly at the next block. What each page holds is summed by use, then cut to the page. */
#include "read/process/chunks.h"

#include <string.h>

#include "base/os.h"

#define IN_USE 1u /* the chunk before */
#define MAPPED 2u
#define FLAGS 7u
#define LEAST 32u                 /* bytes of the smallest chunk */
#define MAPPED_LEAST (128u << 10) /* bytes of a request that may get a mapping of its own */
#define HEADER 16u                /* from a chunk's beginning to what it serves */
#define KEPT_MOST 1056u           /* of a chunk that is kept for the next request of its size */
#define KEPT_OLD_MOST 128         /* the same without the lists of single threads */
#define SCRAMBLED 32u             /* glibc 2.32: links between kept chunks are not plain any more */

uint64_t chunks_size(uint64_t bytes) {
    uint64_t size = (bytes + 8 + 15) & ~15ull;
    return size < LEAST ? LEAST : size;
}

void chunks_begin(Chunks *c, uint64_t start, uint64_t end) {
    c->start = start;
    c->end = end;
    c->system_page = lmp_os->page();
    c->next = start;
    c->synced = true; /* malloc's first arena begins with a chunk, and so do chunks on their own */
    c->told = 0;
    c->aheads = c->gaps = 0;
    memset(&c->sums, 0, sizeof c->sums);
}

/* ---- reading --------------------------------------------------------------------------------- */

static uint64_t stretch_of(const ChunkPart *part) {
    return part->from & ~(uint64_t)(CHUNKS_PART - 1);
}

/* The word at an address: from what was read of the part, else from the process. */
static bool word_at(const Chunks *c, uint64_t addr, uint64_t *out) {
    const ChunkPart *part = c->part;
    uint64_t at = addr - stretch_of(part);
    bool within = addr >= part->from && addr < part->to;
    if (!within) return addr < c->end && c->word(c->context, addr, out);
    if (!part->here[at / CHUNKS_PAGE]) return false;
    memcpy(out, part->memory + at, sizeof *out);
    return true;
}

/* ---- pages ----------------------------------------------------------------------------------- */

static void put(Chunks *c, ChunkUse use, uint64_t from, uint64_t to) {
    const ChunkPart *part = c->part;
    if (to > c->end) to = c->end;
    if (from < part->from) from = part->from;
    if (to > part->to) {
        uint64_t rest = from > part->to ? from : part->to;
        if (c->aheads < sizeof c->ahead / sizeof *c->ahead)
            c->ahead[c->aheads++] = (ChunkSpan){rest, to, use};
        to = part->to;
    }
    while (from < to) {
        uint64_t page_end = (from | (CHUNKS_PAGE - 1)) + 1,
                 n = (page_end < to ? page_end : to) - from;
        uint16_t *sum = &c->page[(from - stretch_of(part)) / CHUNKS_PAGE][use];
        *sum = (uint16_t)(*sum + n < CHUNKS_PAGE ? *sum + n : CHUNKS_PAGE);
        from += n;
    }
}

/* Returns how long a chunk is, by its size word; 0: no chunk has such a one. For a chunk that fills
 * a mapping of its own that word leaves out the header since glibc 2.43. */
static uint64_t chunk_bytes(uint64_t word) {
    uint64_t size = word & ~(uint64_t)FLAGS, unit = 16;
    if (word & MAPPED) {
        unit = CHUNKS_PAGE;
        if (size % CHUNKS_PAGE == CHUNKS_PAGE - HEADER) size += HEADER;
    }
    return size % unit == 0 ? size : 0;
}

/* Returns where a chunk begins to cover memory: the word before its own belongs to the chunk
 * before. */
static uint64_t cover_from(const Chunks *c, uint64_t chunk) {
    return chunk == c->start ? chunk : chunk + 8;
}

/* Bytes of one page of the system. */
typedef struct Filled {
    uint64_t all, untold, free, own; /* bytes */
} Filled;

static void add_page(ChunkSums *s, const Filled *f) {
    if (f->own || f->all == 0) return;
    if (f->free == f->all) s->free_whole += f->all;
    if (f->untold == 0) s->pages[(f->all - f->free) * 10 / f->all]++;
}

/* Adds up the part's pages. Of a page whose parts are more than the page (what was read is of
 * several moments) the last sorts are cut. */
static void add_up(Chunks *c, const ChunkPart *part) {
    ChunkSums *s = &c->sums;
    Filled filled = {0};
    for (uint64_t at = part->from; at < part->to; at += CHUNKS_PAGE) {
        uint32_t page = (uint32_t)((at - stretch_of(part)) / CHUNKS_PAGE), left = CHUNKS_PAGE;
        const uint16_t *use = c->page[page];
        if (!part->here[page]) {
            s->absent += use[CHUNK_LUA];
            continue;
        }
        uint32_t n[CHUNK_USES];
        for (int u = 0; u < CHUNK_USES; u++) {
            n[u] = use[u] < left ? use[u] : left;
            s->use[u] += n[u];
            left -= n[u];
        }
        s->untold += left;
        filled.all += CHUNKS_PAGE;
        filled.untold += left;
        filled.free += n[CHUNK_FREE];
        filled.own += n[CHUNK_OWN];
        if ((at + CHUNKS_PAGE) % c->system_page != 0) continue;
        add_page(s, &filled);
        filled = (Filled){0};
    }
    add_page(s, &filled);
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* Tells whether a chunk that malloc takes for one in use is on a list of those that it keeps: 1:
 * yes, 0: no, -1: unknown. */
static int is_kept(const Chunks *c, uint64_t chunk, uint64_t size) {
    uint64_t link, at = chunk + HEADER, other;
    if (size > (c->glibc < SCRAMBLED ? KEPT_OLD_MOST : KEPT_MOST)) return 0;
    if (!word_at(c, at, &link)) return -1;
    if (c->glibc < SCRAMBLED) /* a plain pointer, or none: so are many words of other code */
        return link == 0 || (link % 16 == 0 && link >= c->start && link < c->end) ? -1 : 0;
    link ^= at >> 12;
    if (link == 0) return 1;
    if (link % 16 != 0 || link < c->start || link >= c->end) return 0;
    /* to the next chunk of the list, or to what that one served: both are of one size */
    const ChunkPart *part = c->part;
    if (link < part->from + HEADER || link + HEADER > part->to) return 1;
    return (word_at(c, link + 8, &other) && (other & ~(uint64_t)FLAGS) == size) ||
           (word_at(c, link - 8, &other) && (other & ~(uint64_t)FLAGS) == size);
}

typedef enum Step { STEP_ON, STEP_AHEAD, STEP_GROWN, STEP_LOST } Step;

/* Takes one chunk of the gap that ends at `limit`, where the next Lua block's begins, or the
 * mapping ends. STEP_AHEAD: the chunk is for the next part. STEP_GROWN: it ends behind the mapping,
 * which has grown since it was listed. */
static Step step(Chunks *c, uint64_t limit) {
    uint64_t word, after;
    if (c->next + 8 >= c->part->to) return STEP_AHEAD;
    if (!word_at(c, c->next + 8, &word)) return STEP_LOST;
    uint64_t size = chunk_bytes(word), chunk = c->next;
    if (size == 0) return STEP_LOST;
    if (size > limit - chunk) return limit == c->end ? STEP_GROWN : STEP_LOST;
    bool last = chunk + size == c->end;
    ChunkUse use = CHUNK_CODE;
    if (word & MAPPED) {
        if (chunk % CHUNKS_PAGE != 0) return STEP_LOST;
    } else if (last) {
        use = CHUNK_FREE; /* what malloc has left of what it got from the system */
    } else {
        if (!word_at(c, chunk + size + 8, &after)) return STEP_LOST;
        int kept = after & IN_USE ? is_kept(c, chunk, size) : 1;
        if (kept > 0) use = CHUNK_FREE;
        if (kept < 0) use = CHUNK_USES;
    }
    c->gap[c->gaps++] = (ChunkSpan){cover_from(c, chunk), chunk + size + (last ? 0 : 8), use};
    c->next = chunk + size;
    return STEP_ON;
}

static void keep_gap(Chunks *c) {
    for (uint32_t i = 0; i < c->gaps; i++)
        if (c->gap[i].use != CHUNK_USES) put(c, c->gap[i].use, c->gap[i].from, c->gap[i].to);
    c->gaps = 0;
}

/* Walks the gap up to `limit`, or to the end of the part. */
static void walk_gap(Chunks *c, uint64_t limit) {
    Step s = STEP_ON;
    while (c->synced && c->next < limit && (s = step(c, limit)) == STEP_ON)
        ;
    if (s == STEP_LOST) c->gaps = 0;
    if (s == STEP_LOST || s == STEP_GROWN) c->synced = false;
    keep_gap(c);
}

/* Returns how long a chunk with that size word is if it may serve a request of so many bytes, else
 * 0. A remainder too small for a chunk stays with it. */
static uint64_t serving(const Chunks *c, uint64_t word, uint64_t bytes) {
    uint64_t size = chunk_bytes(word), least = chunks_size(bytes), most = least + 16;
    if (word & MAPPED) {
        least = bytes + HEADER;
        most = least + 2 * c->system_page - 1;
    }
    return size >= least && size <= most ? size : 0;
}

static void take_block(Chunks *c, const MapListBlock *b) {
    uint64_t chunk = b->addr - HEADER, word, size = chunks_size(b->size);
    bool fits = b->addr % 16 == 0 && chunk >= c->start;
    if (b->addr >= c->part->to) { /* the next part's, but for where its chunk begins */
        if (fits && c->part->memory) walk_gap(c, chunk);
        if (fits) put(c, CHUNK_AROUND, cover_from(c, chunk), c->part->to);
        return;
    }
    if (c->part->memory) {
        if (fits) walk_gap(c, chunk);
        fits = fits && word_at(c, b->addr - 8, &word) && (size = serving(c, word, b->size)) > 0;
    } else { /* as far as can be seen from outside */
        fits = fits && cover_from(c, chunk) >= c->told;
        if (b->size >= MAPPED_LEAST && chunk % CHUNKS_PAGE == 0) size = os_whole_pages(size + 8);
    }
    put(c, CHUNK_LUA, b->addr, b->addr + b->size);
    c->synced = fits && c->part->memory;
    if (!fits) {
        c->sums.misfits++;
        return;
    }
    c->sums.fits++;
    c->next = chunk + size;
    c->told = c->next + 8;
    put(c, CHUNK_AROUND, cover_from(c, chunk), b->addr);
    put(c, CHUNK_AROUND, b->addr + b->size, c->next == c->end ? c->end : c->next + 8);
}

void chunks_part(Chunks *c, const ChunkPart *part, const ChunkSpan *own, uint32_t owns) {
    ChunkSpan ahead[sizeof c->ahead / sizeof *c->ahead];
    uint32_t aheads = c->aheads;
    memcpy(ahead, c->ahead, sizeof ahead);
    memset(c->page, 0, sizeof c->page);
    c->part = part;
    c->aheads = 0;
    for (uint32_t i = 0; i < aheads; i++)
        put(c, ahead[i].use, ahead[i].from, ahead[i].to);
    for (uint32_t i = 0; i < part->blocks; i++)
        take_block(c, &part->block[i]);
    bool ends = part->blocks > 0 && part->block[part->blocks - 1].addr >= part->to;
    if (!part->memory)
        c->synced = false;
    else if (!ends) /* else the chunk that comes next is Lua's */
        walk_gap(c, c->end);
    uint32_t kept = c->aheads;
    for (uint32_t i = 0; i < owns; i++)
        put(c, CHUNK_OWN, own[i].from, own[i].to);
    if (c->aheads > kept) c->aheads = kept; /* the next part is told of them, too */
    add_up(c, part);
}

uint64_t chunks_mapped(const Chunks *c) {
    uint64_t at = c->start, before, word;
    while (at < c->end) {
        if (!c->word(c->context, at, &before) || !c->word(c->context, at + 8, &word)) break;
        uint64_t size = chunk_bytes(word);
        if (before != 0 || (word & FLAGS) != MAPPED || size == 0 || size > c->end - at) break;
        at += size;
    }
    return at - c->start;
}
