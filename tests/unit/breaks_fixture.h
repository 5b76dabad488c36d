/* breaks_fixture.h - a program with break conditions and its viewer, for the tests of both.
 *
 * The program runs here, in the test's own process: when it pauses, the system call that it would
 * sleep in is ours, and plays the viewer. */
#ifndef LMP_BREAKS_FIXTURE_H
#define LMP_BREAKS_FIXTURE_H

#include "agent/interp/luafacts.h"
#include "profiled.h"

#include <unistd.h>

#include "agent/charge/inspect.h"
#include "agent/hook/break_check.h"
#include "agent/state/profile.h"
#include "base/os.h"
#include "breaks_parsed.h"
#include "own_state.h"
#include "read/view.h"

static LmpOs os; /* os_real but for what the program sleeps in */
static LmpView *view;
static lua_State *L;
static LmpProfile *profile;
static LmpOp op;               /* of the last pause */
static int pauses;             /* so far (count) */
static bool viewer_alive;      /* what the program is told */
static uint32_t sent;          /* sequence of the last list */
static lua_Alloc made_by;      /* of the state to come; NULL: Lua's own */
static bool (*on_pause)(void); /* looks at op; false: the pause goes on. NULL: resume */

static void viewer_in_wait(const void *word, uint32_t value, uint64_t ns) {
    (void)word;
    (void)value;
    (void)ns;
    static uint64_t number;
    ck_assert_uint_eq(atomic_load(&view->live->state), LMP_PAUSED);
    ck_assert(view_copy_op(view, &op));
    if (op.number != number) pauses++;
    number = op.number;
    if (!on_pause || on_pause()) view_pause(view, false);
}

static bool is_alive(uint32_t pid) {
    (void)pid;
    return viewer_alive;
}

static bool is_locked(int fd, uint64_t at) {
    (void)fd;
    (void)at;
    return viewer_alive;
}

static void end(void) {
    own_view_close(view);
    profiler_stop(L, NULL);
    lua_close(L);
    lmp_os = &os_real;
}

static void begin_as(bool lines, bool stacks) {
    suite_closes(end);
    LmpOptions options = profiler_defaults;
    os = os_real;
    os.futex_wait = viewer_in_wait;
    os.alive = is_alive;
    os.locked = is_locked;
    lmp_os = &os;
    viewer_alive = true;
    on_pause = NULL;
    pauses = 0;
    L = made_by ? luafacts_newstate(made_by, NULL) : luaL_newstate();
    luaL_openlibs(L);
    options.lines = lines;
    options.stacks = stacks;
    profile = profiled_start(L, options);
    view = own_view();
}

static inline void begin(void) {
    begin_as(true, false);
}

/* Sets these conditions, up to a NULL; "-..." is one switched off. */
static void want(const char *first, ...) {
    LmpBreak row[LMP_BREAKS];
    uint32_t n = 0;
    va_list args;
    va_start(args, first);
    for (const char *text = first; text; text = va_arg(args, const char *)) {
        row[n] = parsed(text + (*text == '-'));
        row[n++].on = *text != '-';
    }
    va_end(args);
    sent = view_breaks(view, row, n);
}

/* Runs a script under the name "@src/prog.lua". */
static void run(const char *script) {
    run_chunk(L, "@src/prog.lua", script);
}

/* Runs it with one condition and gives how often it paused. */
static inline int run_with(const char *condition, const char *script) {
    run("collectgarbage() collectgarbage()"); /* so that no string is there already */
    want(condition, NULL);
    pauses = 0;
    run(script);
    return pauses;
}

static inline bool goes_fast(void) {
    bool none = !profile->breaks->on && inspect_on(profile); /* that passes by itself */
    return none || profile->trap == &profile->control->trap;
}

static inline const LmpLocal *local_of(const char *name) {
    const LmpLocal *found = NULL;
    for (uint32_t i = 0; i < op.locals; i++) /* the last of a name hides those before */
        if (strcmp(op.local[i].name, name) == 0) found = &op.local[i];
    return found;
}

static inline void local_is(const char *name, const char *type, const char *value) {
    const LmpLocal *local = local_of(name);
    ck_assert_msg(local, "no local '%s' of %u", name, op.locals);
    ck_assert_str_eq(local->type, type);
    ck_assert_msg(strlen(value) == local->size && !memcmp(value, local->value, local->size),
                  "%s is '%.*s', not '%s'", name, (int)local->size, local->value, value);
}

#endif
