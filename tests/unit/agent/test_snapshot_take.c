/* test_snapshot_take.c - snapshots of a running program: at an instruction and within a paused
 * operation, by a child or in place, as whole files whose sizes sum to the totals of that moment;
 * and what the program counts meanwhile, however the child ends. */
#include "snapshot_fixture.h"

#include "read/stats.h"

/* ---- taken ----------------------------------------------------------------------------------- */

static void ask_and_wait(bool lines, bool stacks, bool collect) {
    start(lines, stacks);
    run(collect ? "R = ask(NAME, true) settle()" : "R = ask(NAME, false) settle()");
    look();
    ck_assert_uint_eq(last.state, LMP_SNAPSHOT_WRITTEN);
    ck_assert_uint_eq(last.number, 1);
    ck_assert_uint_eq(last.request, atomic_load(&view->control->snapshot));
    ck_assert_uint_eq(last.forked, 1);
    ck_assert_uint_eq(last.how, collect ? LMP_SNAPSHOT_COLLECT : LMP_SNAPSHOT_ALL);
    ck_assert_str_eq(last.file, name);
    ck_assert_str_eq(last.why_in_place, "");
    ck_assert_uint_gt(last.stop, 0);
    ck_assert_uint_gt(last.slowest, 0);
    LmpObjectInfo info = check_file(name);
    ck_assert_uint_eq(info.live_bytes, last.live_bytes);
    ck_assert_uint_eq(info.live_blocks, last.live_blocks);
    ck_assert_uint_eq(info.number, 1);
    ck_assert_uint_eq(info.taken, LMP_TAKEN_FORKED);
    ck_assert_uint_eq(info.collected, collect);
    ck_assert_uint_eq(info.paused, 0);
    ck_assert_uint_eq(info.stop, last.stop);
    ck_assert_uint_eq(info.walk, last.walk);
    struct stat st;
    stat(name, &st);
    ck_assert_uint_eq((uint64_t)st.st_size, last.bytes);
    char line[512], want_line[256];
    stats_snapshot(line, sizeof line, &last);
    snprintf(want_line, sizeof want_line, "snapshot 1: ");
    ck_assert_int_eq(strncmp(line, want_line, strlen(want_line)), 0);
    ck_assert_ptr_nonnull(strstr(line, ", slowest operation "));
    check_figures();
}

TEST(a_viewer_asks) {
    ask_and_wait(true, false, true);
    ask_and_wait(true, true, false);
    ask_and_wait(false, false, true);
}

/* Again and again, while the program allocates. */
TEST(again_and_again) {
    start(true, true);
    for (int i = 1; i <= 15; i++) {
        run("ask(NAME, false) settle() churn(3000)");
        ck_assert_uint_eq(look()->state, LMP_SNAPSHOT_WRITTEN);
        ck_assert_uint_eq(last.number, (unsigned)i);
        ck_assert_uint_eq(check_file(name).live_bytes, last.live_bytes);
    }
    check_figures();
}

static bool ask_in_pause(void) {
    static int turn;
    if (turn++ == 0) view_snapshot(view, name, LMP_SNAPSHOT_COLLECT);
    return !profile->slow->snapshot && turn > 3;
}

TEST(within_a_paused_operation) {
    start(true, false);
    want("size 300000", NULL);
    on_pause = ask_in_pause;
    run("local half = string.rep('y', 200000) local s = half .. half s = s .. half churn(10)");
    ck_assert_int_eq(pauses, 2);
    ck_assert_uint_eq(look()->state, LMP_SNAPSHOT_WRITTEN);
    ck_assert_uint_eq(last.how, LMP_SNAPSHOT_ALL);
    LmpObjectInfo info = check_file(name);
    ck_assert_uint_eq(info.paused, 1);
    ck_assert_uint_gt(info.live_bytes, 400000);
    check_figures();
}

/* A child that takes its time. */
static ssize_t slowly(int fd, const void *bytes, size_t n) {
    usleep(100000);
    return write(fd, bytes, n);
}

