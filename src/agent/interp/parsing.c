/* parsing.c - lua_load calls the parser in protected mode, always from one place in its code: while
 * a chunk is compiled, that return address is on the stack. It is learned from within the reader of
 * a chunk that a private state loads.
 *
 * The fast path follows a thread's protected calls, which are a list on the C stack: above the one
 * that calls the parser, the same few return addresses are found each time, at the same distances,
 * the last of them lua_load's. They are compared from the call upwards: each match proves that the
 * next one is where it is looked for. Where a thread keeps its list is learned, too: in its one
 * word that leads to the calls under way when there are some, and is zero when there are none.
 * Where any of this could not be learned, or the thread is not known, the stack is unwound. */
#include "agent/interp/parsing.h"

#include <lauxlib.h>
#include <stdint.h>
#include <unwind.h>

#include "agent/interp/frames.h"
#include "agent/interp/learning.h"
#include "agent/interp/saved_regs_plan.h"
#include "agent/interp/unwind.h"
#include "agent/state/profile.h"
#include "base/kind.h"

enum {
    DEEPEST = 60,     /* frames that are looked at; nested source takes some for each level */
    STEPS_MOST = 8,   /* from a protected call up to lua_load */
    CALLS_MOST = 250, /* protected calls of a thread that are looked at: C calls nest no deeper */
    WORDS_FROM = 5,   /* of a thread, that are looked at: its list is among them */
    WORDS_MOST = 24
};

/* A return address, and how far above the protected call it stands (bytes). */
typedef struct Step {
    uintptr_t at, address;
} Step;

static uintptr_t load_address; /* in lua_load, while the parser runs; 0: unknown */
static Step step[STEPS_MOST];  /* the last is load_address */
static int steps;              /* 0: not known */
static size_t list_at;         /* in lua_State: the innermost protected call */

LMP_READS_REGS static uintptr_t return_at(uintptr_t at) {
    return cpu_address(frames_word((const void *)at, 0)); /* NOLINT: on the stack */
}

/* ---- learning ------------------------------------------------------------------------------- */

typedef struct Learning {
    uintptr_t base;   /* frame of the function that calls lua_load */
    uintptr_t before; /* address in the frame met last */
    uintptr_t from;   /* where that frame ended, and the next one begins */
    uintptr_t found;
    uintptr_t word[WORDS_MOST]; /* of the thread, in the protected call around this */
    uintptr_t call;             /* the parser's; 0: not known */
    size_t at;                  /* where its thread has it */
    Step step[STEPS_MOST];
    int steps;
} Learning;

/* Notes where the return address stands that leads from the frame [from, end) to this address. A
 * step that is not found there, or one too many, makes all of them unknown. */
LMP_READS_REGS static void learn_step(Learning *l, struct _Unwind_Context *context, uintptr_t from,
                                      uintptr_t end, uintptr_t address) {
    if (!l->call || end <= l->call) return;
    uintptr_t at = unwind_stands(context, from, end);
    if (l->steps == STEPS_MOST || !at || return_at(at) != address) {
        l->call = 0;
        return;
    }
    l->step[l->steps++] = (Step){at - l->call, address};
}

static _Unwind_Reason_Code learn_frame(struct _Unwind_Context *context, void *arg) {
    Learning *l = arg;
    uintptr_t end = (uintptr_t)_Unwind_GetCFA(context), address = (uintptr_t)_Unwind_GetIP(context);
    if (end > l->base) return _URC_END_OF_STACK;
    l->found = l->before;
    l->before = address;
    learn_step(l, context, l->from, end, address);
    l->from = end;
    return _URC_NO_REASON;
}

LMP_READS_REGS static const char *reads(lua_State *L, void *ud, size_t *size) {
    Learning *l = ud;
    uintptr_t here = (uintptr_t)&l;
    *size = 0;
    if (l->found) return NULL;
    for (size_t i = WORDS_FROM; i < WORDS_MOST; i++) {
        uintptr_t call = frames_word(L, i * sizeof call), outside = l->word[i];
        if (call <= here || call >= l->base || outside <= l->base) continue;
        if (frames_word((const void *)call, 0) != outside) continue; /* NOLINT: on the stack */
        l->call = l->at ? 0 : call;                                  /* there must be but one */
        l->at = i * sizeof call;
    }
    _Unwind_Backtrace(learn_frame, l);
    return NULL;
}

/* Of all frames above the reader's, the outermost below ours is lua_load's. Its address in the walk
 * is the one before the frame in which our function goes on. */
static __attribute__((noinline)) int loads(lua_State *L) {
    Learning l = {.base = (uintptr_t)__builtin_frame_address(0)};
    for (size_t i = WORDS_FROM; i < WORDS_MOST; i++) {
        l.word[i] = frames_word(L, i * sizeof(uintptr_t));
        if (l.word[i] >= *(uintptr_t *)lua_touserdata(L, 1)) l.word[i] = 0; /* not on the stack */
    }
    if (lua_load(L, reads, &l, "=chunk", NULL) == LUA_OK) load_address = l.found;
    if (!l.call || !load_address) return 0;
    while (l.steps > 0 && l.step[l.steps - 1].address != load_address)
        l.steps--; /* our own */
    for (int i = 0; i < l.steps; i++)
        step[i] = l.step[i];
    steps = l.steps;
    list_at = l.at;
    return 0;
}

static void learn(void) {
    lua_State *L = luaL_newstate();
    if (!L) return;
    uintptr_t here = (uintptr_t)&L;
    lua_pushcfunction(L, loads);
    lua_pushlightuserdata(L, &here);
    lua_pcall(L, 1, 0, 0);
    if (steps > 0 && frames_word(L, list_at)) steps = 0; /* nothing is under way any more */
    lua_close(L);
}

void parsing_prepare(void) {
    static atomic_bool once;
    learning_once(&once, learn);
}

/* ---- asking --------------------------------------------------------------------------------- */

typedef struct Search {
    int depth;
    bool found;
} Search;

static _Unwind_Reason_Code look_frame(struct _Unwind_Context *context, void *arg) {
    Search *s = arg;
    s->found = (uintptr_t)_Unwind_GetIP(context) == load_address;
    return s->found || ++s->depth == DEEPEST ? _URC_END_OF_STACK : _URC_NO_REASON;
}

LMP_READS_REGS static bool is_parser(uintptr_t call) {
    for (int i = 0; i < steps; i++)
        if (return_at(call + step[i].at) != step[i].address) return false;
    return true;
}

/* Returns true if the thread runs the parser. */
LMP_READS_REGS static bool parses(const lua_State *L) {
    uintptr_t call = frames_word(L, list_at);
    for (int i = 0; call && i < CALLS_MOST; i++) {
        if (is_parser(call)) return true;
        call = frames_word((const void *)call, 0); /* NOLINT */
    }
    return false;
}

bool parsing_is_known(void) {
    return steps > 0;
}

bool parsing_unwound(void) {
    Search search = {0, false};
    if (load_address) _Unwind_Backtrace(look_frame, &search);
    return search.found;
}

static COLD bool parsing_slowly(const lua_State *L) {
    return (steps > 0 && parses(L)) || parsing_unwound();
}

bool parsing_now(unsigned cls, const lua_State *L, bool certain) {
    if (cls == LMP_C_FUNCTION_PART) return true;
    return LIKELY(certain && steps > 0) ? parses(L) : parsing_slowly(L);
}
