/* luastates.c - every word of registers, of the stacks' upper parts and of written data is looked
 * at: is it a thread of Lua? Most words are no addresses of written memory, and cost no read. In
 * other memory, which may be large, nothing is followed: a main thread is known by its place beside
 * its global state. */
#include "attach/luastates.h"

#include <stdlib.h>
#include <string.h>

#include "read/pages.h"
#include "shared/layout.h"

/* Offsets, as in luafacts.h: in an object, a lua_State, and the global state. */
enum {
    AT_TYPE = 8,
    AT_GLOBAL = 24,
    AT_CI = 32,
    AT_STRINGS = 48, /* the string table: slots, then how many strings, how many slots */
    STATE_BYTES = 96,
    GLOBAL_BYTES = 2048,
    BESIDE = 1024, /* the global state follows the main thread in one block, in 5.4 */
    TYPE_THREAD = 8,
};
/* Where a lua_State has its innermost protected call: 5.4.0 and from 5.4.3 on; between them. */
static const unsigned jump_at[] = {88, 80};

enum { STACK_BYTES = 256 << 10, DATA_BYTES = 8 << 20, PIECE = 64 << 10, LOOK_BYTES = 1 << 30 };

typedef struct Search {
    LuaStates *out;
    const Tracer *tracer;
    const Target *target;
    bool inside; /* the main thread is in the global state */
} Search;

static uint64_t word_of(const uint8_t *bytes, unsigned at) {
    uint64_t w;
    memcpy(&w, bytes + at, sizeof w);
    return w;
}

static bool is_written(const Target *t, uint64_t at) {
    const TargetMap *map = at % 8 ? NULL : target_map_of(t, at);
    return map && map->read && map->write;
}

/* Reads what begins at L, if it is like a thread of Lua. */
static bool read_state(const Target *t, uint64_t L, uint8_t state[STATE_BYTES]) {
    return is_written(t, L) && target_read(t, L, state, STATE_BYTES) &&
           (state[AT_TYPE] & 15) == TYPE_THREAD && is_written(t, word_of(state, AT_GLOBAL)) &&
           is_written(t, word_of(state, AT_CI));
}

/* Returns true if the bytes are a thread of a global state. */
static bool is_thread_of(const Target *t, const uint8_t *bytes, size_t n, uint64_t global) {
    return n >= AT_CI + 8 && (bytes[AT_TYPE] & 15) == TYPE_THREAD &&
           word_of(bytes, AT_GLOBAL) == global && is_written(t, word_of(bytes, AT_CI));
}

/* Returns the main thread of a global state; 0: it is none, or is being closed. */
static uint64_t main_of(const Search *s, uint64_t global) {
    const Target *t = s->target;
    uint8_t bytes[GLOBAL_BYTES], state[STATE_BYTES];
    size_t n = sizeof bytes;
    while (n >= 1024 && !target_read(t, global, bytes, n))
        n -= 256; /* the end of its mapping */
    if (n < 1024) return 0;
    const TargetMap *code = target_map_of(t, word_of(bytes, 0));
    if (!code || !code->execute) return 0; /* the allocator */
    int32_t strings, slots;
    memcpy(&strings, bytes + AT_STRINGS + 8, sizeof strings);
    memcpy(&slots, bytes + AT_STRINGS + 12, sizeof slots);
    if (strings <= 0 || slots <= 0 || slots & (slots - 1)) return 0;
    if (!is_written(t, word_of(bytes, AT_STRINGS))) return 0;
    for (unsigned at = 64; at + 8 <= n; at += 8) {
        uint64_t main = word_of(bytes, at);
        if (s->inside && is_thread_of(t, bytes + at, n - at, global)) return global + at;
        if (s->inside || main >= global || global - main > BESIDE)
            continue; /* another thread, in a list */
        if (read_state(t, main, state) && word_of(state, AT_GLOBAL) == global) return main;
    }
    return 0;
}

/* Returns the number of a global state, noted if it is new; LMP_ATTACH_GLOBALS: none. */
static uint32_t number_of(Search *s, uint64_t global) {
    LuaStates *out = s->out;
    for (uint32_t i = 0; i < out->globals; i++)
        if (out->global[i] == global) return i;
    uint64_t main = main_of(s, global);
    if (!main) return LMP_ATTACH_GLOBALS;
    if (out->globals == LMP_ATTACH_GLOBALS) {
        out->more = true;
        return LMP_ATTACH_GLOBALS;
    }
    out->global[out->globals] = global;
    out->main[out->globals] = main;
    return out->globals++;
}

/* Returns the end of the mapping that a thread's stack pointer is in; 0: it is in none. */
static uint64_t stack_end(const Target *t, const TracedThread *thread) {
    const TargetMap *map = target_map_of(t, registers_sp(&thread->regs));
    return map ? map->to : 0;
}

