/* foreign.c - tells the requests of the profiled state from those of others: by the number of the
 * thread, by a note of the block that a state being made was just given, and by a search of
 * registers and stack for the profiled state's global state. */
#include "agent/hook/foreign.h"

#include <string.h>

#include "agent/hook/allocs.h"
#include "agent/hook/slow_path.h"
#include "agent/interp/collector.h"
#include "agent/interp/safepoint.h"
#include "agent/interp/saved_regs_plan.h"
#include "base/os.h"

enum {
    NO_THREAD = 0, /* no thread has this number */
    BEING_WRITTEN = 1,
    TRIES = 64, /* new blocks: another allocator may stand over ours */
    ABOVE = 8,  /* words of our callers that are searched: 5 are used by all builds tried */
    PAGE = 4096 /* the smallest that there are; larger ones end at a multiple, too */
};

/* ---- the thread ------------------------------------------------------------------------------ */

/* The value that is searched for must not be in our own registers and frames, so it is kept masked
 * in a way that the compiler cannot see through. */
static volatile uintptr_t mask = (uintptr_t)0x5a17c3e96b2d8f41;

static uintptr_t disguise(uintptr_t word) {
    word ^= mask;
    __asm__("" : "+r"(word));
    return word;
}

void foreign_begin(LmpProfile *p, lua_State *L) {
    uintptr_t global = collector_global(L);
    atomic_store(&p->foreign.global, global ? disguise(global) : 0);
    atomic_store(&p->pass.thread, foreign_thread());
    atomic_store(&p->foreign.tries, TRIES); /* last: while there are tries, only in a forked child
                                             * is the profile over */
}

void foreign_moved(LmpProfile *p) {
    uintptr_t was = atomic_load(&p->pass.thread);
    if (was) atomic_compare_exchange_strong(&p->pass.thread, &was, foreign_thread());
}

void foreign_forked(LmpProfile *p) {
    atomic_store(&p->pass.thread, NO_THREAD);
}

void foreign_end(LmpProfile *p) {
    atomic_store(&p->foreign.tries, 0);
    foreign_forked(p);
}

void foreign_clear(LmpProfile *p) {
    LmpForeign *s = &p->foreign;
    atomic_store(&s->passed, 0);
    atomic_store(&s->clashes, 0);
    atomic_store(&s->apart, 0);
    atomic_store(&s->mixed, 0);
}

/* ---- births ---------------------------------------------------------------------------------- */

bool foreign_is_birth(size_t type_tag, size_t nsize) {
    return type_tag == LUA_TTHREAD && nsize == collector_birth()->size && nsize > 0;
}

/* Returns, only once, the block that this thread was given for a state; NULL: none. */
static void *expected(LmpProfile *p) {
    uintptr_t here = foreign_thread();
    for (int i = 0; i < LMP_NEWBORNS; i++) {
        LmpNewborn *n = &p->foreign.newborn[i];
        uintptr_t was = here;
        if (!atomic_compare_exchange_strong(&n->thread, &was, BEING_WRITTEN)) continue;
        void *block = n->block;
        atomic_store(&n->thread, NO_THREAD);
        atomic_fetch_sub(&p->foreign.expected, 1);
        return block;
    }
    return NULL;
}

/* Notes that this thread is setting up a state in the block. Where too many are being set up, the
 * oldest notes are lost: those states stay with our allocator. */
static void expect(LmpProfile *p, void *block) {
    uintptr_t here = foreign_thread();
    expected(p); /* drops a note that was abandoned */
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < LMP_NEWBORNS; i++) {
            LmpNewborn *n = &p->foreign.newborn[i];
            uintptr_t was = round ? atomic_load(&n->thread) : NO_THREAD;
            if (was == BEING_WRITTEN) continue;
            if (!atomic_compare_exchange_strong(&n->thread, &was, BEING_WRITTEN)) continue;
            if (was == NO_THREAD) atomic_fetch_add(&p->foreign.expected, 1);
            n->block = block;
            atomic_store(&n->thread, here);
            return;
        }
    }
}

