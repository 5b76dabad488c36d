/* giveback.c - see giveback.h. */
#include "cmd/giveback.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "read/view.h"
#include "record/fields.h"
#include "relay/closed_line.h"
#include "shared/recordnote.h"

/* After a profile's end the program may still run, with the state or without it. */
static bool program_over(int fd, uint32_t pid) {
    uint32_t state = LMP_RUNNING;
    if (!pid) return false;
    if (!lmp_os->alive(pid)) return true;
    (void)!pread(fd, &state, sizeof state, LMP_LIVE_AT + offsetof(LmpLive, state));
    return state == LMP_FINISHED && closed_line_why((int)pid, -1, fd) != LINE_OF_PROFILED;
}

/* By a display, a recorder, or the child that writes a snapshot, which may outlive its program. */
static bool looked_at(const LmpView *view, int fd) {
    static LmpSnapshotLive snapshot; /* large */
    view_copy_snapshot(view, &snapshot);
    return atomic_load(&view->control->attached) > 0 || recordnote_held(fd) ||
           snapshot.state == LMP_SNAPSHOT_RUNS;
}

static void punch(int fd, uint64_t from, uint64_t to) {
    if (from < to) lmp_os->punch(fd, from, to - from);
}

/* Of the tables nothing has been written beyond their rows, but memory may be reserved there. */
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
        return true; /* nothing that we know of */
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