/* The script's own, and one while it runs. */
TEST(busy) {
    LmpSnapshotLive first, second;
    start(true, false);
    refusing = forkos_real;
    refusing.write = slowly;
    fork_os = &refusing;
    ck_assert_int_eq(profiler_snapshot(L, name, false, false, &first), LMP_OK);
    ck_assert_uint_eq(first.state, LMP_SNAPSHOT_RUNS);
    ck_assert_int_eq(profiler_snapshot(L, "other", false, false, &second), LMP_E_BUSY);
    ck_assert_uint_eq(second.number, 1);
    run("REQUEST = ask('/nowhere/else', true) churn(10)");
    ck_assert_uint_eq(atomic_load(&view->live->snapshot.busy),
                      atomic_load(&view->control->snapshot));
    run("settle()");
    ck_assert_uint_eq(look()->state, LMP_SNAPSHOT_WRITTEN);
    ck_assert_uint_eq(last.request, 0);
    check_file(name);
    ck_assert_int_eq(profiler_snapshot(L, name, true, true, &first), LMP_OK);
    ck_assert_uint_eq(first.number, 2);
    ck_assert_uint_eq(first.state, LMP_SNAPSHOT_WRITTEN);
    ck_assert_uint_gt(first.objects, 1000);
    check_figures();
}

TEST(withdrawn) {
    start(true, false);
    uint32_t request = view_snapshot(view, name, LMP_SNAPSHOT_ALL);
    view_snapshot_no_more(view, request);
    run("churn(1000)");
    ck_assert_uint_eq(look()->state, LMP_SNAPSHOT_NONE);
    ck_assert_uint_eq(atomic_load(&last.taken), request);
    ck_assert_int_ne(access(name, F_OK), 0);
    char longer[LMP_SNAPSHOT_FILE + 1];
    memset(longer, 'x', LMP_SNAPSHOT_FILE);
    longer[LMP_SNAPSHOT_FILE] = 0;
    ck_assert_uint_eq(view_snapshot(view, longer, LMP_SNAPSHOT_ALL), 0);
    run("ask(NAME, true) settle()");
    ck_assert_uint_eq(look()->state, LMP_SNAPSHOT_WRITTEN);
}

/* ---- names ----------------------------------------------------------------------------------- */

TEST(names_are_chosen) {
    char where[80], want_name[160];
    start(true, false);
    snprintf(where, sizeof where, "%s/", directory);
    lua_pushstring(L, where);
    lua_setglobal(L, "WHERE");
    snprintf(want_name, sizeof want_name, "%s/lmp-%d-1.heap", directory, (int)getpid());
    run("ask(WHERE, true) settle()");
    ck_assert_str_eq(look()->file, want_name);
    check_file(want_name);
    snprintf(name, sizeof name, "%s/lmp-%d-2.heap", directory, (int)getpid());
    ck_assert_int_eq(mkdir(name, 0700), 0); /* that one is taken */
    run("ask(WHERE, true) settle()");
    unlink(want_name);
    snprintf(want_name, sizeof want_name, "%s/lmp-%d-3.heap", directory, (int)getpid());
    ck_assert_str_eq(look()->file, want_name);
    check_file(want_name);
    unlink(want_name);
    rmdir(name);
}

/* At the end of the profile, each state into a file of its own. */
TEST(at_the_end) {
    static const struct {
        bool child;
        const char *ending;
    } cases[] = {{false, ""}, {false, ".2"}, {true, ".3"}};
    for (int i = 0; i < 3; i++) {
        char path[300], asked[200];
        start(true, false);
        snprintf(asked, sizeof asked, "%s", name);
        snapshot_attach(profile, asked, cases[i].child);
        run("T = {} for i = 1, 3000 do T[i] = {i} end");
        if (cases[i].child)
            snprintf(path, sizeof path, "%s.%d%s", asked, (int)getpid(), cases[i].ending);
        else
            snprintf(path, sizeof path, "%s%s", asked, cases[i].ending);
        if (i == 1) run("ask(NAME .. 'x', false) churn(50)"); /* one is under way */
        uint64_t least = view->live->counters.live_bytes;
        os.futex_wait = os_real.futex_wait;
        own_view_close(view);
        if (i > 0) ck_assert_int_eq(profiler_stop(L, NULL), LMP_OK);
        lua_close(L); /* else its finalizer ends the profile */
        LmpObjectInfo info = check_file(path);
        ck_assert_uint_eq(info.taken, LMP_TAKEN_IN_PLACE);
        ck_assert_str_eq(info.why_in_place, "");
        ck_assert_uint_gt(info.live_bytes, least / 2);
        unlink(path);
        snprintf(path, sizeof path, "%sx", asked);
        if (i == 1) check_file(path);
        unlink(path);
        ck_assert_int_eq(rmdir(directory), 0);
        lmp_os = &os_real;
        suite_closed();
    }
}

/* ---- by conditions --------------------------------------------------------------------------- */

