/* callchains.c - walks with the help of the unwind tables. A return address that only ever served
 * one class is decided at once; the others by as many callers as it takes. */
#include "agent/interp/callchains.h"

#include <stdlib.h>

#include "agent/interp/learned.h"
#include "agent/interp/unwind.h"
#include "base/os.h"

/* ---- walking --------------------------------------------------------------------------------- */

/* Returns true if the stack matches this call chain, as far out as it is known: each return address
 * is where the unwind tables found it before, from the inside out. */
__attribute__((no_sanitize("address"))) static bool looks_like(const LmpCallChain *chain,
                                                               LmpCaller caller, int most) {
    if (chain->ret[0] != caller.ret) return false;
    for (int d = 1; d < most; d++) {
        uintptr_t word;
        if (!chain->ret[d]) return false; /* the walk ended here: let it say so again */
        memcpy(&word, caller.cfa + chain->distance[d], sizeof word);
        if (cpu_address(word) != chain->ret[d]) return false;
    }
    return true;
}

/* Returns true if a return address may stand so many bytes above the allocator's. */
static bool near(int32_t distance) {
    return distance >= 0 && distance <= 16384;
}

__attribute__((no_sanitize("address"))) int
callchain_walk(const LmpCallChains *known, LmpCaller caller, int most, LmpCallChain *chain) {
    int depth = 0;
    for (int i = 0; i < known->count && !depth; i++) {
        if (!looks_like(&known->chain[i], caller, most)) continue;
        memcpy(chain->ret, known->chain[i].ret, sizeof chain->ret);
        memcpy(chain->distance, known->chain[i].distance, sizeof chain->distance);
        depth = most;
    }
    if (!depth) {
        uintptr_t at[LMP_CHAIN_DEEP];
        LmpUnwindCallers callers = {.ret = caller.ret, .ip = chain->ret, .at = at, .most = most};
        _Unwind_Backtrace(unwind_caller, &callers);
        for (; depth < callers.found; depth++)
            chain->distance[depth] = (int32_t)((intptr_t)at[depth] - (intptr_t)caller.cfa);
    }
    for (int d = 1; d < depth; d++) {
        uintptr_t word;
        memcpy(&word, caller.cfa + chain->distance[d], sizeof word);
        if (!near(chain->distance[d]) || cpu_address(word) != chain->ret[d]) depth = d;
    }
    for (int d = depth; d < LMP_CHAIN_DEEP; d++)
        chain->ret[d] = 0;
    return depth;
}

