/* process.c - a look: whole mappings are added up at once; those with Lua's blocks are walked part
 * by part (chunks.h), and what the walk finds is cut or filled up to what the kernel says the
 * mapping has in memory, so that the rows always sum to it. */
#include "read/process/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/order.h"
#include "base/os.h"
#include "read/heapmap/mapscan.h"
#include "read/pages.h"
#include "read/process/mappings.h"

#define PART_BLOCKS (CHUNKS_PART / 16) /* that can begin in a part */
#define REST 24u                       /* a look takes one part in this many of the time */
#define LEAST_REST 1000000000ull       /* nanoseconds */
#define LARGEST (1ull << 36)           /* of a mapping that is looked at part by part */
#define COUNTED (1ull << 30)           /* of one whose pages are counted again */
#define MISFITS 4u /* of so many one may be freed meanwhile: glibc 2.43 merges chunks at once */

const ProcessRowInfo process_rows[PROCESS_ROWS] = {
#define PROCESS_ROW_INFO(name, words, help) [PROCESS_##name] = {words, help},
    PROCESS_ROW_TABLE(PROCESS_ROW_INFO)
#undef PROCESS_ROW_INFO
};

struct Process {
    const LmpView *view;
    MapList *list;
    MapListBlock *block; /* of a part */
    uint8_t *memory;     /* of a part */
    Chunks chunks;
    Mappings maps;
    LmpMemory told;
    ChunkSpan own[LMP_OWN_RANGES]; /* by address, not overlapping */
    uint32_t owns;

    bool looking, hidden, any; /* `any`: there is something in `last` */
    bool readable;             /* its memory */
    bool paged;                /* it is said which pages are there */
    uint32_t mapping;          /* that the look has come to */
    uint64_t at;               /* in it; 0: not begun */
    uint64_t gone, all;        /* bytes of addresses looked at, and to look at */
    uint64_t spent;            /* by the look, nanoseconds */
    uint64_t due;              /* when the next one is */
    uint64_t fits, misfits;
    ProcessFigures now, last;
};

Process *process_new(const LmpView *view) {
    Process *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->view = view;
    p->list = maplist_new(view);
    p->block = malloc(PART_BLOCKS * sizeof *p->block);
    p->memory = malloc(CHUNKS_PART);
    if (p->list && p->block && p->memory) return p;
    process_free(p);
    return NULL;
}

void process_free(Process *p) {
    if (!p) return;
    mappings_free(&p->maps);
    maplist_free(p->list);
    free(p->block);
    free(p->memory);
    free(p);
}

/* ---- reading the process --------------------------------------------------------------------- */

_Static_assert(CHUNKS_PAGE == PAGES_PIECE && CHUNKS_PAGES <= PAGES_MOST, "a part in one look");

static bool look_at_pages(const Process *p, uint64_t from, uint32_t pages, bool *here) {
    return pages_here(p->view->pid, from, pages, here);
}

static uint64_t resident_within(const Process *p, uint64_t from, uint64_t to) {
    return pages_within(p->view->pid, from, to);
}

/* Reads a single word, if its page is in memory: reading another page would put it there. */
static bool read_word(void *process, uint64_t addr, uint64_t *out) {
    const Process *p = process;
    bool here;
    return p->readable && addr % 8 == 0 &&
           look_at_pages(p, addr & ~(uint64_t)(CHUNKS_PAGE - 1), 1, &here) && here &&
           lmp_os->peek_process(p->view->pid, addr, out, sizeof *out) == sizeof *out;
}

