/* test_snapshot_trouble.c - snapshots in the middle of trouble: whatever the system refuses at any
 * moment, wherever the program stands, whoever asked and is gone. There is a whole file or none and
 * the reason, the program and its figures are unharmed, and the next snapshot works. */
#include "snapshot_fixture.h"

#include <dirent.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "read/stats.h"

/* ---- refusals -------------------------------------------------------------------------------- */

typedef enum { ONCE, FOR_EVER, HOWS } How;

/* What a child has asked for counts as well: in memory that both have. */
static struct Seen { _Atomic int asked, refused, in_child; } * seen;
static int refuse_at; /* counts from 1; 0: nothing is */
static How how;

static bool refuses(void) {
    int n = atomic_fetch_add(&seen->asked, 1) + 1;
    if (!refuse_at || n < refuse_at || (n > refuse_at && how == ONCE)) return false;
    seen->refused++;
    if (getpid() != program) seen->in_child++;
    return true;
}

static void begin_refusing(int at, How as) {
    seen->asked = seen->refused = seen->in_child = 0;
    refuse_at = at;
    how = as;
}

static void start_to_refuse(void) {
    start(true, true);
    seen = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(seen != MAP_FAILED);
    refuse_at = 0;
}

/* ---- what must be so whatever happens -------------------------------------------------------- */

static int files_left(void) {
    DIR *list = opendir(directory);
    int n = -2; /* itself and the one above */
    while (readdir(list))
        n++;
    closedir(list);
    return n;
}

static LmpObjectInfo written; /* of the last file */

/* True: there is a whole file, which is removed. Else there is none, and `line` (512 bytes) says
 * why. */
static bool outcome(char *line) {
    look();
    stats_snapshot(line, 512, &last);
    if (last.state == LMP_SNAPSHOT_WRITTEN) {
        written = check_file(name);
        ck_assert_uint_eq(written.live_bytes, last.live_bytes);
        ck_assert_int_eq(unlink(name), 0);
    } else {
        ck_assert_uint_eq(last.state, LMP_SNAPSHOT_FAILED);
        ck_assert_int_ne(last.error, LMP_E_CHILD); /* it has not crashed */
    }
    ck_assert_int_eq(files_left(), 0);
    return last.state == LMP_SNAPSHOT_WRITTEN;
}

/* The next one works, by a child and, in turn, in place. */
static void next_works(void) {
    static unsigned turn;
    LmpSnapshotLive s;
    char line[512];
    fork_os = &forkos_real;
    run("churn(100)");
    ck_assert_int_eq(profiler_snapshot(L, name, false, true, &s), LMP_OK);
    ck_assert_uint_eq(s.forked, 1);
    ck_assert(outcome(line));
    if (turn++ % 4) return;
    check_figures();
    unlink(name);
}

static void take_as(bool in_place, LmpSnapshotHow as) {
    LmpSnapshotWish wish = {.file = name, .in_place = in_place, .how = as};
    snapshot_take(profile, &wish, NULL); /* how it went is told to viewers */
    run("settle()");
    lmp_os = &os;
}

