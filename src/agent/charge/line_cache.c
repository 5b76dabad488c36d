/* line_cache.c - the second level is a set-associative cache: a hash of place and class chooses a
 * set, whose slots are ordered from the newest entry to the oldest; a new one evicts the oldest.
 * Code is in an open-addressed table; the few homes of each vector in place, from one more on as a
 * bit map with an upper level. */
#include "agent/charge/line_cache.h"

#include <string.h>

#include "base/os.h"

/* ---- the second level ------------------------------------------------------------------------ */

static LmpLineEntry *set_of(const LmpLineL2 *a, const LmpLineEntry *like) {
    uint64_t h = (like->key ^ (uint64_t)like->cfn << 13) * 0x9e3779b97f4a7c15ull;
    h = (h ^ h >> 32 ^ like->cls) * 0xc2b2ae3d27d4eb4full; /* a tag is only in the upper bits */
    return a->slot + (h >> 32 & (a->slots - 1) & ~(uint64_t)(LMP_L2_WAYS - 1));
}

uint32_t line_l2_find(const LmpLineL2 *a, const LmpLineEntry *like) {
    if (!a->slot) return 0;
    const LmpLineEntry *set = set_of(a, like);
    for (int i = 0; i < LMP_L2_WAYS; i++)
        if (set[i].key == like->key && set[i].life == like->life && set[i].cfn == like->cfn &&
            set[i].cls == like->cls)
            return set[i].row;
    return 0;
}

static void put(LmpLineL2 *a, const LmpLineEntry *entry) {
    LmpLineEntry *set = set_of(a, entry);
    if (set[LMP_L2_WAYS - 1].life) a->pushed++;
    memmove(set + 1, set, (LMP_L2_WAYS - 1) * sizeof *set);
    *set = *entry;
}

static void grow_l2(LmpLineL2 *a) {
    LmpLineL2 next = {.slots = a->slots ? a->slots * 2 : LMP_L2_LEAST};
    next.slot = lmp_os->map(next.slots * sizeof *next.slot, -1, 0, true);
    if (!next.slot) {
        a->refused = true;
        return;
    }
    for (uint32_t i = a->slots; i-- > 0;) /* so that the newest of a set are inserted last */
        if (a->slot[i].life) put(&next, &a->slot[i]);
    next.pushed = 0;
    line_l2_close(a);
    *a = next;
}

void line_l2_add(LmpLineL2 *a, const LmpLineEntry *entry) {
    bool crowded = a->pushed >= a->slots / 16 && a->slots < LMP_L2_MOST;
    if (crowded && !a->refused) grow_l2(a);
    if (a->slot) put(a, entry);
}

void line_l2_close(LmpLineL2 *a) {
    if (a->slot) lmp_os->unmap(a->slot, a->slots * sizeof *a->slot);
    *a = (LmpLineL2){0};
}

/* ---- code ------------------------------------------------------------------------------------ */

enum { FIRST_SLOTS = 1024 };

static uint32_t home(const LmpCodes *codes, uintptr_t addr) {
    return (uint32_t)((addr * 0x9e3779b97f4a7c15ull) >> 32) & (codes->slots - 1);
}

/* Returns the slot of addr, or the free slot where it belongs. */
static LmpCode *search(const LmpCodes *codes, uintptr_t addr) {
    uint32_t at = home(codes, addr);
    while (codes->slot[at].addr && codes->slot[at].addr != addr)
        at = (at + 1) & (codes->slots - 1);
    return &codes->slot[at];
}

/* Returns the same as search; mostly the address is the one that was asked about before. */
static inline LmpCode *find(LmpCodes *codes, uintptr_t addr) {
    if (!codes->recent || codes->recent->addr != addr) codes->recent = search(codes, addr);
    return codes->recent;
}

bool codes_open(LmpCodes *codes) {
    *codes = (LmpCodes){.slot = lmp_os->map(FIRST_SLOTS * sizeof(LmpCode), -1, 0, true),
                        .slots = FIRST_SLOTS};
    return codes->slot != NULL;
}

void codes_close(LmpCodes *codes) {
    if (codes->slot) lmp_os->unmap(codes->slot, codes->slots * sizeof(LmpCode));
    slab_close(&codes->slab);
    *codes = (LmpCodes){0};
}