/* Reads the pages of a part that are there, in as few pieces as they lie in. */
static bool read_part(const Process *p, ChunkPart *part, const bool *here) {
    uint64_t stretch = part->from & ~(uint64_t)(CHUNKS_PART - 1);
    uint32_t first = (uint32_t)((part->from - stretch) / CHUNKS_PAGE);
    uint32_t end = (uint32_t)((part->to - stretch) / CHUNKS_PAGE);
    for (uint32_t i = first; i < end; i++) {
        uint32_t run = i;
        while (run < end && here[run])
            run++;
        if (run == i) continue;
        size_t n = (size_t)(run - i) * CHUNKS_PAGE;
        uint64_t at = stretch + (uint64_t)i * CHUNKS_PAGE;
        if (lmp_os->peek_process(p->view->pid, at, p->memory + (at - stretch), n) != n)
            return false;
        i = run;
    }
    return true;
}

/* ---- lmp's own ------------------------------------------------------------------------------- */

ORDER_SMALLEST(by_address, ChunkSpan, from, to)

static void take_own(Process *p) {
    p->owns = 0;
    for (uint32_t i = 0; i < p->told.ranges; i++) {
        const LmpOwnRange *r = &p->told.range[i];
        uint64_t size = os_whole_pages(r->size);
        if (r->at % CHUNKS_PAGE == 0 && r->at < MAP_ADDRESS_END && size < MAP_ADDRESS_END - r->at)
            p->own[p->owns++] = (ChunkSpan){r->at, r->at + size, CHUNK_OWN};
    }
    qsort(p->own, p->owns, sizeof *p->own, by_address);
    uint64_t end = 0;
    for (uint32_t i = 0; i < p->owns; i++) { /* a copy of two moments could overlap */
        if (p->own[i].from < end) p->own[i].from = end;
        if (p->own[i].to < p->own[i].from) p->own[i].to = p->own[i].from;
        end = p->own[i].to;
    }
}

/* Lmp's own spans that reach into [from, to): the first, and how many. */
static const ChunkSpan *own_within(const Process *p, uint64_t from, uint64_t to, uint32_t *count) {
    uint32_t first = 0;
    while (first < p->owns && p->own[first].to <= from)
        first++;
    *count = 0;
    while (first + *count < p->owns && p->own[first + *count].from < to)
        ++*count;
    return p->own + first;
}

/* Returns bytes of lmp's own in memory in a mapping that is not looked at part by part. */
static uint64_t own_of(const Process *p, const Mapping *m) {
    uint32_t count;
    const ChunkSpan *own = own_within(p, m->start, m->end, &count);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += resident_within(p, own[i].from > m->start ? own[i].from : m->start,
                                 own[i].to < m->end ? own[i].to : m->end);
    return bytes < m->resident ? bytes : m->resident;
}

/* Returns bytes of a mapping that have gone since it was listed, a moment ago: nobody can say any
 * more what they were. A block of Lua's that has moved since, perhaps. */
static uint64_t gone_of(const Process *p, const Mapping *m) {
    if (!p->paged || m->end - m->start > COUNTED) return 0;
    uint64_t there = resident_within(p, m->start, m->end);
    return there < m->resident ? m->resident - there : 0;
}

/* ---- mappings -------------------------------------------------------------------------------- */

/* Returns true if blocks of Lua's are in the mapping, or near it. */
static bool has_lua(const Process *p, const Mapping *m) {
    const LmpView *view = p->view;
    for (uint32_t i = 0; i < view->leaves; i++) {
        uint64_t base = LMP_LEAF_BASE(view->leaf_base[i]) << LMP_LEAF_BITS;
        if (base >= m->end || base + (1ull << LMP_LEAF_BITS) <= m->start) continue;
        for (uint32_t part = 0; part < LMP_TOUCHES; part++) {
            uint64_t at = base + part * MAP_PART;
            if (at < m->end && at + MAP_PART > m->start && mapscan_touch(view->leaf[i], part))
                return true;
        }
    }
    return false;
}

/* Returns true if the mapping is looked at part by part. */
static bool is_walked(const Process *p, const Mapping *m) {
    bool heap = m->sort == MAPPING_HEAP || m->sort == MAPPING_STACK;
    return heap && m->resident > 0 && m->end - m->start <= LARGEST && (m->brk || has_lua(p, m));
}