static uintptr_t word_at(const char *block, size_t offset) {
    uintptr_t w;
    memcpy(&w, block + offset, sizeof w);
    return w;
}

/* Gives a newborn the allocator below. Returns false if the block holds no state with our
 * allocator: the state has one of its own, or will have. */
static bool set_free(LmpProfile *p, char *block) {
    const LmpBirth *b = collector_birth();
    if (word_at(block, b->state + b->link) != (uintptr_t)block + b->global ||
        !allocs_have((lua_Alloc)word_at(block, b->global)) ||
        word_at(block, b->global + sizeof(uintptr_t)) != (uintptr_t)p)
        return false;
    lua_setallocf((lua_State *)(void *)(block + b->state), p->pass.alloc, p->pass.ud);
    atomic_fetch_add(&p->foreign.apart, 1);
    return true;
}

COLD void *foreign_birth(LmpProfile *p, size_t nsize) {
    void *block = p->pass.alloc(p->pass.ud, NULL, LUA_TTHREAD, nsize);
    if (!block) return NULL;
    expect(p, block);
    p->expecting = true;
    slow_path_route(p);
    return block;
}

COLD bool foreign_settle(LmpProfile *p, void **mixed) {
    p->expecting = false;
    slow_path_route(p);
    char *block = expected(p);
    if (!block) return false;
    if (set_free(p, block)) return true;
    atomic_fetch_add(&p->foreign.mixed, 1);
    *mixed = block;
    return false;
}

/* ---- other threads --------------------------------------------------------------------------- */

LMP_READS_REGS static bool holds(const uintptr_t *from, const uintptr_t *to, uintptr_t disguised) {
    for (; from < to; from++)
        if (disguise(*(const volatile uintptr_t *)from) == disguised) return true; /* NOLINT: any */
    return false;
}

/* Returns true if a word is in a callee-saved register, or on the stack up to a few words above
 * `above`. Words beyond the end of a page are fetched by a system call: a small stack may end
 * there. */
__attribute__((noinline)) LMP_READS_REGS static bool
stands_above(const char *above, LmpSavedRegs regs, uintptr_t disguised) {
    const uintptr_t *from = regs;
    if (!regs) {
#if defined __x86_64__ && defined __LP64__
        /* Not optimized: all registers but the frame pointer are as our caller left them; the frame
         * pointer was pushed first. */
        uintptr_t kept[5];
        __asm__("movq %%rbx, 0(%0)\n movq %%r12, 8(%0)\n movq %%r13, 16(%0)\n"
                "movq %%r14, 24(%0)\n movq %%r15, 32(%0)"
                :
                : "r"(kept)
                : "memory");
        if (holds(kept, kept + 5, disguised)) return true;
        from = (const uintptr_t *)(const void *)above - 2;
#else
        __builtin_unwind_init(); /* puts the registers on the stack, somewhere below `above` */
        from = __builtin_frame_address(0);
#endif
    }
    uintptr_t end = (uintptr_t)above + ABOVE * sizeof(uintptr_t);
    uintptr_t page = ((uintptr_t)above | (PAGE - 1)) + 1;
    if (holds(from, (const uintptr_t *)(page < end ? page : end), disguised)) /* NOLINT */
        return true;
    uintptr_t beyond[ABOVE];
    return page < end && lmp_os->peek(beyond, (const void *)page, end - page) && /* NOLINT */
           holds(beyond, beyond + (end - page) / sizeof *beyond, disguised);
}

static uint64_t live_bytes(const LmpProfile *p) {
    return *(const volatile uint64_t *)&p->counters->live_bytes;
}

/* Returns true if a request in this thread is made by the profiled state, which has moved here. If
 * its global state is not known, that is assumed. Where it is known, and its bytes change during a
 * second search, another thread is in the state at once. Before the first one says that the state
 * asks, its profile may be over, and its counters unmapped. */
