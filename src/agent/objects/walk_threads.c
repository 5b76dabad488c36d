/* walk_threads.c - stacks and call frames, as far as the collector would mark them.
 *
 * At a paused operation a stack may be on the move. Up to 5.4.2 it is reallocated, and pointers
 * into it still point into its old place; in 5.4.3 and 5.4.4 a new one is made and pointed to, and
 * the old one, which the thread still has, is freed last; from 5.4.5 on it is reallocated while
 * pointers into it are kept as offsets. */
#include "agent/objects/walk_impl.h"
#include "base/bisect.h"

enum { CALLS_MOST = 1 << 24 }; /* more frames than any stack has room for */

static bool in_map(const LmpObjectWalk *w, uint32_t block) {
    return block != LMP_NO_BLOCK && index_size(&w->index, block) != 0;
}

static uint64_t stack_bytes(const LmpObjectWalk *w, uintptr_t state, uintptr_t stack) {
    uint32_t block = index_find(&w->index, stack);
    if (in_map(w, block)) return index_size(&w->index, block);
    return object_word(state + w->layout->stack_last) + LMP_STACK_EXTRA - stack;
}

static LmpObjectThread place(const LmpObjectWalk *w, uintptr_t state) {
    const LmpObjectHand *hand = &w->source->hand;
    uintptr_t stack = object_word(state + w->layout->stack);
    LmpObjectThread t = {.state = state, .stack = stack, .from = stack};
    if (!stack) return t;
    if (stack != hand->old_addr) {
        t.bytes = t.span = stack_bytes(w, state, stack);
    } else if (hand->new_size) {
        t.offsets = true;
        t.span = t.bytes = hand->old_size;
        if (hand->new_addr) t.stack = hand->new_addr;
        if (hand->new_addr && t.bytes > hand->new_size) t.bytes = hand->new_size;
    } else { /* freed: the top is in the new one already */
        uintptr_t top = object_word(state + LMP_AT_L_TOP);
        uint32_t block = index_containing(&w->index, top, &t.stack);
        t.from = t.stack;
        if (block != LMP_NO_BLOCK) t.bytes = t.span = index_size(&w->index, block);
    }
    return t;
}

/* Returns where a slot is now that something points to; 0: not in the stack. */
static uintptr_t slot_of(const LmpObjectThread *t, uintptr_t at) {
    if (at >= t->from && at - t->from <= t->span) return t->stack + (at - t->from);
    return t->offsets && at <= t->span ? t->stack + at : 0;
}

bool walk_note_thread(LmpObjectWalk *w, uintptr_t state) {
    if (w->threads == w->threads_room) {
        void *thread = w->thread;
        uint64_t room = w->threads_room ? w->threads_room * 2ull : 256;
        if (room > 1u << 30 ||
            !objectmemory_grow(w->memory, &thread, w->threads * sizeof *w->thread,
                               room * sizeof *w->thread))
            return false;
        w->thread = thread;
        w->threads_room = (uint32_t)room;
    }
    w->thread[w->threads++] = place(w, state);
    if (frames_jumps_known()) { /* of those that are active, the one with the lowest address runs */
        uintptr_t jump = object_word(state + frames_bits.at_jump);
        uintptr_t least = w->running ? object_word(w->running + frames_bits.at_jump) : UINTPTR_MAX;
        if (jump && jump < least) w->running = state;
    }
    return true;
}

static void sift(LmpObjectThread *t, uint32_t i, uint32_t n) {
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && t[child + 1].from > t[child].from) child++;
        if (t[i].from >= t[child].from) return;
        LmpObjectThread other = t[i];
        t[i] = t[child], t[child] = other;
    }
}

void walk_sort_threads(LmpObjectWalk *w) {
    for (uint32_t i = w->threads / 2; i-- > 0;)
        sift(w->thread, i, w->threads);
    for (uint32_t end = w->threads; end-- > 1;) {
        LmpObjectThread other = w->thread[0];
        w->thread[0] = w->thread[end], w->thread[end] = other;
        sift(w->thread, 0, end);
    }
    for (uint32_t i = 0; i < w->threads; i++)
        if (w->thread[i].offsets) w->moving = i + 1;
}