/* Returns true if Lua's blocks are in the mapping, and it is too large to look at all of it. */
static bool is_vast(const Process *p, const Mapping *m) {
    return m->sort == MAPPING_HEAP && m->end - m->start > LARGEST && has_lua(p, m);
}

/* Adds a mapping as a whole. */
static void add_mapping(Process *p, const Mapping *m) {
    static const ProcessRow row[MAPPING_SORTS] = {
        [MAPPING_HEAP] = PROCESS_MAPPED,     [MAPPING_STACK] = PROCESS_STACKS,
        [MAPPING_PROGRAM] = PROCESS_PROGRAM, [MAPPING_FILE] = PROCESS_FILES,
        [MAPPING_SHARED] = PROCESS_SHARED,   [MAPPING_OWN] = PROCESS_OWN,
        [MAPPING_KERNEL] = PROCESS_KERNEL};
    uint64_t left = m->resident;
    if (is_vast(p, m)) {
        p->now.row[PROCESS_UNTOLD] += left;
        return;
    }
    if (m->sort == MAPPING_HEAP && left > 0) {
        uint64_t gone = gone_of(p, m);
        p->now.row[PROCESS_UNTOLD] += gone;
        left -= gone;
        uint64_t own = own_of(p, m), large = 0;
        own = own < left ? own : left;
        left -= own;
        p->now.row[PROCESS_OWN] += own;
        if (p->maps.glibc && p->readable && left > 0) {
            chunks_begin(&p->chunks, m->start, m->end);
            uint64_t size = chunks_mapped(&p->chunks);
            large =
                size == m->end - m->start ? left : resident_within(p, m->start, m->start + size);
        }
        large = large < left ? large : left;
        left -= large;
        p->now.row[PROCESS_MALLOC] += large;
    }
    p->now.row[row[m->sort]] += left;
}

/* Ends a walk: makes the rows of this mapping sum to what it has in memory. What the walk has found
 * more of is of a later moment; the sorts that are known least are cut first. */
static void add_walk(Process *p, const Mapping *m) {
    static const ChunkUse order[] = {CHUNK_FREE, CHUNK_CODE, CHUNK_AROUND, CHUNK_OWN, CHUNK_LUA};
    static const ProcessRow row[] = {[CHUNK_LUA] = PROCESS_LUA,
                                     [CHUNK_AROUND] = PROCESS_AROUND,
                                     [CHUNK_FREE] = PROCESS_FREE_PARTS,
                                     [CHUNK_CODE] = PROCESS_MALLOC,
                                     [CHUNK_OWN] = PROCESS_OWN};
    ChunkSums *s = &p->chunks.sums;
    ProcessFigures *f = &p->now;
    uint64_t sum = s->untold;
    if (!m->brk && s->fits + s->misfits == 0 && s->use[CHUNK_LUA] == 0) { /* it is beside Lua's */
        add_mapping(p, m);
        return;
    }
    for (int u = 0; u < CHUNK_USES; u++)
        sum += s->use[u];
    uint64_t over = sum > m->resident ? sum - m->resident : 0;
    uint64_t cut = over < s->untold ? over : s->untold;
    s->untold -= cut;
    over -= cut;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        cut = over < s->use[order[i]] ? over : s->use[order[i]];
        s->use[order[i]] -= cut;
        over -= cut;
    }
    if (sum < m->resident) s->untold += m->resident - sum;
    if (s->free_whole > s->use[CHUNK_FREE]) s->free_whole = s->use[CHUNK_FREE];
    for (int u = 0; u < CHUNK_USES; u++)
        f->row[row[u]] += s->use[u];
    f->row[PROCESS_FREE_PARTS] -= s->free_whole;
    f->row[PROCESS_FREE_PAGES] += s->free_whole;
    f->row[PROCESS_UNTOLD] += s->untold;
    f->absent += s->absent;
    p->fits += s->fits;
    p->misfits += s->misfits;
    for (uint32_t i = 0; i < CHUNKS_FILL; i++)
        f->pages[i] += s->pages[i];
}

