/* view.c - maps the parts of a shared state, and leaves as they come; copies groups of words by
 * their sequence numbers and cuts every count to its array; writes requests into the control
 * page. */
#include "read/view.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "read/pages.h"

#define BEAT_IN_LIVE (LMP_BEAT_AT - LMP_LIVE_AT)
#define MOST_PRIVATE (1ull << 30) /* of addresses that are asked after, bytes */

static LmpErr check_header(const LmpHeader *h) {
    if (h->magic != LMP_MAGIC) return LMP_E_FOREIGN;
    if (h->layout != LMP_LAYOUT || h->header_size != sizeof(LmpHeader) ||
        h->control_size != sizeof(LmpControl) || h->live_size != sizeof(LmpLive) ||
        h->leaf_size != sizeof(LmpLeaf))
        return LMP_E_VERSION;
    if (!memchr(h->program, 0, sizeof h->program) || !memchr(h->lua, 0, sizeof h->lua) ||
        !memchr(h->lmp, 0, sizeof h->lmp))
        return LMP_E_DAMAGED;
    return LMP_OK;
}

/* Returns the size of the file in fd if it is a sealed memory file, else 0. Without the seal a
 * foreign process could cut the file under our mapping, and reading it would raise SIGBUS. */
static uint64_t sealed_size(int fd) {
    struct stat st;
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &st) != 0 || st.st_size < 0) return 0;
    return (uint64_t)st.st_size;
}

uint64_t view_pid_space(uint32_t pid) {
    char path[64] = "/proc/self/ns/pid";
    struct stat st;
    if (pid) snprintf(path, sizeof path, "/proc/%u/ns/pid", pid);
    return stat(path, &st) == 0 ? st.st_ino : 0;
}

/* Returns the program's pid here; 0 if it is of another namespace, where pids mean other
 * processes. */
static uint32_t pid_here(const LmpHeader *h) {
    return !h->pid_space || h->pid_space == view_pid_space(0) ? h->pid : 0;
}

LmpErr view_open(LmpView *view, int fd) {
    memset(view, 0, sizeof *view);
    view->fd = fd;
    view->size = sealed_size(fd);
    LmpErr err = LMP_OK;
    if (view->size < LMP_LEAVES_AT) {
        err = LMP_E_FOREIGN;
    } else {
        view->header = lmp_os->map(LMP_CONTROL_AT, fd, 0, false);
        if (!view->header) {
            err = os_map_error();
        } else {
            err = check_header(view->header);
        }
    }
    if (!err) {
        view->control = lmp_os->map(LMP_LIVE_AT - LMP_CONTROL_AT, fd, LMP_CONTROL_AT, true);
        view->live = lmp_os->map(LMP_OVERFLOW_AT - LMP_LIVE_AT, fd, LMP_LIVE_AT, false);
        if (view->live) view->beat = (const void *)((const char *)view->live + BEAT_IN_LIVE);
        view->overflow = lmp_os->map(LMP_TABLES_AT - LMP_OVERFLOW_AT, fd, LMP_OVERFLOW_AT, false);
        void *tables = lmp_os->map(LMP_TABLES_SIZE, fd, LMP_TABLES_AT, false);
        if (tables) view->tables = tables_at(tables, (LmpLive *)view->live);
        if (!view->control || !view->live || !view->overflow || !tables) err = os_map_error();
    }
    if (err) {
        view_close(view);
    } else {
        view->pid = pid_here(view->header);
        view_refresh(view);
    }
    return err;
}

void *view_whole(int fd) {
    return sealed_size(fd) < VIEW_WHOLE ? NULL : lmp_os->map(VIEW_WHOLE, fd, 0, true);
}

LmpErr view_open_whole(LmpView *view, void *whole) {
    char *at = whole;
    memset(view, 0, sizeof *view);
    view->fd = -1;
    view->borrowed = true;
    view->header = whole;
    LmpErr err = check_header(view->header);
    if (err) return err;
    view->pid = pid_here(view->header);
    view->control = (void *)(at + LMP_CONTROL_AT);
    view->live = (void *)(at + LMP_LIVE_AT);
    view->overflow = (void *)(at + LMP_OVERFLOW_AT);
    view->beat = (void *)(at + LMP_BEAT_AT);
    view->tables = tables_at(at + LMP_TABLES_AT, (LmpLive *)view->live);
    return LMP_OK;
}

