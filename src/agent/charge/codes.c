/* codes.c - see codes.h. */
#include "agent/charge/codes.h"

#include "base/os.h"

enum { FIRST_SLOTS = 1024 };

static uint32_t home(const LmpCodes *codes, uintptr_t addr) {
    return (uint32_t)((addr * 0x9e3779b97f4a7c15ull) >> 32) & (codes->slots - 1);
}

/* The slot of addr, or the free one where it belongs. */
static LmpCode *find(const LmpCodes *codes, uintptr_t addr) {
    uint32_t at = home(codes, addr);
    while (codes->slot[at].addr && codes->slot[at].addr != addr)
        at = (at + 1) & (codes->slots - 1);
    return &codes->slot[at];
}

bool codes_open(LmpCodes *codes) {
    *codes = (LmpCodes){.slot = lmp_os->map(FIRST_SLOTS * sizeof(LmpCode), -1, 0, true),
                        .slots = FIRST_SLOTS};
    return codes->slot != NULL;
}

void codes_close(LmpCodes *codes) {
    if (codes->slot) lmp_os->unmap(codes->slot, codes->slots * sizeof(LmpCode));
    *codes = (LmpCodes){0};
}

static bool grow(LmpCodes *codes) {
    LmpCodes next = {NULL, codes->slots * 2, codes->used, codes->lives};
    next.slot = lmp_os->map(next.slots * sizeof(LmpCode), -1, 0, true);
    if (!next.slot) return false;
    for (uint32_t i = 0; i < codes->slots; i++)
        if (codes->slot[i].addr) *find(&next, codes->slot[i].addr) = codes->slot[i];
    codes_close(codes);
    *codes = next;
    return true;
}

LmpCode *codes_note(LmpCodes *codes, uintptr_t addr, bool *added) {
    LmpCode *code = find(codes, addr);
    *added = !code->addr;
    if (!code->addr) {
        if (codes->used >= codes->slots / 2) {
            if (!grow(codes) && codes->used >= codes->slots / 8 * 7) return NULL;
            code = find(codes, addr);
        }
        code->addr = addr;
        code->life = ++codes->lives;
        codes->used++;
    }
    return code;
}

LmpCode *codes_find(const LmpCodes *codes, uintptr_t addr) {
    LmpCode *code = find(codes, addr);
    return code->addr ? code : NULL;
}

/* Where each of a code's answers is now would have to be asked of the cache: so both places count,
 * if there is room to say so. */
void codes_moved(LmpCodes *codes, unsigned before) {
    for (uint32_t i = 0; i < codes->slots; i++) {
        LmpCode *code = &codes->slot[i];
        if (!code->addr || code->places > LMP_CODE_PLACES) continue;
        if (code->places * 2 > LMP_CODE_PLACES) {
            code->places = LMP_CODE_PLACES + 1;
            continue;
        }
        for (unsigned k = 0, n = code->places; k < n; k++)
            code->place[code->places++] = (uint16_t)(code->place[k] + before);
    }
}

/* What stands behind the freed slot moves up, so that every chain stays whole. */
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

void codes_place(LmpCode *code, unsigned group, unsigned slot) {
    code->groups |= 1ull << group;
    for (unsigned i = 0; i < code->places && i < LMP_CODE_PLACES; i++)
        if (code->place[i] == slot) return;
    if (code->places < LMP_CODE_PLACES) code->place[code->places] = (uint16_t)slot;
    if (code->places <= LMP_CODE_PLACES) code->places++;
}

bool codes_take(LmpCodes *codes, uintptr_t addr, LmpCode *out) {
    LmpCode *code = find(codes, addr);
    if (!code->addr) return false;
    *out = *code;
    codes->used--;
    close_gap(codes, (uint32_t)(code - codes->slot));
    return true;
}
