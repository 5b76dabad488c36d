/* Tests that a program that has ended keeps no memory but what its reports need, and that one that
 * somebody looks at keeps it. */
#include "run/giveback.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "profiled.h"
#include "read/view.h"
#include "report/formats/formats.h"
#include "shared/recnote.h"

/* A history fills in 25 seconds, which a slow machine takes. */
enum { MOST_KIB = 256 + sizeof(LmpHistory) / 1024 };

static const char program[] = "local kept = {} for i = 1, 300000 do kept[i] = { i } end"
                              " local function leak(n) kept[#kept + 1] = ('x'):rep(n) end"
                              " for i = 1, 1000 do leak(i) end";

static LmpView view; /* large */
static int state;
static uint32_t gone; /* the pid of a process that has ended */

/* Every report of what is in the file now. */
static void reports(char *text[REPORTS], size_t size[REPORTS]) {
    static LmpReport report; /* large */
    ck_assert_int_eq(view_open(&view, dup(state)), LMP_OK);
    for (int i = 0; i < REPORTS; i++) {
        const LmpReportKind *kind = &report_kinds[i];
        report_fill_with(&report, view.header, view.live, &view.tables, kind->parts,
                         view.live->clock, "ended", LEDGER_END);
        ck_assert_int_eq(kind->write(&report, suite_write()), LMP_OK);
        text[i] = suite_written();
        size[i] = suite_wrote;
        report_close(&report);
    }
    view_close(&view);
}

static void open_ended(void) {
    LmpOptions options = profiler_defaults;
    lua_State *L = new_state();
    options.stacks = true;
    LmpProfile *p = profiled_start(L, options);
    state = dup(p->file.fd);
    ck_assert_int_eq(luaL_loadstring(L, program), LUA_OK);
    ck_assert_int_eq(lua_pcall(L, 0, 0, 0), LUA_OK);
    ck_assert_int_eq(profiler_stop(L, NULL), LMP_OK);
    lua_close(L);
    pid_t pid = fork();
    if (pid == 0) _exit(0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    gone = (uint32_t)pid;
}

static long long kib(void) {
    struct stat st;
    ck_assert_int_eq(fstat(state, &st), 0);
    return (long long)st.st_blocks / 2;
}

TEST(reports_are_the_same) {
    char *before[REPORTS], *after[REPORTS];
    size_t had[REPORTS], has[REPORTS];
    open_ended();
    reports(before, had);
    ck_assert_int_gt(kib(), 4 * 1024);
    ck_assert(giveback(state, gone));
    ck_assert_int_le(kib(), MOST_KIB);
    reports(after, has);
    for (int i = 0; i < REPORTS; i++) {
        ck_assert_msg(had[i] > 0 && had[i] == has[i] && !memcmp(before[i], after[i], had[i]), "%s",
                      report_kinds[i].name);
        free(before[i]);
        free(after[i]);
    }
    ck_assert_int_eq(view_open(&view, dup(state)), LMP_OK); /* by a display that comes late */
    ck_assert_uint_gt(view.live->leaves, 0);
    ck_assert_uint_eq(view.leaves, 0);
    view_close(&view);
}

/* What keeps it, and what no longer does. */
TEST(while_somebody_looks) {
    open_ended();
    long long whole = kib();
    char path[64];
    ck_assert_int_eq(view_open(&view, dup(state)), LMP_OK);
    ck_assert(!giveback(state, 0));
    atomic_store(&view.control->attached, 1);
    ck_assert(!giveback(state, gone));
    atomic_store(&view.control->attached, 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", state);
    int recorder = open(path, O_RDWR | O_CLOEXEC);
    ck_assert(lmp_os->lock(recorder, LMP_RECORD_LOCK));
    ck_assert(!giveback(state, gone));
    close(recorder);
    LmpLive *live = lmp_os->map(LMP_OVERFLOW_AT - LMP_LIVE_AT, state, LMP_LIVE_AT, true);
    live->snapshot.state = LMP_SNAPSHOT_RUNS;
    ck_assert(!giveback(state, gone));
    live->snapshot.state = LMP_SNAPSHOT_NONE;
    atomic_store(&live->state, LMP_RUNNING);
    ck_assert(!giveback(state, (uint32_t)getpid()));
    ck_assert_int_ge(kib(), whole);
    atomic_store(&live->state, LMP_FINISHED);
    ck_assert(!giveback(state, (uint32_t)getpid())); /* which has it mapped */
    lmp_os->unmap(live, LMP_OVERFLOW_AT - LMP_LIVE_AT);
    view_close(&view);
    ck_assert(giveback(state, (uint32_t)getpid()));
    ck_assert_int_le(kib(), MOST_KIB);
}

static void refuse(int fd, uint64_t at, uint64_t size) {
    (void)fd, (void)at, (void)size;
}

TEST(refused) {
    LmpOs os = os_real;
    char *text[REPORTS];
    size_t size[REPORTS];
    open_ended();
    os.punch = refuse;
    lmp_os = &os;
    ck_assert(giveback(state, gone)); /* once is enough */
    lmp_os = &os_real;
    reports(text, size);
    ck_assert_uint_gt(size[REPORT_SUMMARY], 0);
    for (int i = 0; i < REPORTS; i++)
        free(text[i]);
}