static void unmap_all(const LmpView *view) {
    for (uint32_t i = 0; i < view->leaves; i++)
        lmp_os->unmap((void *)view->leaf[i], sizeof(LmpLeaf));
    if (view->tables.text) lmp_os->unmap(view->tables.text, LMP_TABLES_SIZE);
    if (view->overflow) lmp_os->unmap((void *)view->overflow, LMP_TABLES_AT - LMP_OVERFLOW_AT);
    if (view->live) lmp_os->unmap((void *)view->live, LMP_OVERFLOW_AT - LMP_LIVE_AT);
    if (view->control) lmp_os->unmap(view->control, LMP_LIVE_AT - LMP_CONTROL_AT);
    if (view->header) lmp_os->unmap((void *)view->header, LMP_CONTROL_AT);
}

void view_close(LmpView *view) {
    if (!view->borrowed) unmap_all(view);
    if (view->fd >= 0) close(view->fd);
    if (view->lock) close(view->lock - 1);
    memset(view, 0, sizeof *view);
    view->fd = -1;
}

void view_refresh(LmpView *view) {
    if (atomic_load(&view->control->given_back)) return;
    uint32_t leaves = *(const volatile uint32_t *)&view->live->leaves;
    atomic_thread_fence(memory_order_acquire);
    if (leaves > LMP_MAX_LEAVES) leaves = LMP_MAX_LEAVES;
    if (leaves <= view->leaves) return;
    view->size = sealed_size(view->fd);
    while (view->leaves < leaves) {
        uint64_t at = LMP_LEAVES_AT + view->leaves * (uint64_t)sizeof(LmpLeaf);
        uint64_t base = view->live->leaf_base[view->leaves];
        bool known = LMP_LEAF_KIND(base) < LMP_LEAF_KINDS &&
                     !(LMP_LEAF_BASE(base) >> (LMP_ADDRESS_BITS - LMP_LEAF_BITS));
        if (at + sizeof(LmpLeaf) > view->size || !known) return;
        const LmpLeaf *leaf = lmp_os->map(sizeof(LmpLeaf), view->fd, at, false);
        if (!leaf) return;
        view->leaf[view->leaves] = leaf;
        view->leaf_base[view->leaves] = base;
        view->leaves++;
    }
}

uint64_t view_memory(const LmpView *view) {
    static LmpMemory told; /* large; readers have one thread */
    struct stat st;
    uint64_t bytes = 0, looked = 0;
    if (fstat(view->fd, &st) == 0 && st.st_blocks > 0) bytes = (uint64_t)st.st_blocks * 512;
    if (!view->pid) return bytes;
    view_copy_told(view, &told);
    for (uint32_t i = 0; i < told.ranges; i++) {
        uint64_t size = os_whole_pages(told.range[i].size);
        if (size > MOST_PRIVATE - looked || told.range[i].at > UINT64_MAX - size) break;
        looked += size;
        bytes += pages_within(view->pid, told.range[i].at, told.range[i].at + size);
    }
    return bytes;
}

/* Copies a group guarded by a sequence number, trying again while the writer is in it. */
static bool copy_group(const _Atomic uint32_t *seq, const void *from, void *out, size_t size) {
    for (int tries = 0;; tries++) {
        uint32_t before = atomic_load_explicit(seq, memory_order_acquire);
        memcpy(out, from, size);
        atomic_thread_fence(memory_order_acquire);
        uint32_t after = atomic_load_explicit(seq, memory_order_relaxed);
        if (before == after && !(before & 1)) return true;
        if (tries == 100) return false;
    }
}

bool view_copy_history(const LmpView *view, LmpHistory *out) {
    const LmpHistory *from = &view->live->history;
    bool whole = copy_group(&from->seq, from, out, sizeof *out);
    if (out->used > LMP_HISTORY) out->used = LMP_HISTORY;
    if (out->interval == 0) out->interval = 1;
    return whole;
}

static void end_locals(LmpLocal *local, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        local[i].name[sizeof local[i].name - 1] = 0;
        local[i].type[sizeof local[i].type - 1] = 0;
        if (local[i].size > LMP_LOCAL_BYTES) local[i].size = LMP_LOCAL_BYTES;
        if (local[i].key >= LMP_KEYS) local[i].key = LMP_KEY_OTHER;
    }
}

bool view_copy_op(const LmpView *view, LmpOp *out) {
    const LmpOp *from = &view->live->op;
    bool whole = copy_group(&from->seq, from, out, sizeof *out);
    if (out->frames > LMP_FRAMES) out->frames = LMP_FRAMES;
    if (out->cut_at > out->frames) out->cut_at = out->frames;
    if (out->depth < out->frames) out->depth = out->frames;
    for (uint32_t i = 0; i < LMP_FRAMES; i++) {
        out->frame[i].name[sizeof out->frame[i].name - 1] = 0;
        out->frame[i].source[sizeof out->frame[i].source - 1] = 0;
    }
    out->hit_words[sizeof out->hit_words - 1] = 0;
    if (out->hit > LMP_BREAKS) out->hit = 0;
    if (out->locals > LMP_LOCALS) out->locals = LMP_LOCALS;
    if (out->upvalues > LMP_UPVALUES) out->upvalues = LMP_UPVALUES;
    end_locals(out->local, LMP_LOCALS);
    end_locals(out->upvalue, LMP_UPVALUES);
    return whole;
}