static bool joins(LmpProfile *p, const char *above, LmpSavedRegs regs) {
    uintptr_t was = atomic_load(&p->pass.thread);
    if (!was) return false;
    uintptr_t global = atomic_load(&p->foreign.global);
    if (global) {
        if (!stands_above(above, regs, global)) return false;
        uint64_t live = live_bytes(p);
        (void)stands_above(above, regs, global); /* takes a while */
        if (live_bytes(p) != live) atomic_fetch_add(&p->foreign.clashes, 1);
    }
    return atomic_compare_exchange_strong(&p->pass.thread, &was, foreign_thread());
}

/* ---- forked children ------------------------------------------------------------------------- */

static void (*found)(void);

void foreign_prepare(void (*found_child)(void)) {
    found = found_child;
}

bool foreign_has(LmpProfile *p, lua_State *L) {
    void *ud;
    return allocs_have(lua_getallocf(L, &ud)) && ud == p;
}

/* Handles a request in a child: if the state itself makes it, gives the state the allocator
 * below. */
static COLD void asked_in_child(LmpProfile *p, const LmpRequested *q, const char *above,
                                LmpSavedRegs regs) {
    uintptr_t global = atomic_load(&p->foreign.global);
    if (!pass_over(&p->pass)) return; /* the profile begins just now */
    if (found) found();
    if (q->ptr) return; /* a stack may be moving */
    atomic_fetch_sub(&p->foreign.tries, 1);
    if (!global || !stands_above(above, regs, global)) return;
    atomic_store(&p->foreign.tries, 0);
    if (foreign_has(p, p->main)) lua_setallocf(p->main, p->pass.alloc, p->pass.ud);
    if (p->safepoints->again) safepoint_request_all(p);
}

COLD bool foreign_pass(LmpProfile *p, const LmpRequested *q, const char *above, LmpSavedRegs regs,
                       void **r, void **mixed) {
    if (pass_over(&p->pass)) {
        if (UNLIKELY(atomic_load(&p->foreign.tries))) asked_in_child(p, q, above, regs);
        if (LIKELY(!atomic_load_explicit(&p->foreign.expected, memory_order_relaxed)) &&
            (q->ptr || !foreign_is_birth(q->osize, q->nsize))) {
            *r = p->pass.alloc(p->pass.ud, q->ptr, q->osize, q->nsize);
            return true;
        }
    }
    char *block = expected(p);
    bool newborn = block && set_free(p, block);
    if (!newborn && joins(p, above, regs)) {
        if (block) atomic_fetch_add(&p->foreign.mixed, 1);
        *mixed = block;
        return false;
    }
    *r = p->pass.alloc(p->pass.ud, q->ptr, q->osize, q->nsize);
    if (newborn) return true;
    if (block) atomic_fetch_add(&p->foreign.apart, 1); /* nothing here is counted */
    if (*r && !q->ptr && foreign_is_birth(q->osize, q->nsize)) {
        expect(p, *r);
    } else {
        atomic_fetch_add_explicit(&p->foreign.passed, 1, memory_order_relaxed);
    }
    return true;
}

/* ---- reporting ------------------------------------------------------------------------------- */

/* Returns true if the state has another allocator than ours by now. Then Lua does not call us
 * directly, and our caller tells neither lines nor owners. */
static bool is_covered(LmpProfile *p) {
    return p->main && !p->closing && !foreign_elsewhere(p) &&
           atomic_load(&p->live->state) != LMP_STARTING && !foreign_has(p, p->main);
}

void foreign_tell(LmpProfile *p) {
    LmpStrange *told = &p->live->strange;
    LmpForeign *s = &p->foreign;
    told->apart = atomic_load(&s->apart);
    told->mixed = atomic_load(&s->mixed);
    told->passed = atomic_load(&s->passed);
    told->clashes = atomic_load(&s->clashes);
    if (told->covered || !is_covered(p)) return;
    told->covered = 1;
    p->live->owners_known = 0;
    if (p->live->tables.lines == LMP_LINES_EXACT) p->live->tables.lines = LMP_LINES_APPROXIMATE;
}