/* ---- a look ---------------------------------------------------------------------------------- */

/* Reads a part's blocks, its pages, its memory; then sums up their uses. */
static void walk_part(Process *p, const Mapping *m) {
    uint64_t stretch = p->at & ~(uint64_t)(CHUNKS_PART - 1), end = stretch + CHUNKS_PART;
    bool here[CHUNKS_PAGES] = {0};
    uint32_t owns, first = (uint32_t)((p->at - stretch) / CHUNKS_PAGE);
    ChunkPart part = {.from = p->at, .to = end < m->end ? end : m->end, .here = here};
    const ChunkSpan *own = own_within(p, part.from, part.to, &owns);
    uint32_t pages = (uint32_t)((part.to - part.from) / CHUNKS_PAGE);
    bool known = look_at_pages(p, part.from, pages, here + first);
    if (!known) memset(here + first, true, pages); /* as far as the mapping has so much */
    /* what begins right behind the part has the beginning of its chunk in it */
    MapListQuery query = {part.from, part.to + 1, (1u << LMP_KINDS) - 1, 0, 0};
    MapListResult found = maplist_read(p->list, &query, p->block, PART_BLOCKS);
    uint32_t skip = 0;
    while (skip < found.count && p->block[skip].addr < part.from)
        skip++; /* they reach into it */
    part.block = p->block + skip;
    part.blocks = found.count - skip;
    bool told = known && p->readable && p->chunks.glibc > 0 && read_part(p, &part, here);
    if (told) part.memory = p->memory;
    chunks_part(&p->chunks, &part, own, owns);
    p->gone += part.to - part.from;
    p->at = part.to;
}

/* Everything that rests on the allocator's being glibc's malloc is not told apart elsewhere. */
static void settle_malloc(Process *p) {
    ProcessFigures *f = &p->now;
    bool fits = p->chunks.glibc > 0 && p->fits > 0 && p->misfits <= p->fits / MISFITS;
    f->malloc = !fits         ? PROCESS_MALLOC_UNKNOWN
                : p->readable ? PROCESS_MALLOC_READ
                              : PROCESS_MALLOC_UNREAD;
    snprintf(f->other, sizeof f->other, "%s", p->maps.malloc);
    if (fits) return;
    static const ProcessRow rests[] = {PROCESS_AROUND, PROCESS_FREE_PARTS, PROCESS_FREE_PAGES,
                                       PROCESS_MALLOC};
    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
        f->row[PROCESS_UNTOLD] += f->row[rests[i]];
        f->row[rests[i]] = 0;
    }
    memset(f->pages, 0, sizeof f->pages);
}

/* Sets what Lua counts beside what lmp does. Blocks from before start are some of those that could
 * be C code's. */
static void settle_told(Process *p) {
    ProcessFigures *f = &p->now;
    LmpMemory told;
    f->live = *(const volatile uint64_t *)&p->view->live->counters.live_bytes;
    bool whole = view_copy_told(p->view, &told);
    /* Where the last answer is old, the program has done nothing since that changes it. */
    if (!whole || told.done == 0 || told.count == 0) return;
    f->asked = true;
    f->count = told.count;
    f->before = told.before;
    f->beside = (int64_t)(told.before + told.live + told.own - told.count);
    ProcessRow from = f->malloc == PROCESS_MALLOC_READ ? PROCESS_MALLOC : PROCESS_UNTOLD;
    uint64_t lua = told.before < f->row[from] ? told.before : f->row[from];
    f->row[from] -= lua;
    f->row[PROCESS_BEFORE] = lua;
}

/* Shows what is known at once, of a process that is looked at for the first time. Lua's blocks are
 * taken to be in memory until each was looked at. */