const LmpObjectThread *walk_stack_of(const LmpObjectWalk *w, uintptr_t at, uintptr_t *slot) {
    uint32_t low = 0; /* those that begin at `at` or before it */
    BISECT(low, w->threads, i, w->thread[i].from <= at);
    const LmpObjectThread *t = low ? &w->thread[low - 1] : NULL;
    if (t && (!t->bytes || at - t->from >= t->span)) t = NULL;
    if (!t && w->moving) t = &w->thread[w->moving - 1];
    *slot = t ? slot_of(t, at) : 0;
    if (!*slot) return NULL;
    if (*slot + LMP_SLOT > t->stack + t->bytes) *slot = 0;
    return t;
}

/* Claims the blocks of a thread's frames, in use or not. Returns the bottom frame, which belongs to
 * no function. */
static uintptr_t claim_calls(LmpObjectWalk *w, uintptr_t ci, uint32_t *calls) {
    uint32_t n = 0;
    uintptr_t bottom = ci;
    for (uintptr_t below; n < CALLS_MOST && (below = object_word(bottom + LMP_AT_CI_PREVIOUS)); n++)
        bottom = below;
    *calls = n;
    uintptr_t next = object_word(bottom + LMP_AT_CI_NEXT);
    for (n = 0; next && n < CALLS_MOST; n++, next = object_word(next + LMP_AT_CI_NEXT)) {
        uint64_t bytes = LMP_SIZE_CALL;
        walk_part(w, next, &bytes);
    }
    return bottom;
}

/* Makes the row of a frame, by the slot of its function, and returns it. *name: of the locals that
 * are active. */
static uint32_t enter_frame(LmpObjectWalk *w, uintptr_t ci, uintptr_t func,
                            uintptr_t name[LMP_REGISTERS], uint32_t *names) {
    LmpObjectGraph *g = w->g;
    uint32_t row = g->frames++;
    unsigned tag = object_u8(func + LMP_AT_SLOT_TAG);
    uintptr_t value = object_word(func);
    g->frame_function[row] = walk_is_object(tag) ? walk_number(w, walk_block(w, tag, value)) : 0;
    g->frame_address[row] = tag == LMP_TAG_LIGHT_C ? value : 0;
    g->frame_line[row] = -1;
    *names = 0;
    if (tag != LMP_TAG_LUA_CLOSURE || !walk_is(w, value, LMP_TT_LUA_CLOSURE)) return row;
    uintptr_t proto = object_word(value + LMP_AT_CLOSURE_CODE);
    uintptr_t pc = object_word(ci + LMP_AT_CI_SAVEDPC);
    const void *p = (const void *)proto; /* NOLINT */
    if (!walk_is(w, proto, LMP_TT_PROTO) || !frames_in_code(p, pc)) return row;
    uint32_t done = (uint32_t)((pc - frames_code(p)) / LMP_INSTRUCTION);
    if (!done) { /* no instruction so far */
        if (object_u32(proto + LMP_AT_PROTO_LINES))
            g->frame_line[row] = (int32_t)object_u32(proto + LMP_AT_PROTO_LINE);
        return row;
    }
    g->frame_line[row] = object_line(proto, done - 1);
    *names = object_locals(proto, done - 1, name);
    return row;
}

static void enter_slot(LmpObjectWalk *w, uintptr_t at, uint32_t frame, uint32_t number,
                       uintptr_t name) {
    LmpObjectGraph *g = w->g;
    unsigned tag = object_u8(at + LMP_AT_SLOT_TAG);
    if (!walk_is_object(tag)) return;
    uint64_t before = w->edges;
    walk_edge(w, walk_block(w, tag, object_word(at)), LMP_EDGE_LOCAL, g->slots);
    if (w->edges == before) return;
    g->slot_frame[g->slots] = frame;
    g->slot_name[g->slots] = walk_number(w, name);
    g->slot_number[g->slots++] = number;
}