static void take(bool in_place) {
    take_as(in_place, LMP_SNAPSHOT_ALL);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static LmpOs scarce;

static void *scarce_map(size_t size, int fd, uint64_t offset, bool writable) {
    return refuses() ? NULL : os.map(size, fd, offset, writable);
}

static bool scarce_grow(int fd, uint64_t size) {
    return !refuses() && os.grow(fd, size);
}

static void each_request_for_memory(bool in_place) {
    char line[512];
    start_to_refuse();
    scarce = os;
    scarce.map = scarce_map;
    scarce.grow = scarce_grow;
    for (int as = 0; as < HOWS; as++) {
        int failed = 0, children = 0;
        for (int at = 1;; at += as == ONCE ? 1 : 1 + at / 6) {
            ck_assert_int_lt(at, 500);
            begin_refusing(at, (How)as);
            lmp_os = &scarce;
            take(in_place);
            int refused = seen->refused;
            children += seen->in_child > 0;
            if (!outcome(line)) {
                failed++;
                ck_assert_int_eq(last.error, LMP_E_NOMEM);
                ck_assert_int_eq(strncmp(line, "no snapshot: no memory", 22), 0);
            }
            next_works();
            if (!refused) break;
        }
        ck_assert_int_gt(failed, 10);
        if (!in_place) ck_assert_int_gt(children, 10);
    }
}

TEST(memory_is_refused_to_the_child) {
    each_request_for_memory(false);
}

TEST(memory_is_refused_in_place) {
    each_request_for_memory(true);
}

/* ---- the other calls of the system ----------------------------------------------------------- */

static int refused_fork(int (*f)(void *), void *stack_end, void *of) {
    return refuses() ? -EAGAIN : forkos_real.fork(f, stack_end, of);
}
static void *refused_own_copy(size_t size, int fd, uint64_t offset) {
    return refuses() ? NULL : forkos_real.own_copy(size, fd, offset);
}
static void refused_drop(void *at, size_t size) {
    if (!refuses()) forkos_real.drop(at, size);
}
static bool refused_own_pages(const void *at, size_t pages, uint64_t *own) {
    return !refuses() && forkos_real.own_pages(at, pages, own);
}
static int refused_text(const char *path, char *out, size_t size) {
    if (!refuses()) return forkos_real.text(path, out, size);
    *out = 0;
    return -1;
}
static bool refused_set_text(const char *path, const char *text) {
    return !refuses() && forkos_real.set_text(path, text);
}
static int refused_nameless(const char *where) {
    return refuses() ? -1 : forkos_real.nameless(where);
}
static ssize_t refused_write(int fd, const void *bytes, size_t n) {
    if (!refuses()) return forkos_real.write(fd, bytes, n);
    errno = EIO;
    return -1;
}

enum { FORK, OWN_COPY, DROP, OWN_PAGES, TEXT, SET_TEXT, NAMELESS, WRITE, CALLS };

static void refuse_call(int call) {
    refusing = forkos_real;
    if (call == FORK) refusing.fork = refused_fork;
    if (call == OWN_COPY) refusing.own_copy = refused_own_copy;
    if (call == DROP) refusing.drop = refused_drop;
    if (call == OWN_PAGES) refusing.own_pages = refused_own_pages;
    if (call == TEXT) refusing.text = refused_text;
    if (call == SET_TEXT) refusing.set_text = refused_set_text;
    if (call == NAMELESS) refusing.nameless = refused_nameless;
    if (call == WRITE) refusing.write = refused_write;
    fork_os = &refusing;
}

/* For a snapshot that nobody has asked for the program does not stand while it is written. */
TEST(none_by_itself_without_a_child) {
    char line[512];
    start_to_refuse();
    take_as(false, LMP_SNAPSHOT_ITSELF);
    ck_assert(outcome(line));
    ck_assert_ptr_nonnull(strstr(line, "taken by itself for the note"));
    ck_assert_ptr_null(strstr(line, name));
    begin_refusing(1, FOR_EVER);
    refuse_call(FORK);
    take_as(false, LMP_SNAPSHOT_ITSELF);
    ck_assert(!outcome(line));
    ck_assert_int_eq(last.error, LMP_E_STOPPED);
    ck_assert_str_ne(last.why_in_place, "");
    next_works();
}

/* Only what cannot be written is no snapshot. */
static void each_time(int call, How as) {
    enum { TIMES = 25 };
    char line[512];
    int refused = 1;
    start_to_refuse();
    for (int at = 1; refused && at < TIMES; at++) {
        begin_refusing(at, as);
        refuse_call(call);
        take(false);
        refused = seen->refused;
        ck_assert_msg(at > 1 || refused, "call %d is not made", call);
        ck_assert_int_eq(outcome(line), call != WRITE || !refused);
        if (last.state == LMP_SNAPSHOT_FAILED) {
            ck_assert_int_eq(last.error, LMP_E_FILE);
            ck_assert_ptr_nonnull(strstr(line, "cannot write the file: Input/output error"));
        }
        next_works();
    }
}

TEST(each_call_is_refused) {
    for (int call = 0; call < CALLS; call++) {
        each_time(call, ONCE);
        each_time(call, FOR_EVER);
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* Of the size of files, lowered while the program runs: the signal would end it. */
TEST(files_are_limited) {
    enum { SMALL = 20000 };
    char line[512];
    struct rlimit before, low;
    start(true, true);
    getrlimit(RLIMIT_FSIZE, &before);
    for (int in_place = 0; in_place < 2; in_place++) {
        low = before;
        low.rlim_cur = SMALL;
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &low), 0);
        take(in_place);
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
        ck_assert(!outcome(line));
        ck_assert_int_eq(last.error, LMP_E_FILE);
        ck_assert_int_eq(last.os_error, EFBIG);
        ck_assert_ptr_nonnull(strstr(line, "cannot write the file: File too large"));
        next_works();
    }
}

/* ---- wherever the program stands ------------------------------------------------------------- */

/* X() is called in the middle of it. */
static const char *const places[] = {
    /* finalizers, at full collections and at steps, in both modes, and when a state is closed */
    "setmetatable({}, {__gc = function() X() end}) collectgarbage()",
    "collectgarbage('generational') for i = 1, 3 do setmetatable({}, {__gc = i == 2 and X}) end "
    "collectgarbage('step') collectgarbage() collectgarbage('incremental')",
    "local done setmetatable({}, {__gc = function() X() done = true end}) "
    "while not done do collectgarbage('step', 1) end",
    /* between steps of a collection */
    "for i = 1, 30 do collectgarbage('step', 0) if i % 10 == 0 then X() end end",
    /* handlers of errors, and of one in a handler */
    "assert(not xpcall(function() local x = nil + 1 end, function(m) X() return m end))",
    "assert(not xpcall(error, function(m) if not E then E = 1 X() end error(m) end, {}))",
    "pcall(function() local x <close> = setmetatable({}, {__close = function() X() end}) error {} "
    "end)",
    /* the parser asks for more of the text, and what it has made so far is held by its stack alone
     */
    "local n = 0 assert(load(function() n = n + 1 if n == 20 then X() end return n < 40 and "
    "'local a' .. n .. ' = {\"k' .. n .. '\", function() return ' .. n .. ' end} ' or nil end))",
    "local n = 0 pcall(load, function() n = n + 1 if n == 3 then X() error {} end return 'do local "
    "x = {1} ' end)",
    "package.preload.z = function() X() return 1 end require 'z' package.loaded.z = nil",
    /* coroutines: running, in each other, being closed */
    "coroutine.wrap(function(...) local a = {...} X() coroutine.yield(a) end)({}, 1)",
    "coroutine.wrap(function() local b = {} coroutine.wrap(function() local c = {b} X() return c "
    "end)() return b end)()",
    "local c = coroutine.create(function() local x <close> = setmetatable({}, {__close = "
    "function() X() end}) "
    "coroutine.yield() end) coroutine.resume(c) assert(coroutine.close(c))",
    /* C functions that call back, metamethods, an iterator, a hook */
    "local once table.sort({3, 1, 2, 5, 4}, function(a, b) if not once then once = true X() end "
    "return a < b end)",
    "local r = ('abc'):gsub('b', function(x) X() return x end)",
    "local m = setmetatable({}, {__index = function() X() return {} end, __concat = function() X() "
    "return '' end}) "
    "local a = #m.x .. (m .. 'y')",
    "for i in function(_, i) if not i then X() return 1 end end do local t = {i} end",
    "local function deep(n) if n == 0 then X() else pcall(deep, n - 1) end end deep(150)",
    "local n = 0 debug.sethook(function() n = n + 1 if n == 20 then X() end end, '', 1) "
    "for i = 1, 50 do local t = {i} end debug.sethook()",
    /* the handler of a stack that has overflown */
    "local function f() return 1 + f() end local n = 0 "
    "xpcall(f, function(m) n = n + 1 if n == 1 then X() end return m end)",
};
enum { PLACES = sizeof places / sizeof *places };
static int taken;

static void check_taken(bool paused) {
    char line[512];
    ck_assert_msg(outcome(line), "%s", line);
    ck_assert_uint_eq(written.paused, paused);
    taken++;
}

/* The script's own. */
static int api_take(lua_State *T) {
    LmpSnapshotLive s;
    LmpSnapshotWish wish = {.file = name, .in_place = true};
    ck_assert_int_eq(profiler_snapshot(T, name, taken % 2, true, &s), LMP_OK);
    check_taken(false);
    ck_assert_int_eq(snapshot_take(profile, &wish, NULL), LMP_OK);
    check_taken(false);
    return 0;
}

TEST(the_script_asks_anywhere) {
    start(true, true);
    lua_register(L, "X", api_take);
    for (int i = 0; i < PLACES; i++) {
        taken = 0;
        run("E = nil");
        run(places[i]);
        ck_assert_msg(taken >= 2, "%s: %d taken", places[i], taken);
    }
    check_figures();
}

/* A viewer's: at the next instruction at which there can be a hook, which in a finalizer or another
 * hook is the first after it. */
TEST(a_viewer_asks_anywhere) {
    start(true, true);
    for (int i = 0; i < PLACES; i++) {
        taken = 0;
        unsigned number = look()->number;
        run("function X() ask(NAME, false) local n = 0 while busy() and n < 300 do "
            "churn(10) n = n + 1 end end");
        run("E = nil");
        run(places[i]);
        run("settle()");
        check_taken(false);
        ck_assert_uint_gt(last.number, number);
    }
    check_figures();
}

/* Asks at each pause, and stays until it is done. */
static bool ask_in_pause(void) {
    static uint32_t asked;
    static int at;
    if (at != pauses || !asked) {
        at = pauses;
        asked = view_snapshot(view, name, LMP_SNAPSHOT_COLLECT);
        return false;
    }
    if (atomic_load(&view->live->snapshot.taken) != asked || profile->slow->snapshot) return false;
    check_taken(true);
    asked = 0;
    return true;
}

TEST(within_an_operation_anywhere) {
    start(true, false); /* with call paths each of a stack that overflows takes seconds */
    want("size 300000", NULL);
    on_pause = ask_in_pause;
    run("function X() local s = ('y'):rep(400000) end");
    for (int i = 0; i < PLACES; i++) {
        taken = 0;
        run("E = nil");
        run(places[i]);
        ck_assert_msg(taken >= 1, "%s: %d taken", places[i], taken);
    }
    taken = 0; /* of the parser, of a table that grows, of the stack */
    run("load('return \"' .. ('k'):rep(400000) .. '\"')()");
    ck_assert_int_ge(taken, 3);
    taken = 0;
    run("local t = {} for i = 1, 40000 do t[i] = i end");
    ck_assert_int_ge(taken, 1);
    taken = 0;
    run("local function f(n) local a, b, c = n, n, {} if n > 0 then return f(n - 1) + 1 end return "
        "0 end f(9000)");
    ck_assert_int_ge(taken, 1);
    want(NULL);
    check_figures();
}

/* ---- whoever asked is gone ------------------------------------------------------------------- */

static bool die_in_pause(void) {
    static int turns;
    if (turns++ == 0) view_snapshot(view, name, LMP_SNAPSHOT_COLLECT);
    if (turns > 1) viewer_alive = false; /* the pause ends by itself */
    return false;
}

TEST(the_viewer_is_gone) {
    char line[512];
    start(true, true);
    run("ask(NAME, true)"); /* before it has been heard */
    viewer_alive = false;
    run("settle()");
    ck_assert(outcome(line));
    viewer_alive = true;
    run("ask(NAME, false) local n = 0 while not (n > 50) do churn(1) n = n + 1 end");
    viewer_alive = false; /* while it is under way */
    run("settle()");
    ck_assert(outcome(line));
    viewer_alive = true;
    want("size 300000", NULL);
    on_pause = die_in_pause;
    run("local s = ('y'):rep(400000) settle()");
    ck_assert(outcome(line));
    viewer_alive = true;
    next_works();
}
