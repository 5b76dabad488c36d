/* inspect.c - decides when a look is due, compares the contents of neighbouring strings by a
 * checksum, and reads the operands of OP_CONCAT from the stack. */
#include "agent/charge/inspect.h"

#include "agent/charge/sites.h"
#include "agent/interp/frames.h"
#include "agent/interp/newtable.h"
#include "agent/map/shadow.h"
#include "base/os.h"
#include "base/rowindex.h"

enum {
    EVERY = 16,  /* ticks from one look to the next; at first, at each power of two */
    ALLOCS = 48, /* of a look: enough to show each line of a loop a few times */
    MOST = 512,  /* operations: a sweep has thousands of frees, which tell nothing */
    OPERANDS = 16,
    COMPARED = 256 << 10, /* bytes of contents that are compared in one look: some 30 us */
};

void inspect_open(LmpProfile *p) {
    p->look = lmp_os->map(sizeof *p->look, -1, 0, true);
}

void inspect_close(LmpProfile *p) {
    if (p->look) lmp_os->unmap(p->look, sizeof *p->look);
    p->look = NULL;
}

bool inspect_on(const LmpProfile *p) {
    return p->look && p->look->left > 0;
}

bool inspect_due(LmpProfile *p) {
    if (!p->look || !p->exact || !p->framed) return false;
    LmpInspection *look = p->look;
    uint32_t n = ++look->ticks;
    bool early = n <= EVERY && (n & (n - 1)) == 0;
    if (look->left > 0 || (!early && n % EVERY != 0)) return false;
    look->allocs = ALLOCS;
    look->left = MOST;
    look->block = 0;
    look->bytes = COMPARED;
    return true;
}

/* ---- the same again? ------------------------------------------------------------------------- */

/* Covers all of the contents: strings that differ in the middle are not the same. */
static uint64_t sum_of(const char *text, uint64_t size) {
    uint64_t sum = size, w;
    for (uint64_t i = 0; i + sizeof w <= size; i += sizeof w) {
        memcpy(&w, text + i, sizeof w);
        sum = rowindex_mix(sum, w);
    }
    memcpy(&w, text + size - sizeof w, sizeof w);
    sum = rowindex_mix(sum, w);
    return sum ? sum : 1;
}

/* The string of the operation before is complete, and nothing has happened since. */
void inspect_before(LmpProfile *p) {
    LmpInspection *look = p->look;
    const char *block = (const char *)look->block; /* NOLINT */
    look->block = 0;
    if (!block || block[LMP_AT_TYPE] != LMP_TT_LONG_STRING) return;
    uint64_t *last = &look->sum[look->site % (sizeof look->sum / sizeof *look->sum)];
    uint64_t size = frames_word(block, LMP_AT_STRING_LONG);
    if (size > look->bytes) { /* too large for this look; the sum is dropped, as only neighbours
                               * are compared */
        *last = 0;
        return;
    }
    look->bytes -= size;
    uint64_t now = sum_of((const char *)luafacts_long_bytes((uintptr_t)block), size); /* NOLINT */
    now ^= (uint64_t)look->site << 40; /* two sites in one place are never the same */
    LmpSite *site = &p->tables.site[look->site];
    if (*last) {
        site->texts++;
        site->same += *last == now;
    }
    *last = now;
}

/* ---- what was it made of? -------------------------------------------------------------------- */

static uint32_t site_of(LmpProfile *p, uintptr_t block) {
    uint64_t size;
    uint32_t entry, site = shadow_site(p, block, &entry, &size);
    return (entry & 15) == LMP_C_STRING ? site : 0;
}

/* The string is being made by an OP_CONCAT of the function that runs: its operands are on the
 * stack, up to its top. */
static void note_join(LmpProfile *p, LmpSite *site, uint64_t bytes) {
    const lua_State *L = p->running;
    const LmpCallInfo *ci = frames_top(L);
    if (frames_status(ci) & frames_bits.c_or_hooked) return;
    const char *func = frames_func(ci);
    const void *proto = frames_proto(func);
    uintptr_t pc = frames_pc(ci);
    if (!proto || !frames_after_instruction(proto, pc)) return;
    uint32_t i = newtable_before(pc), largest_site = 0;
    const char *slot = func + (luafacts_arg_a(i) + 1ull) * LMP_SLOT;
    const char *top = (const char *)frames_word(L, LMP_AT_L_TOP); /* NOLINT */
    if (luafacts_opcode(i) != LMP_OP_CONCAT || top <= slot) return;
    if (top - slot > OPERANDS * LMP_SLOT) slot = top - OPERANDS * LMP_SLOT;
    site->joins++;
    for (; slot < top; slot += LMP_SLOT) {
        uint64_t size;
        uintptr_t block = frames_word(slot, 0);
        if (frames_tag(slot) != LMP_TAG_LONG_STRING) continue;
        if ((shadow_lookup(p, block, &size) & 15) != LMP_C_STRING) continue;
        uint64_t length = frames_word((const void *)block, LMP_AT_STRING_LONG); /* NOLINT */
        if (length * 2 >= bytes) largest_site = site_of(p, block);
    }
    if (!largest_site) return;
    site->fed++;
    site->fed_by = largest_site;
    site->fed_bytes = bytes;
}

bool inspect_after(LmpProfile *p, const void *r, size_t size) {
    LmpInspection *look = p->look;
    bool given = size == LMP_SIZE_STRING_GIVEN; /* or a short string */
    bool may_be_long = given || size > LMP_STRING_LONG_HEAD + LMP_STRING_SHORT_MOST + 1;
    uint32_t row = r && may_be_long ? site_of(p, (uintptr_t)r) : 0;
    if (row && row != sites_pseudo(p, LMP_PSEUDO_OTHERS)) {
        LmpSite *site = &p->tables.site[row];
        look->block = (uintptr_t)r;
        look->site = row;
        if (!given && site->how & LMP_HOW_CONCAT && p->running)
            note_join(p, site, size - LMP_STRING_LONG_HEAD - 1);
    }
    if (r && look->allocs > 0) look->allocs--;
    look->left = look->allocs > 0 ? look->left - 1 : 0;
    return look->left > 0;
}
