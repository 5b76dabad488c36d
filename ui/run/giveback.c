/* giveback.c - makes sure that the program is over and that nobody looks at the state, sets
 * `given_back`, then punches holes (lmp_os->punch) into the state's file: leaves, the overflow
 * table, and unused rows of the tables. */
#include "run/giveback.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "read/view.h"
#include "recording/format/fields.h"
#include "relay/closed_line.h"
#include "shared/recnote.h"

/* The program may still run after its profile's end, with the state mapped or without it. */
static bool program_over(int fd, uint32_t pid) {
    uint32_t state = LMP_RUNNING;
    if (!pid) return false;
    if (!lmp_os->alive(pid)) return true;
    (void)!pread(fd, &state, sizeof state, LMP_LIVE_AT + offsetof(LmpLive, state));
    return state == LMP_FINISHED && closed_line_why((int)pid, -1, fd) != LINE_OF_PROFILED;
}

/* Returns true if a display, a recorder, or the child that writes a snapshot (it may outlive its
 * program) looks at the state. */
static bool looked_at(const LmpView *view, int fd) {
    static LmpSnapshotLive snapshot; /* large */
    view_copy_snapshot(view, &snapshot);
    return atomic_load(&view->control->attached) > 0 || recnote_held(fd) ||
           snapshot.state == LMP_SNAPSHOT_RUNS;
}

static void punch(int fd, uint64_t from, uint64_t to) {
    if (from < to) lmp_os->punch(fd, from, to - from);
}

/* Nothing has been written beyond the rows of a table, but memory may be reserved there. */
static void punch_all(int fd, void *whole) {
    const RecMemory m = {whole, (char *)whole + LMP_TABLES_AT};
    struct stat st;
    for (int i = 0; i < REC_GROUPS; i++) {
        const RecGroup *g = &rec_groups[i];
        if (g->at < LMP_TABLES_AT) continue;
        punch(fd, g->at + (uint64_t)rec_rows(g, &m) * g->row, g->at + (uint64_t)g->most * g->row);
    }
    punch(fd, LMP_OVERFLOW_AT + sizeof(LmpOverflow), LMP_TABLES_AT);
    if (fstat(fd, &st) == 0) punch(fd, LMP_LEAVES_AT, (uint64_t)st.st_size);
}

bool giveback(int fd, uint32_t pid) {
    static LmpView view; /* large */
    if (!program_over(fd, pid)) return false;
    void *whole = view_whole(fd);
    if (!whole || view_open_whole(&view, whole)) {
        if (whole) lmp_os->unmap(whole, VIEW_WHOLE);
        return true; /* not a state that this version knows */
    }
    bool over = !looked_at(&view, fd);
    if (over) {
        atomic_store(&view.control->given_back, 1);
        punch_all(fd, whole);
    }
    view_close(&view);
    lmp_os->unmap(whole, VIEW_WHOLE);
    return over;
}