TEST(by_conditions) {
    char path[160];
    start(true, false);
    snprintf(profile->snapshots->directory, sizeof profile->snapshots->directory, "%s/", directory);
    break_check_own(profile, "snapshot heap 1MiB\nsize 5\n\nsnapshot gc");
    slow_path_route(profile);
    ck_assert_uint_eq(profile->breaks->count, 2);
    run("collectgarbage() collectgarbage() churn(10) settle()"); /* gc, once */
    ck_assert_uint_eq(look()->number, 1);
    run("collectgarbage() churn(10) settle()");
    ck_assert_uint_eq(look()->number, 1);
    want("size 100000000", NULL); /* a viewer's list does not take them away */
    run("A = string.rep('z', 1200000) churn(10) settle()");
    ck_assert_uint_eq(look()->number, 2);
    ck_assert_int_eq(pauses, 0);
    snprintf(path, sizeof path, "%s/lmp-%d-2.heap", directory, (int)getpid());
    LmpObjectInfo info = check_file(path);
    ck_assert_uint_gt(info.live_bytes, 1 << 20);
    unlink(path);
    snprintf(path, sizeof path, "%s/lmp-%d-1.heap", directory, (int)getpid());
    check_file(path);
    unlink(path);
    want("snapshot size 2000000", "size 2000000", NULL); /* both */
    run("local half = string.rep('z', 1100000) A = half .. half B = A .. half churn(10) settle()");
    ck_assert_msg(pauses == 2, "%d pauses, %u snapshots, hits %d %d", pauses, look()->number,
                  (int)view->live->breaks.hits[0], (int)view->live->breaks.hits[1]);
    ck_assert_uint_eq(look()->number, 4); /* one for each, the second when the first is done */
    for (int i = 3; i <= 4; i++) {
        snprintf(path, sizeof path, "%s/lmp-%d-%d.heap", directory, (int)getpid(), i);
        check_file(path);
        unlink(path);
    }
    ck_assert_uint_eq(view->live->breaks.hits[0], 2);
    ck_assert_uint_eq(view->live->breaks.hits[1], 2);
}

/* ---- in place -------------------------------------------------------------------------------- */

static int no_fork_again(int (*f)(void *), void *stack_end, void *of) {
    (void)f, (void)stack_end, (void)of;
    return -EAGAIN;
}
static int no_fork_memory(int (*f)(void *), void *stack_end, void *of) {
    (void)f, (void)stack_end, (void)of;
    return -ENOMEM;
}
static void *no_own_copy(size_t size, int fd, uint64_t offset) {
    (void)size, (void)fd, (void)offset;
    return NULL;
}
static int little_memory(const char *path, char *out, size_t size) {
    if (strcmp(path, "/proc/meminfo") != 0) return forkos_real.text(path, out, size);
    return snprintf(out, size, "MemAvailable: 4 kB\n");
}