static bool grow_codes(LmpCodes *codes) {
    LmpCodes next = *codes;
    next.slots *= 2;
    next.recent = NULL;
    next.slot = lmp_os->map(next.slots * sizeof(LmpCode), -1, 0, true);
    if (!next.slot) return false;
    for (uint32_t i = 0; i < codes->slots; i++)
        if (codes->slot[i].addr) *search(&next, codes->slot[i].addr) = codes->slot[i];
    lmp_os->unmap(codes->slot, codes->slots * sizeof(LmpCode));
    *codes = next;
    return true;
}

LmpCode *codes_note(LmpCodes *codes, uintptr_t addr, bool *added) {
    LmpCode *code = find(codes, addr);
    *added = !code->addr;
    if (!code->addr) {
        if (codes->used >= codes->slots / 2) {
            if (!grow_codes(codes) && codes->used >= codes->slots / 8 * 7) return NULL;
            code = find(codes, addr);
        }
        code->addr = addr;
        code->life = ++codes->lives;
        codes->used++;
    }
    return code;
}

LmpCode *codes_find(LmpCodes *codes, uintptr_t addr) {
    LmpCode *code = find(codes, addr);
    return code->addr ? code : NULL;
}

/* The slots after the freed one move up, so that no probe chain is broken. */
static void close_gap(LmpCodes *codes, uint32_t gap) {
    uint32_t mask = codes->slots - 1;
    for (uint32_t at = (gap + 1) & mask; codes->slot[at].addr; at = (at + 1) & mask) {
        uint32_t first = home(codes, codes->slot[at].addr);
        if (((at - first) & mask) < ((at - gap) & mask)) continue;
        codes->slot[gap] = codes->slot[at];
        gap = at;
    }
    codes->slot[gap] = (LmpCode){0};
}

static void set_home_bit(LmpCode *code, unsigned home) {
    code->words |= 1ull << home / 64;
    if (code->home_bits) code->home_bits[home / 64] |= 1ull << home % 64;
}

void codes_note_home(LmpCodes *codes, LmpCode *code, unsigned home) {
    if (code->homes > LMP_CODE_HOMES) {
        set_home_bit(code, home);
        return;
    }
    for (unsigned i = 0; i < code->homes; i++)
        if (code->home[i] == home) return;
    if (code->homes < LMP_CODE_HOMES) {
        code->home[code->homes++] = (uint16_t)home;
        return;
    }
    size_t size = LMP_HOME_WORDS * sizeof *code->home_bits, got;
    code->home_bits = slab_take(&codes->slab, size, &got);
    if (code->home_bits) memset(code->home_bits, 0, size);
    for (unsigned i = 0; i < LMP_CODE_HOMES; i++)
        set_home_bit(code, code->home[i]);
    set_home_bit(code, home);
    code->homes++;
}
_Static_assert(LMP_HOME_WORDS == 64, "a bit for each word");

/* Without memory for the bits, all homes of a word are taken to be in use. */
unsigned codes_next_home(const LmpCode *code, unsigned *at) {
    if (code->homes <= LMP_CODE_HOMES) return *at < code->homes ? code->home[(*at)++] : LMP_HOMES;
    while (*at < LMP_HOMES) {
        unsigned word = *at / 64;
        uint64_t rest = (code->home_bits ? code->home_bits[word] : UINT64_MAX) >> *at % 64;
        if (code->words >> word & 1 && rest) {
            unsigned home = *at + (unsigned)__builtin_ctzll(rest);
            *at = home + 1;
            return home;
        }
        *at = (word + 1) * 64;
    }
    return LMP_HOMES;
}

bool codes_take(LmpCodes *codes, uintptr_t addr, LmpCode *out) {
    LmpCode *code = find(codes, addr);
    if (!code->addr) return false;
    *out = *code;
    codes->used--;
    close_gap(codes, (uint32_t)(code - codes->slot));
    return true;
}

void codes_drop(LmpCodes *codes, const LmpCode *code) {
    if (code->home_bits)
        slab_give(&codes->slab, code->home_bits, LMP_HOME_WORDS * sizeof *code->home_bits);
}
