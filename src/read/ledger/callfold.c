/* callfold.c - the members of the calls below a call are found in one pass, and counted by
 * function; then each call gets its part of member[]. */
#include "read/ledger/callfold.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/capped.h"

/* ---- making ---------------------------------------------------------------------------------- */

void callfold_free(CallFold *f) {
    free(f->call);
    free(f->member);
    free(f->link);
    free(f->queue);
    free(f->slot);
    free(f->id);
    *f = (CallFold){0};
}

/* Makes room for `n` items of whose former ones nothing is needed. */
static bool fresh_room(void *array, uint32_t *room, uint32_t n, size_t size) {
    void *items;
    if (n <= *room) return true;
    memcpy(&items, array, sizeof items);
    free(items);
    *room = n + n / 4 + 1;
    items = calloc(*room, size);
    memcpy(array, &items, sizeof items);
    if (!items) *room = 0;
    return items != NULL;
}

bool callfold_begin(CallFold *f, const Ledger *ledger, const CallFolding *how) {
    f->ledger = NULL;
    f->how = *how;
    f->calls = f->members = 0;
    f->cut = false;
    f->linked = how->inverted || how->value;
    if (ledger->nodes == 0 || !array_room(&f->call, &f->call_room, 1) ||
        !array_room(&f->member, &f->member_room, 1) ||
        !fresh_room(&f->slot, &f->slot_room, ledger->functions, sizeof *f->slot) ||
        !fresh_room(&f->id, &f->id_room, ledger->functions, sizeof *f->id) ||
        (f->linked && !fresh_room(&f->link, &f->link_room, ledger->nodes, sizeof *f->link)))
        return false;
    f->ledger = ledger;
    for (uint32_t i = 0; i < ledger->functions; i++)
        f->id[i] = ledger->function[i].id;
    if (f->linked) f->link[0] = (CallLink){0, CALL_NONE};
    if (!how->inverted) f->member[f->members++] = (CallMember){0, 0};
    f->call[f->calls++] = (Call){
        .key = callfold_root_key(how->inverted), .function = CALL_NONE, .members = f->members};
    return true;
}

/* No map takes UINT64_MAX as a key. */
uint64_t callfold_root_key(bool inverted) {
    return 0x9e3779b97f4a7c15ull + inverted;
}

uint64_t callfold_key(uint64_t above, uint64_t id) {
    uint64_t h = (above ^ (id + 1)) * 0xbf58476d1ce4e5b9ull;
    h ^= h >> 29;
    h *= 0x94d049bb133111ebull;
    h ^= h >> 32;
    return h == 0 || h == UINT64_MAX ? 1 : h;
}

/* ---- opening --------------------------------------------------------------------------------- */

static uint32_t function_of(const CallFold *f, uint32_t node) {
    return f->linked ? f->link[node].function : f->ledger->tree[node].function;
}

static bool make(CallFold *f, uint32_t above, uint32_t function) {
    if (!array_room(&f->call, &f->call_room, f->calls + 1)) return false;
    const Call *up = &f->call[above];
    f->call[f->calls++] = (Call){.key = callfold_key(up->key, f->id[function]),
                                 .function = function,
                                 .parent = above,
                                 .depth = up->depth + 1};
    f->slot[function] = f->calls;
    return true;
}

/* Puts a member into the call of its function below `above`. Returns false: no memory, or cut. */
static bool put(CallFold *f, uint32_t above, uint32_t function, CallMember member) {
    if (!f->slot[function] && !make(f, above, function)) return false;
    f->cut = f->queued >= f->how.most - f->members;
    if (f->cut || !array_room(&f->queue, &f->queue_room, f->queued + 1)) return false;
    Call *call = &f->call[f->slot[function] - 1];
    if (f->how.value) call->value = capped_plus(call->value, f->how.value[member.node]);
    call->members++;
    f->queue[f->queued++] = member;
    return !f->how.join || f->how.join(f->how.of, f->slot[function] - 1, member);
}

/* Puts what a node's function calls; `self`: but not itself. */
static bool put_below(CallFold *f, uint32_t above, uint32_t node, uint32_t self) {
    const LmpTreeRow *row = &f->ledger->tree[node];
    for (uint32_t i = row->first; i < row->first + row->children; i++) {
        uint32_t function = function_of(f, i);
        if (function == self || (f->how.value && !f->how.value[i])) continue;
        if (!put(f, above, function, (CallMember){i, i})) return false;
    }
    return true;
}

/* Puts what the members call of themselves; these stand in the queue, too, and so it grows. */
static bool put_joined(CallFold *f, uint32_t above) {
    for (uint32_t q = 0; q < f->queued; q++) {
        CallMember member = f->queue[q];
        const LmpTreeRow *row = &f->ledger->tree[member.node];
        uint32_t self = function_of(f, member.node);
        for (uint32_t i = row->first; i < row->first + row->children; i++)
            if (function_of(f, i) == self && !put(f, above, self, (CallMember){i, member.at}))
                return false;
    }
    return true;
}

static bool find_below(CallFold *f, uint32_t above) {
    Call call = f->call[above];
    uint32_t self = f->how.joined ? call.function : CALL_NONE;
    for (uint32_t m = 0; m < call.members; m++)
        if (!put_below(f, above, f->member[call.first_member + m].node, self)) return false;
    return !f->how.joined || put_joined(f, above);
}

static bool has_made(const CallFold *f, uint32_t node) {
    if (f->how.value) return f->how.value[node];
    const LmpTally *own = &f->ledger->tree[node].shallow;
    return own->allocs > 0 || own->live_bytes > 0;
}

static bool find_makers(CallFold *f) {
    for (uint32_t i = 1; i < f->ledger->nodes; i++)
        if (has_made(f, i) && !put(f, CALL_ROOT, f->link[i].function, (CallMember){i, i}))
            return false;
    return true;
}

static bool find_callers(CallFold *f, uint32_t above) {
    Call call = f->call[above];
    for (uint32_t m = 0; m < call.members; m++) {
        CallMember member = f->member[call.first_member + m];
        member.at = f->link[member.at].parent;
        if (member.at && !put(f, above, f->link[member.at].function, member)) return false;
    }
    return true;
}

/* Gives the calls from `first` on their members. Returns false: no memory. */
static bool place(CallFold *f, uint32_t first) {
    if (!array_room(&f->member, &f->member_room, (uint64_t)f->members + f->queued)) return false;
    for (uint32_t i = first; i < f->calls; i++) {
        f->call[i].first_member = f->members;
        f->members += f->call[i].members;
        f->call[i].members = 0;
    }
    for (uint32_t q = 0; q < f->queued; q++) {
        CallMember member = f->queue[q];
        uint32_t function = function_of(f, f->how.inverted ? member.at : member.node);
        Call *call = &f->call[f->slot[function] - 1];
        f->member[call->first_member + call->members++] = member;
    }
    return true;
}

static bool find(CallFold *f, uint32_t above) {
    if (!f->how.inverted) return find_below(f, above);
    return above == CALL_ROOT ? find_makers(f) : find_callers(f, above);
}

bool callfold_open(CallFold *f, uint32_t call) {
    uint32_t first = f->calls;
    bool before = f->cut;
    if (f->call[call].open) return true;
    f->call[call].first = first;
    f->queued = 0;
    f->cut = false;
    bool done = find(f, call) && place(f, first), cut = f->cut;
    f->cut |= before;
    for (uint32_t i = first; i < f->calls; i++)
        f->slot[f->call[i].function] = 0;
    if (!done) f->calls = first;
    f->call[call].open = true;
    f->call[call].children = f->calls - first;
    return done || cut;
}