TEST(in_place) {
    static const char *const why[] = {"no further process is allowed (RLIMIT_NPROC, pids.max)",
                                      "no memory for a second copy of the program",
                                      "shadow map and tables could not be frozen",
                                      " may be needed twice, 4.0 KiB are available",
                                      "the program has closed the file of the shared state"};
    for (int i = 0; i < 5; i++) {
        start(true, false);
        refusing = forkos_real;
        if (i == 0) refusing.fork = no_fork_again;
        if (i == 1) refusing.fork = no_fork_memory;
        if (i == 2) refusing.own_copy = no_own_copy;
        if (i == 3) refusing.text = little_memory;
        if (i == 4) close(profile->file.fd);
        fork_os = &refusing;
        run("ask(NAME, true) settle()");
        ck_assert_uint_eq(look()->state, LMP_SNAPSHOT_WRITTEN);
        ck_assert_uint_eq(last.forked, 0);
        ck_assert_msg(strstr(last.why_in_place, why[i]) != NULL, "%s", last.why_in_place);
        LmpObjectInfo info = check_file(name);
        ck_assert_uint_eq(info.taken, LMP_TAKEN_IN_PLACE);
        ck_assert_str_eq(info.why_in_place, last.why_in_place);
        char line[700];
        stats_snapshot(line, sizeof line, &last);
        ck_assert_ptr_nonnull(strstr(line, " (in place: "));
        check_figures();
    }
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

/* Killed at any moment: no half file, nobody left, and the program's figures are right. On a busy
 * machine most children end before that. */
TEST(children_are_killed) {
    start(true, true);
    int killed = 0;
    for (int i = 0; i < 40 || killed <= 5; i++) {
        ck_assert_int_lt(i, 1000);
        LmpSnapshotLive s;
        unlink(name);
        ck_assert_int_eq(profiler_snapshot(L, name, false, false, &s), LMP_OK);
        usleep((useconds_t)suite_below(1u << suite_below(14)));
        if (profile->snapshots->child.pid) kill(profile->snapshots->child.pid, SIGKILL);
        run("settle()");
        look();
        if (last.state == LMP_SNAPSHOT_WRITTEN) {
            check_file(name);
            continue;
        }
        killed++;
        ck_assert_uint_eq(last.state, LMP_SNAPSHOT_FAILED);
        ck_assert_int_eq(last.error, LMP_E_CHILD);
        if (access(name, F_OK) == 0) check_file(name); /* it had just been written */
    }
    check_figures();
}

static int room;
static ssize_t full(int fd, const void *bytes, size_t n) {
    if (room-- > 0) return write(fd, bytes, n);
    errno = ENOSPC;
    return -1;
}

TEST(the_disk_is_full) {
    for (int i = 0; i < 6; i++) {
        start(true, false);
        refusing = forkos_real;
        refusing.write = full;
        if (i % 2) refusing.fork = no_fork_again; /* in place */
        room = i;
        fork_os = &refusing;
        run("ask(NAME, false) settle()");
        ck_assert_uint_eq(look()->state, LMP_SNAPSHOT_FAILED);
        ck_assert_int_eq(last.error, LMP_E_FILE);
        ck_assert_int_eq(last.os_error, ENOSPC);
        ck_assert_int_ne(access(name, F_OK), 0);
        char line[400], want_line[400];
        snprintf(want_line, sizeof want_line,
                 "no snapshot: %s: cannot write the file: No space left on device", name);
        ck_assert_str_eq(stats_snapshot(line, sizeof line, &last), want_line);
        check_figures();
    }
}

TEST(the_file_cannot_be) {
    LmpSnapshotLive s;
    start(true, false);
    ck_assert_int_eq(symlink("/etc/hostname", name), 0);
    ck_assert_int_eq(profiler_snapshot(L, name, false, true, &s), LMP_E_FILE);
    ck_assert_int_eq(s.os_error, EEXIST);
    ck_assert_uint_eq(s.state, LMP_SNAPSHOT_FAILED);
    ck_assert_int_eq(profiler_snapshot(L, "/nowhere/x", false, true, &s), LMP_E_FILE);
    ck_assert_int_eq(s.os_error, ENOENT);
    unlink(name);
    ck_assert_int_eq(profiler_snapshot(L, name, false, true, &s), LMP_OK);
    ck_assert_uint_eq(s.number, 3);
}

/* The profile ends, or the program forks, while the child is at work. */
TEST(it_ends_meanwhile) {
    for (int i = 0; i < 3; i++) {
        LmpSnapshotLive s;
        start(true, true);
        ck_assert_int_eq(profiler_snapshot(L, name, false, false, &s), LMP_OK);
        run("churn(3000)");
        if (i == 1) {
            pid_t pid = fork();
            if (pid == 0) { /* goes on unprofiled */
                run("churn(3000) collectgarbage()");
                _exit(0);
            }
            int status = 1;
            waitpid(pid, &status, 0);
            ck_assert_int_eq(status, 0);
        }
        LmpSnapshotLive after;
        uint64_t live = 0;
        if (i == 2) lua_gc(L, LUA_GCCOLLECT);
        live = view->live->counters.live_bytes;
        ck_assert_int_eq(profiler_stop(L, NULL), LMP_OK);
        ck_assert(view_copy_snapshot(view, &after));
        ck_assert_uint_eq(after.state, LMP_SNAPSHOT_WRITTEN);
        ck_assert_uint_eq(after.frozen, 0);
        ck_assert_uint_eq(view->live->counters.live_bytes, live);
        ck_assert_uint_eq(tables_records(&view->tables), view->live->tables.records);
        uint64_t bytes = 0; /* of all records, as viewers see them: what is live */
        for (uint32_t r = 1; r < tables_records(&view->tables); r++)
            bytes += view->tables.record[r].use.bytes - view->tables.record[r].use.free_bytes;
        if (!view->live->tables.stacks) ck_assert_uint_ge(bytes, live / 2);
        check_file(name);
        own_view_close(view);
        lua_close(L);
        lmp_os = &os_real;
        unlink(name);
        ck_assert_int_eq(rmdir(directory), 0);
        suite_closed();
    }
}