/* Returns the end of what the collector would mark: the top, and in a Lua function that runs all of
 * its registers. */
static uintptr_t marked_end(const LmpObjectThread *t, uintptr_t ci) {
    uintptr_t end = slot_of(t, object_word(t->state + LMP_AT_L_TOP));
    if (object_u8(t->state + LMP_AT_L_STATUS) == LUA_OK &&
        !(frames_status((const LmpCallInfo *)ci) & LMP_CI_C)) {
        uintptr_t top = slot_of(t, object_word(ci + LMP_AT_CI_TOP));
        if (top > end) end = top;
    }
    return end > t->stack + t->bytes ? t->stack + t->bytes : end;
}

static bool walk_stack(LmpObjectWalk *w, const LmpObjectThread *t, uintptr_t ci, uint32_t calls,
                       uintptr_t end) {
    uintptr_t upper = end, name[LMP_REGISTERS];
    uint64_t slots = end > t->stack ? (end - t->stack) / LMP_SLOT : 0;
    if (!walk_room(w, slots + 1, 0, calls, slots)) return false;
    for (uint32_t i = 0; i < calls; i++, ci = object_word(ci + LMP_AT_CI_PREVIOUS)) {
        uintptr_t func = slot_of(t, object_word(ci + LMP_AT_CI_FUNC));
        uint32_t names;
        if (func < t->stack || func >= upper) break;
        uint32_t frame = enter_frame(w, ci, func, name, &names);
        walk_value(w, func, LMP_EDGE_CALL, frame);
        for (uintptr_t at = func + LMP_SLOT; at < upper; at += LMP_SLOT) {
            uint32_t number = (uint32_t)((at - func) / LMP_SLOT);
            enter_slot(w, at, frame, number, number <= names ? name[number - 1] : 0);
        }
        upper = func;
    }
    for (uintptr_t at = t->stack; at < upper; at += LMP_SLOT)
        enter_slot(w, at, LMP_OBJECT_NONE, (uint32_t)((at - t->stack) / LMP_SLOT), 0);
    return true;
}

/* A thread holds its open upvalues, whoever else does. */
static bool walk_open(LmpObjectWalk *w) {
    uint64_t n = 0;
    uintptr_t first = object_word(w->at + w->layout->open);
    for (uintptr_t u = first; u && n < CALLS_MOST && walk_is(w, u, LMP_TT_UPVALUE); n++)
        u = object_word(u + LMP_AT_UPVALUE_VALUE);
    if (!walk_room(w, n, 0, 0, 0)) return false;
    for (uintptr_t u = first; n; n--, u = object_word(u + LMP_AT_UPVALUE_VALUE))
        walk_edge(w, u, LMP_EDGE_UPVALUE, 0);
    return true;
}

bool walk_thread(LmpObjectWalk *w) {
    LmpObjectGraph *g = w->g;
    uint32_t row = w->row[LMP_OBJECT_THREAD]++, calls, frames = g->frames;
    LmpObjectThread t = place(w, w->at);
    uintptr_t ci = object_word(w->at + LMP_AT_L_CI);
    if (!w->mapped) w->uncounted += w->layout->thread;
    g->thread_status[row] = object_u8(w->at + LMP_AT_L_STATUS);
    if (!t.bytes || !ci) return true; /* being made */
    uint64_t bytes = t.bytes;
    walk_claim(w, t.stack, &bytes);
    claim_calls(w, ci, &calls);
    g->thread_stack[row] = (uint32_t)(t.bytes / LMP_SLOT);
    uintptr_t end = marked_end(&t, ci);
    if (end > t.stack) g->thread_stack_used[row] = (uint32_t)((end - t.stack) / LMP_SLOT);
    if (!w->dead && end && !(walk_stack(w, &t, ci, calls, end) && walk_open(w))) return false;
    g->thread_frames[row] = g->frames - frames;
    return true;
}