static bool copy_snapshot(const LmpSnapshotLive *from, LmpSnapshotLive *out) {
    bool whole = copy_group(&from->seq, from, out, sizeof *out);
    out->why_in_place[sizeof out->why_in_place - 1] = 0;
    out->file[sizeof out->file - 1] = 0;
    if (out->state > LMP_SNAPSHOT_FAILED) out->state = LMP_SNAPSHOT_NONE;
    return whole;
}

bool view_copy_snapshot_before(const LmpView *view, uint32_t number, LmpSnapshotLive *out) {
    if (number == 0) return false;
    copy_snapshot(&view->live->snapshot_before[(number - 1) % LMP_SNAPSHOTS_BEFORE], out);
    return out->number == number;
}

bool view_copy_snapshot(const LmpView *view, LmpSnapshotLive *out) {
    bool whole = copy_snapshot(&view->live->snapshot, out);
    const LmpBeat *beat = view->beat;
    if (out->state != LMP_SNAPSHOT_RUNS || !beat || atomic_load(&beat->number) != out->number)
        return whole;
    uint32_t phase = atomic_load_explicit(&beat->phase, memory_order_acquire);
    out->objects = beat->objects;
    out->bytes = beat->bytes;
    out->walk = beat->walk;
    if (phase != LMP_BEAT_DONE) return whole;
    out->error = beat->error;
    out->os_error = beat->os_error;
    out->state = out->error ? LMP_SNAPSHOT_FAILED : LMP_SNAPSHOT_WRITTEN;
    return whole;
}

bool view_copy_told(const LmpView *view, LmpMemory *out) {
    const LmpMemory *from = &view->live->memory;
    bool whole = copy_group(&from->seq, from, out, sizeof *out);
    if (out->ranges > LMP_OWN_RANGES) out->ranges = LMP_OWN_RANGES;
    return whole;
}

/* Makes the hook look at a complete request, awake or asleep. */
static void call_program(LmpView *view) {
    atomic_store(&view->control->trap, 1);
    atomic_fetch_add(&view->control->wake, 1);
    lmp_os->futex_wake(&view->control->wake);
}

/* Our identity, for a program that may live in another pid namespace and checks whether we are
 * alive: a lock dies with its holder. It belongs to the open file, so this must be a file of our
 * own, and a forked process takes another. */
static uint32_t viewer_name(LmpView *view) {
    char path[64];
    uint32_t pid = (uint32_t)getpid();
    if (view->lock && view->lock_pid != (int)pid) {
        close(view->lock - 1);
        view->lock = 0;
    }
    if (!view->lock && view->size >= LMP_LEAVES_AT) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", view->fd);
        int fd = open(path, O_RDWR | O_CLOEXEC);
        if (fd >= 0 && lmp_os->lock(fd, LMP_VIEWER_LOCK(pid))) {
            view->lock = fd + 1;
            view->lock_pid = (int)pid;
        } else if (fd >= 0) {
            close(fd);
        }
    }
    return view->lock ? pid | LMP_VIEWER_LOCKED : pid;
}

void view_pause(LmpView *view, bool pause) {
    atomic_store(&view->control->viewer, pause ? viewer_name(view) : 0);
    atomic_store(&view->control->pause, pause);
    call_program(view);
}

void view_step(LmpView *view, uint32_t operations) {
    atomic_fetch_add(&view->control->step, operations);
    call_program(view);
}

void view_collect(LmpView *view) {
    atomic_fetch_add(&view->control->collect, 1);
    call_program(view);
}

void view_collect_no_more(LmpView *view) {
    uint32_t wanted = atomic_load(&view->control->collect);
    uint32_t done = atomic_load(&view->live->collect_done);
    if (wanted != done) atomic_compare_exchange_strong(&view->control->collect, &wanted, done);
}

void view_mark(LmpView *view) {
    atomic_fetch_add(&view->control->mark, 1);
    call_program(view);
}

/* Takes the odd number of a group that a viewer is about to write. One that died while it wrote has
 * left an odd number behind: after a while it is ignored. */
static uint32_t begin_group(_Atomic uint32_t *sequence) {
    uint32_t was = atomic_load(sequence), mine;
    for (int tries = 0;; tries++) {
        mine = (was | 1) + (was & 1 ? 2 : 0);
        if (was & 1 && tries < 1000) {
            sched_yield();
            was = atomic_load(sequence);
        } else if (atomic_compare_exchange_strong(sequence, &was, mine)) {
            return mine;
        }
    }
}

