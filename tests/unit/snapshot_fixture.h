/* snapshot_fixture.h - a program with a viewer (breaks_fixture.h) that writes snapshots into a
 * directory of its own, for the suites of taking them. */
#ifndef LMP_SNAPSHOT_FIXTURE_H
#define LMP_SNAPSHOT_FIXTURE_H

#include "agent/hook/snapshot.h" /* before an L of the fixture's own */

#include "breaks_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "agent/hook/slow_path.h"
#include "base/forkos.h"
#include "shared/snapfile.h"

static char directory[64], name[128];
static LmpSnapshotLive last;
static ForkOs refusing;

/* ---- a program in a directory of its own ----------------------------------------------------- */

static pid_t program; /* the child does not play the viewer */

static void wait_really(const void *word, uint32_t value, uint64_t ns) {
    if (getpid() == program && atomic_load(&view->live->state) == LMP_PAUSED)
        viewer_in_wait(word, value, ns);
    else
        os_real.futex_wait(word, value, ns);
}

static int api_ask(lua_State *T) {
    lua_pushinteger(T, view_snapshot(view, lua_tostring(T, 1), lua_toboolean(T, 2)));
    return 1;
}

/* Is the child still at work, or something not merged? */
static int api_busy(lua_State *T) {
    const LmpControl *control = view->control;
    bool heard = atomic_load(&control->snapshot) == atomic_load(&view->live->snapshot.taken);
    lua_pushboolean(T, !heard || profile->slow->snapshot || profile->snapshots->errand.due ||
                           profile->snapshots->errand.waits);
    return 1;
}

static void fork_really(void) {
    fork_os = &forkos_real;
}

/* Nothing is left but what was asked for, and nobody. */
static void finish(void) {
    unlink(name);
    ck_assert_msg(rmdir(directory) == 0, "%s", strerror(errno));
    ck_assert_int_eq(waitpid(-1, NULL, __WALL | WNOHANG), -1);
}

static void start(bool lines, bool stacks) {
    suite_closes(finish);
    begin_as(lines, stacks);
    suite_closes(fork_really);
    os.futex_wait = wait_really;
    program = getpid();
    fork_os = &forkos_real;
    snprintf(directory, sizeof directory, "/tmp/lmp-snapshot-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(name, sizeof name, "%s/x.heap", directory);
    lua_register(L, "ask", api_ask);
    lua_register(L, "busy", api_busy);
    lua_pushstring(L, name);
    lua_setglobal(L, "NAME");
    run("T = {} function churn(n) for i = 1, n do T[i % 997] = {i, 'x' .. i, function() return i "
        "end} "
        "end end\n"
        "function settle() local n = 0 while busy() do churn(100) n = n + 1 assert(n < 1e6) end "
        "end\n"
        "churn(5000)");
}

/* The file is whole, and has all that the totals had. */
static inline LmpObjectInfo check_file(const char *path) {
    LmpSnapRead read;
    struct stat st;
    int fd = open(path, O_RDONLY);
    ck_assert_msg(fd >= 0, "%s: %s", path, strerror(errno));
    fstat(fd, &st);
    ck_assert_uint_eq(st.st_mode & 07777, 0600);
    ck_assert_int_eq(snapfile_read(&read, fd), LMP_OK);
    close(fd);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < read.graph.objects; i++)
        if (!(read.graph.flags[i] & LMP_OBJECT_BEFORE)) sum += read.graph.size[i];
    ck_assert_uint_eq(sum, read.info.live_bytes);
    ck_assert_uint_gt(read.info.live_bytes, 100000);
    LmpObjectInfo info = read.info;
    if (read.whole) { /* the tables of that moment, for a display of the file */
        static LmpView of;
        ck_assert_int_eq(view_open_whole(&of, read.whole), LMP_OK);
        ck_assert_uint_eq(of.live->counters.live_bytes, info.live_bytes);
        ck_assert_uint_eq(of.live->snapshot.frozen, 0);
        ck_assert_uint_eq(of.live->clock, info.clock);
    }
    snapfile_free(&read);
    return info;
}

static inline const LmpSnapshotLive *look(void) {
    ck_assert(view_copy_snapshot(view, &last));
    return &last;
}

/* What the map knows is what was counted, and viewers see it all. */
static void check_figures(void) {
    fork_os = &forkos_real;
    lua_gc(L, LUA_GCCOLLECT);
    ck_assert(!profile->slow->snapshot && !profile->snapshots->freeze.on);
    ck_assert_uint_eq(view->live->snapshot.frozen, 0);
    LmpSnapshotWish wish = {.file = name, .in_place = true};
    ck_assert_int_eq(snapshot_take(profile, &wish, NULL), LMP_OK);
    ck_assert_uint_eq(check_file(name).live_bytes, view->live->counters.live_bytes);
    if (profile->lines)
        ck_assert_uint_eq(tables_records(&view->tables), view->live->tables.records);
}

#endif