/* Returns true if the thread's innermost protected call is on a held thread's stack, in use. */
static bool runs(const Search *s, const uint8_t state[STATE_BYTES]) {
    for (size_t i = 0; i < sizeof jump_at / sizeof *jump_at; i++) {
        uint64_t jump = word_of(state, jump_at[i]);
        for (uint32_t n = 0; n < s->tracer->threads; n++) {
            const TracedThread *thread = &s->tracer->thread[n];
            if (jump >= registers_sp(&thread->regs) && jump < stack_end(s->target, thread))
                return true;
        }
    }
    return false;
}

static void add(LuaStates *out, uint64_t L) {
    for (uint32_t i = 0; i < out->states; i++)
        if (out->L[i] == L) return;
    if (out->states == LMP_ATTACH_STATES) {
        out->more = true;
    } else {
        out->L[out->states++] = L;
    }
}

static void look_at(Search *s, uint64_t L) {
    uint8_t state[STATE_BYTES];
    if (!read_state(s->target, L, state)) return;
    uint32_t global = number_of(s, word_of(state, AT_GLOBAL));
    if (global != LMP_ATTACH_GLOBALS && runs(s, state)) add(s->out, L);
}

static void look_through(Search *s, uint64_t from, uint64_t to) {
    static uint64_t piece[PIECE / 8];
    uint64_t last = 0;
    for (from = (from + 7) & ~7ull; from < to; from += sizeof piece) {
        uint64_t n = to - from < sizeof piece ? to - from : sizeof piece;
        if (!target_read(s->target, from, piece, n & ~7ull)) return;
        for (uint64_t i = 0; i < n / 8; i++) {
            if (piece[i] == last || piece[i] < 4096 || piece[i] >> LMP_ADDRESS_BITS) continue;
            last = piece[i];
            look_at(s, last);
        }
    }
}

/* Returns true if a mapping has the written data of a file, or follows it. */
static bool is_data(const Target *t, size_t i) {
    const TargetMap *m = &t->map[i];
    if (!m->read || !m->write || m->to - m->from > DATA_BYTES) return false;
    if (m->path[0] == '/') return true;
    return !m->path[0] && i && t->map[i - 1].path[0] == '/' && t->map[i - 1].to == m->from;
}

/* Notes the main threads that begin in [from, to), but for the last STATE_BYTES. */
static void look_for_mains(Search *s, uint64_t from, uint64_t to) {
    static uint64_t piece[(PIECE + STATE_BYTES) / 8];
    if (!target_read(s->target, from, piece, to - from)) return;
    for (uint64_t i = 0; i + STATE_BYTES / 8 <= (to - from) / 8; i++) {
        uint64_t L = from + i * 8, global = piece[i + AT_GLOBAL / 8];
        uint64_t apart = s->inside ? L - global : global - L;
        if (apart < GLOBAL_BYTES && (piece[i + AT_TYPE / 8] & 15) == TYPE_THREAD)
            number_of(s, global);
    }
}

void luastates_look(LuaStates *found, const Target *target, bool inside) {
    enum { PAGES = PIECE / PAGES_PIECE };
    Search s = {found, NULL, target, inside};
    bool here[PAGES];
    uint64_t left = LOOK_BYTES;
    *found = (LuaStates){0};
    for (size_t i = 0; i < target->maps; i++) {
        const TargetMap *m = &target->map[i];
        if (!m->read || !m->write || m->path[0] == '/' || m->stack) continue;
        for (uint64_t at = m->from; at < m->to && left; at += PIECE) {
            uint64_t n = m->to - at < PIECE ? m->to - at : PIECE;
            uint64_t more = at + n < m->to ? STATE_BYTES : 0;
            if (pages_here((uint32_t)target->pid, at, (uint32_t)(n / PAGES_PIECE), here) &&
                !memchr(here, true, n / PAGES_PIECE))
                continue;
            look_for_mains(&s, at, at + n + more);
            left -= left < n ? left : n;
        }
    }
}

void luastates_find(LuaStates *found, const Tracer *tracer, bool inside) {
    Search s = {found, tracer, tracer->target, inside};
    LuaStates looked = *found;
    *found = (LuaStates){.more = looked.more};
    for (uint32_t i = 0; i < looked.globals; i++)
        number_of(&s, looked.global[i]);
    for (uint32_t i = 0; i < tracer->threads; i++) {
        const TracedThread *thread = &tracer->thread[i];
        uint64_t sp = registers_sp(&thread->regs), end = sp + STACK_BYTES,
                 most = stack_end(s.target, thread);
        if (thread->gone) continue;
        for (int word = 0; word < REGISTERS_GENERAL; word++)
            look_at(&s, thread->regs.word[word]);
        look_through(&s, sp, end < most ? end : most);
    }
    for (size_t i = 0; i < s.target->maps; i++)
        if (is_data(s.target, i)) look_through(&s, s.target->map[i].from, s.target->map[i].to);
    for (uint32_t i = 0; i < found->globals; i++)
        add(found, found->main[i]); /* its next instruction may come when all others are gone */
}