LmpCallChain *callchain_met(LmpCallChains *known, LmpCaller caller, int most) {
    for (int i = 0; i < known->count; i++) {
        if (!looks_like(&known->chain[i], caller, most)) continue;
        LmpCallChain met = known->chain[i];
        known->chain[i] = known->chain[i / 2];
        known->chain[i / 2] = met;
        return &known->chain[i / 2];
    }
    return NULL;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Adds a site. Returns false when the table is half full. */
static bool return_addr_add(LmpReturnAddrs *sites, uintptr_t key, int32_t distance, unsigned cls) {
    if (sites->used >= LMP_RETURN_ADDRS / 2) return false;
    uint32_t i = return_addr_home(key);
    while (sites->slot[i].key && sites->slot[i].key != key)
        i = (i + 1) & (LMP_RETURN_ADDRS - 1);
    sites->used += !sites->slot[i].key;
    sites->slot[i] = (LmpReturnAddr){key, distance, (uint8_t)cls, -1};
    return true;
}

/* Returns the one class of all requests with this call chain up to `depth`; LMP_C_NONE: there are
 * several. */
static unsigned one_class(const LmpCallChains *chains, const LmpCallChain *chain, int depth) {
    for (int i = 0; i < chains->count; i++) {
        const LmpCallChain *c = &chains->chain[i];
        if (callchain_same(c, chain, depth) && (c->doubtful || c->cls != chain->cls))
            return LMP_C_NONE;
    }
    return chain->doubtful ? LMP_C_NONE : chain->cls;
}

/* Returns true if there is a next return address, at the same distance for all of them. */
static bool goes_on(const LmpCallChains *chains, const LmpCallChain *chain, int depth) {
    if (depth == LMP_CHAIN_DEEP) return false;
    for (int i = 0; i < chains->count; i++) {
        const LmpCallChain *c = &chains->chain[i];
        if (callchain_same(c, chain, depth) &&
            (!c->ret[depth] || c->distance[depth] != chain->distance[depth]))
            return false;
    }
    return true;
}

/* The rows of the table as they are kept for the next start: the call chain, then its depth, the
 * distance to the next return address, and the class. */
typedef struct Kept {
    LmpLearnedRow row[LMP_RETURN_ADDRS];
    uint32_t rows;
} Kept;

static uintptr_t key_of(const uintptr_t *ret, int depth) {
    uintptr_t key = ret[0];
    for (int d = 1; d < depth; d++)
        key = return_addr_pair(key, ret[d]);
    return key;
}

/* Enters what a call chain up to `depth` says. Returns false if the table is full. */
static bool enter(LmpReturnAddrs *table, Kept *kept, const uintptr_t *ret, int depth,
                  int32_t distance, unsigned cls) {
    uintptr_t key = key_of(ret, depth);
    const LmpReturnAddr *there = return_addr_find(table, key);
    if (there && there->distance == distance && there->cls == cls) return true;
    if (kept && kept->rows < LMP_RETURN_ADDRS) {
        LmpLearnedRow *row = &kept->row[kept->rows++];
        *row = (LmpLearnedRow){{0}, {depth, distance, (int32_t)cls}};
        memcpy(row->place, ret, (size_t)depth * sizeof *ret);
    }
    return return_addr_add(table, key, distance, cls);
}

/* Enters a call chain, as far out as it takes to tell classes apart. */
static bool enter_chain(const LmpCallChains *chains, const LmpCallChain *chain,
                        LmpReturnAddrs *table, Kept *kept) {
    for (int depth = 1;; depth++) {
        unsigned cls = one_class(chains, chain, depth);
        if (cls) return enter(table, kept, chain->ret, depth, 0, cls);
        if (!goes_on(chains, chain, depth))
            return enter(table, kept, chain->ret, depth, 0, LMP_C_OTHER);
        if (!enter(table, kept, chain->ret, depth, chain->distance[depth], LMP_C_OTHER))
            return false;
    }
}

bool callchains_enter(const LmpCallChains *chains, LmpCallClasses *table, const char *name) {
    bool ok = true;
    Kept *kept = lmp_os->map(sizeof *kept, -1, 0, true); /* large: see learned.c, Writing */
    for (int i = 0; i < chains->count; i++)
        ok = ok && enter_chain(chains, &chains->chain[i], &table->all, kept);
    if (ok && kept && kept->rows < LMP_RETURN_ADDRS) {
        callclasses_fill(table, kept->row, kept->rows);
        if (name) learned_write(name, kept->row, kept->rows);
    }
    if (kept) lmp_os->unmap(kept, sizeof *kept);
    return ok;
}

bool callchains_take_kept(LmpCallClasses *table, const char *name) {
    uint32_t rows = 0;
    LmpLearnedRow *row = learned_read(name, &rows);
    bool good = row && rows > 0;
    for (uint32_t i = 0; good && i < rows; i++) {
        int32_t depth = row[i].number[0], distance = row[i].number[1], cls = row[i].number[2];
        good = depth >= 1 && depth <= LMP_CHAIN_DEEP && row[i].place[0] && near(distance) &&
               cls > 0 && cls < LMP_CLASSES &&
               enter(&table->all, NULL, row[i].place, depth, distance, (unsigned)cls);
    }
    if (good) {
        callclasses_fill(table, row, rows);
    } else {
        memset(&table->all, 0, sizeof table->all);
    }
    free(row);
    return good;
}