uint32_t view_snapshot(LmpView *view, const char *file, LmpSnapshotHow how) {
    LmpControl *control = view->control;
    size_t n = strlen(file);
    if (n >= sizeof control->snapshot_file) return 0;
    uint32_t mine = begin_group(&control->snapshot);
    control->snapshot_how = (uint32_t)how;
    memcpy(control->snapshot_file, file, n + 1);
    atomic_store(&control->snapshot, mine + 1);
    call_program(view);
    return mine + 1;
}

bool view_snapshot_overtaken(const LmpSnapshotLive *s, uint32_t request) {
    return s->request != request && (int32_t)(atomic_load(&s->taken) - request) > 0;
}

void view_snapshot_no_more(LmpView *view, uint32_t request) {
    atomic_store(&view->control->snapshot_withdrawn, request);
    call_program(view);
}

void view_preview(LmpView *view, const uint64_t *addr, uint32_t count, bool whole) {
    if (count > LMP_PREVIEWS) count = LMP_PREVIEWS;
    memcpy(view->control->preview_addr, addr, count * sizeof *addr);
    view->control->preview_count = count;
    view->control->preview_whole = whole;
    atomic_fetch_add(&view->control->preview, 1);
    call_program(view);
}

bool view_preview_ready(const LmpView *view) {
    return atomic_load(&view->live->preview_done) == atomic_load(&view->control->preview);
}

/* If a viewer that was taken for dead is alive after all, the list published last still has whole
 * rows, which the program checks. */
uint32_t view_breaks(LmpView *view, const LmpBreak *row, uint32_t count) {
    LmpControl *control = view->control;
    uint32_t mine = begin_group(&control->breaks);
    if (count > LMP_BREAKS) count = LMP_BREAKS;
    if (count) memcpy(control->break_row, row, count * sizeof *row);
    control->break_count = count;
    atomic_store(&control->breaks_viewer, viewer_name(view));
    atomic_store(&control->breaks, mine + 1);
    call_program(view);
    return mine + 1;
}

bool view_breaks_ours(const LmpView *view) {
    return LMP_VIEWER_PID(atomic_load(&view->control->breaks_viewer)) == (uint32_t)getpid();
}

uint32_t view_pauser(const LmpView *view) {
    return LMP_VIEWER_PID(atomic_load(&view->control->viewer));
}

void view_locals(LmpView *view, uint32_t frame) {
    view->control->locals_frame = frame;
    atomic_fetch_add(&view->control->locals, 1);
    call_program(view);
}

uint32_t view_ask_memory(LmpView *view) {
    uint32_t request = atomic_fetch_add(&view->control->memory, 1) + 1;
    call_program(view);
    return request;
}

void view_inside(LmpView *view, const LmpInsideWish *wish) {
    view->control->inside_wish = *wish;
    atomic_fetch_add(&view->control->inside, 1);
    call_program(view);
}

bool view_copy_inside(const LmpView *view, LmpInside *out) {
    const LmpInside *from = &view->live->inside;
    bool ready = atomic_load(&view->live->inside_done) == atomic_load(&view->control->inside);
    bool whole = copy_group(&from->seq, from, out, sizeof *out);
    if (out->rows > LMP_INSIDE_ROWS) out->rows = LMP_INSIDE_ROWS;
    if (out->state >= LMP_INSIDE_STATES) out->state = LMP_INSIDE_NONE;
    out->why[sizeof out->why - 1] = 0;
    end_locals(out->row, LMP_INSIDE_ROWS);
    return ready && whole;
}

#define LATE_NS 250000000u

void view_next_frame(LmpView *view) {
    atomic_fetch_add_explicit(&view->control->frame, 1, memory_order_relaxed);
    if (atomic_load(&view->live->state) != LMP_RUNNING) return;
    uint64_t now = lmp_os->clock() - view->header->start_clock, seen = view->live->clock;
    if (now > seen && now - seen > LATE_NS) atomic_store(&view->control->trap, 1);
}

uint64_t view_clock(const LmpView *view) {
    uint64_t now = lmp_os->clock(), start = view->header->start_clock, seen = view->live->clock;
    bool over = atomic_load(&view->live->state) == LMP_FINISHED;
    return over || now < start + seen ? seen : now - start;
}

LmpSeen view_seen(const LmpView *view, bool alive) {
    uint32_t state = atomic_load(&view->live->state);
    if (state == LMP_FINISHED) return LMP_SEEN_FINISHED;
    if (!alive) return LMP_SEEN_KILLED;
    return state == LMP_PAUSED ? LMP_SEEN_PAUSED : LMP_SEEN_RUNNING;
}