static void begin_with_rows(Process *p) {
    ProcessFigures *f = &p->now, fresh = *f;
    for (uint32_t i = 0; i < p->maps.count; i++)
        if (p->maps.row[i].walked) f->row[PROCESS_UNTOLD] += p->maps.row[i].resident;
    f->partial = true;
    settle_told(p);
    uint64_t lua = f->live < f->row[PROCESS_UNTOLD] ? f->live : f->row[PROCESS_UNTOLD];
    f->row[PROCESS_UNTOLD] -= lua;
    f->row[PROCESS_LUA] = lua;
    f->ended = f->began;
    p->last = *f;
    p->any = true;
    *f = fresh;
}

/* What lies in single mappings is added up at once; Lua's heap takes longer. */
static void begin(Process *p, uint64_t now) {
    p->looking = false;
    p->hidden = p->view->pid == 0 || !mappings_read(&p->maps, p->view->pid);
    p->due = now + LEAST_REST;
    if (p->hidden) return;
    view_copy_told(p->view, &p->told);
    take_own(p);
    p->now = (ProcessFigures){.began = now, .resident = p->maps.resident};
    p->fits = p->misfits = p->spent = p->gone = p->all = 0;
    p->chunks.glibc = p->maps.malloc[0] ? 0 : p->maps.glibc;
    p->chunks.word = read_word;
    p->chunks.context = p;
    p->readable = p->paged = false;
    for (uint32_t i = 0; i < p->maps.count && !(p->readable && p->paged); i++) {
        const Mapping *m = &p->maps.row[i];
        uint64_t word;
        bool here;
        if (m->sort != MAPPING_STACK || m->resident == 0)
            continue; /* where something is for sure */
        p->readable = lmp_os->peek_process(p->view->pid, m->end - 8, &word, 8) == 8;
        p->paged = look_at_pages(p, m->end - CHUNKS_PAGE, 1, &here);
    }
    for (uint32_t i = 0; i < p->maps.count; i++) {
        Mapping *m = &p->maps.row[i];
        m->walked = is_walked(p, m);
        if (m->walked)
            p->all += m->end - m->start;
        else
            add_mapping(p, m);
    }
    p->mapping = 0;
    p->at = 0;
    p->looking = true;
    if (!p->any) begin_with_rows(p);
}

static void finish(Process *p, uint64_t now) {
    settle_malloc(p);
    settle_told(p);
    p->now.ended = now;
    p->last = p->now;
    p->looking = false;
    uint64_t rest = p->spent * REST;
    p->due = now + (rest > LEAST_REST ? rest : LEAST_REST);
}

static void step(Process *p) {
    const Mapping *m = &p->maps.row[p->mapping];
    if (!m->walked) {
        p->mapping++;
        return;
    }
    if (p->at == 0) {
        chunks_begin(&p->chunks, m->start, m->end);
        p->at = m->start;
    }
    walk_part(p, m);
    if (p->at < m->end) return;
    add_walk(p, m);
    p->mapping++;
    p->at = 0;
}

bool process_step(Process *p, uint64_t now, uint64_t budget) {
    uint64_t start = lmp_os->clock();
    if (process_due(p, now)) begin(p, now);
    if (!p->looking) return false;
    uint64_t spent = 0;
    while (p->mapping < p->maps.count && spent <= budget) {
        step(p);
        spent = lmp_os->clock() - start;
    }
    p->spent += spent;
    if (p->mapping == p->maps.count) finish(p, now + spent);
    return p->looking;
}

bool process_due(const Process *p, uint64_t now) {
    return !p->looking && now >= p->due;
}

void process_again(Process *p) {
    p->looking = false;
    p->due = 0;
}

const ProcessFigures *process_figures(const Process *p) {
    return p->any ? &p->last : NULL;
}

double process_progress(const Process *p) {
    return p->all > 0 ? (double)p->gone / (double)p->all : 0;
}

bool process_hidden(const Process *p) {
    return p->hidden;
}
