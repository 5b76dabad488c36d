/* fake_threads.h - threads and call frames of an interpreter, made by hand: only the parts that
 * frames.h reads. */
#ifndef LMP_FAKE_THREADS_H
#define LMP_FAKE_THREADS_H

#include <sys/mman.h>

#include "agent/interp/frames.h"
#include "agent/state/profile.h"
#include "base/kind.h"
#include "suite.h"

enum { EXTRA = 8, STALE = 1 << 14, HOOKED = 1 << 3, JUMP = 20, STACK = 21 }; /* words, bits */
enum { FRAMES = 24, THREADS = 80, MAIN = 0 };
enum { LINE_FN = 0x7000, CLOSURE_FN = 0x7100 };

typedef struct Thread {
    _Alignas(16) uintptr_t word[24];
    uintptr_t frame[FRAMES][8], slot[2 * FRAMES][2];
    uintptr_t closure[6]; /* of wrap */
    int depth;            /* of its frames; 0: the bottom one alone, of no function */
    uint32_t entry;       /* in the map; 0: it is not there */
} Thread;

/* Memory, zeroed: at the same address in each run, where the system allows it, and at a multiple of
 * a MiB in any, so that the same things share a slot of a cache each time. */
static inline void *fixed_memory(size_t size) {
    static uintptr_t next = (uintptr_t)1 << 45;
    enum { MIB = 1 << 20 };
    char *area = mmap((void *)next, size + MIB, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert(area != MAP_FAILED);
    next += (size / MIB + 4) * MIB;
    return area + (-(uintptr_t)area & (MIB - 1));
}

static Thread *t; /* THREADS of them */
static uintptr_t proto[16], lua_closure[6];

static lua_State *thread(int i) {
    return (lua_State *)(void *)t[i].word;
}

static LmpCallInfo *frame(int i, int depth) {
    return (LmpCallInfo *)(void *)t[i].frame[depth];
}

static inline LmpCallInfo *top(int i) {
    return frame(i, t[i].depth);
}

static void put(void *base, size_t at, uintptr_t word) {
    memcpy((char *)base + at, &word, sizeof word);
}

/* A prototype with that code, and a closure of it. */
static inline void put_proto(uintptr_t *of, uintptr_t *closure, const uint32_t *code,
                             uint32_t size) {
    memcpy((char *)of + LMP_AT_PROTO_SIZECODE, &size, sizeof size);
    put(of, LMP_AT_PROTO_CODE, (uintptr_t)code);
    closure[3] = (uintptr_t)of;
}

static void set_status(LmpCallInfo *ci, unsigned status) {
    LmpCallStatus s = (LmpCallStatus)status;
    memcpy((char *)ci + LMP_AT_CI_STATUS, &s, sizeof s);
}

static inline void enter(int i, int depth) {
    t[i].depth = depth;
    put(t[i].word, LMP_AT_L_CI, (uintptr_t)frame(i, depth));
    put(t[i].word, LMP_AT_L_TOP, (uintptr_t)t[i].slot[2 * depth + 1]);
}

static inline void call(int i, unsigned tag, uintptr_t value, unsigned status, uintptr_t pc) {
    int depth = t[i].depth + 1;
    uintptr_t *slot = t[i].slot[2 * depth];
    slot[0] = value;
    put(slot, LMP_AT_SLOT_TAG, tag);
    put(t[i].frame[depth], LMP_AT_CI_FUNC, (uintptr_t)slot);
    put(t[i].frame[depth], LMP_AT_CI_PREVIOUS, (uintptr_t)top(i));
    put(t[i].frame[depth], LMP_AT_CI_SAVEDPC, pc);
    set_status(frame(i, depth), status);
    enter(i, depth);
}

static inline void call_closure(int i, const uintptr_t *closure, uintptr_t pc) {
    call(i, LMP_TAG_LUA_CLOSURE, (uintptr_t)closure, 0, pc);
}

static inline void call_lua(int i, uintptr_t pc) {
    call_closure(i, lua_closure, pc);
}

static inline void call_c(int i) {
    call(i, LMP_TAG_LIGHT_C, LINE_FN, LMP_CI_C, 0);
}

/* The thread is the first argument of what i runs. */
static inline void give(int i, int other) {
    uintptr_t *first = t[i].slot[2 * t[i].depth + 1];
    first[0] = (uintptr_t)thread(other);
    put(first, LMP_AT_SLOT_TAG, LMP_TAG_THREAD);
    put(t[i].word, LMP_AT_L_TOP, (uintptr_t)(first + 2));
}

/* coroutine.resume. */
static inline void call_resume(int i, int other) {
    call_c(i);
    give(i, other);
}

/* What coroutine.wrap has made: the thread is its upvalue, of `upvalues`. */
static inline void call_wrapped(int i, int other, int upvalues, unsigned tag) {
    t[i].closure[3] = CLOSURE_FN;
    ((char *)t[i].closure)[LMP_AT_CLOSURE_UPVALUES] = (char)upvalues;
    t[i].closure[4] = (uintptr_t)thread(other);
    t[i].closure[5] = tag;
    call(i, LMP_TAG_C_CLOSURE, (uintptr_t)t[i].closure, LMP_CI_C, 0);
}

static inline void set_jump(int i, uintptr_t jump) {
    t[i].word[JUMP] = jump;
}

static inline void set_idle(int i, bool idle) {
    ((char *)t[i].word)[LMP_AT_L_STATUS] = idle ? LUA_YIELD : LUA_OK;
}

/* No thread has a function; all are in the map. */
static inline void threads_begin(void) {
    if (!t) t = fixed_memory(THREADS * sizeof *t);
    memset(t, 0, THREADS * sizeof *t);
    frames_bits = (LmpFrameBits){.hooked = HOOKED,
                                 .c_or_hooked = HOOKED | LMP_CI_C | STALE,
                                 .stale = STALE,
                                 .at_jump = JUMP * sizeof(uintptr_t),
                                 .at_stack = STACK * sizeof(uintptr_t),
                                 .extra = EXTRA};
    lua_closure[3] = (uintptr_t)proto;
    for (int i = 0; i < THREADS; i++) {
        t[i].word[0] = 1;
        set_status(frame(i, 0), LMP_CI_C);
        enter(i, 0);
        t[i].entry = LMP_C_THREAD | LMP_BLOCK_NOTIFY;
    }
}

#endif
