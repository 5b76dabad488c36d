/* state.c - maps each part of the memory file by itself, and writes the header, its magic last. */
#include "agent/state/state.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/state/reserve.h"
#include "base/os.h"
#include "read/view.h"

#define HISTORY_INTERVAL                                                                           \
    25000000u                   /* nanoseconds: 1024 samples are 25 seconds before they merge      \
                                 */
#define EPOCH_LENGTH 100000000u /* nanoseconds: 255 epochs are 25 seconds before they double */

#define DIRECTORY_SIZE /* by address, and twice by age */                                          \
    ((LMP_DIR_SIZE + 2 * LMP_MAX_LEAVES) * sizeof(LmpLeaf *))

static uint64_t realtime(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void fill_header(LmpProfile *p, const LmpIdentity *identity) {
    LmpHeader *h = p->header;
    h->layout = LMP_LAYOUT;
    h->header_size = sizeof(LmpHeader);
    h->control_size = sizeof(LmpControl);
    h->live_size = sizeof(LmpLive);
    h->leaf_size = sizeof(LmpLeaf);
    h->pid = identity->pid;
    h->serial = identity->serial;
    h->start_realtime = realtime();
    h->start_clock = p->start;
    h->interval_us = identity->interval_us;
    h->top = identity->top;
    h->forked_from = identity->forked_from;
    h->before = identity->before;
    h->pid_space = view_pid_space(0);
    snprintf(h->program, sizeof h->program, "%s", identity->program);
    snprintf(h->lua, sizeof h->lua, "%s", identity->lua);
    snprintf(h->lmp, sizeof h->lmp, "%s", LMP_VERSION);
    atomic_thread_fence(memory_order_release);
    h->magic = LMP_MAGIC;
}

LmpErr state_create(LmpProfile *p, const LmpIdentity *identity) {
    p->file = own_fd_take(lmp_os->memfd(LMP_MEMFD_NAME, LMP_LEAVES_AT));
    int fd = p->file.fd;
    if (fd < 0) return LMP_E_MEMFD;
    if (!reserve_open(p)) {
        own_fd_close(&p->file);
        return LMP_E_NOMEM;
    }
    p->leaves.file_size = LMP_LEAVES_AT;
    p->header = lmp_os->map(LMP_CONTROL_AT, fd, 0, true);
    p->control = lmp_os->map(LMP_LIVE_AT - LMP_CONTROL_AT, fd, LMP_CONTROL_AT, true);
    p->live = lmp_os->map(LMP_OVERFLOW_AT - LMP_LIVE_AT, fd, LMP_LIVE_AT, true);
    p->overflow = lmp_os->map(LMP_TABLES_AT - LMP_OVERFLOW_AT, fd, LMP_OVERFLOW_AT, true);
    void *tables = lmp_os->map(LMP_TABLES_SIZE, fd, LMP_TABLES_AT, true);
    if (tables) p->tables = tables_at(tables, p->live);
    p->tables.writer = true;
    p->dir = lmp_os->map(DIRECTORY_SIZE, -1, 0, true);
    if (p->dir) p->leaves.all = p->dir + LMP_DIR_SIZE;
    if (p->dir) p->leaves.shared = p->leaves.all + LMP_MAX_LEAVES;
    if (!p->header || !p->control || !p->live || !p->overflow || !p->dir || !tables) {
        state_release(p);
        return os_map_error();
    }
    p->counters = &p->live->counters;
    p->start = lmp_os->clock();
    p->birth = 1u << LMP_BLOCK_BIRTH_SHIFT | 1u << LMP_BLOCK_CYCLE_SHIFT;
    atomic_store(&p->control->frame, 1);
    p->counters->peak_serial = 1;
    p->live->epoch = 1;
    p->live->epoch_length = EPOCH_LENGTH;
    p->live->history.interval = HISTORY_INTERVAL;
    fill_header(p, identity);
    return LMP_OK;
}

static void release(void *mapping, size_t size) {
    if (mapping) lmp_os->unmap(mapping, size);
}

void state_release(LmpProfile *p) {
    for (uint32_t i = 0; p->live && i < p->live->leaves && i < LMP_MAX_LEAVES; i++)
        release(p->leaves.all[i], sizeof(LmpLeaf));
    release(p->dir, DIRECTORY_SIZE);
    for (uint32_t i = 0; i < LMP_LEAF_KINDS; i++) {
        release(p->leaves.odd[i], LMP_DIR_SIZE * sizeof *p->dir);
        p->leaves.odd[i] = NULL;
    }
    release(p->tables.text, LMP_TABLES_SIZE);
    release(p->overflow, LMP_TABLES_AT - LMP_OVERFLOW_AT);
    release(p->live, LMP_OVERFLOW_AT - LMP_LIVE_AT);
    release(p->control, LMP_LIVE_AT - LMP_CONTROL_AT);
    release(p->header, LMP_CONTROL_AT);
    own_fd_close(&p->file);
    p->dir = p->leaves.all = p->leaves.shared = NULL;
    p->overflow = NULL;
    p->tables = (LmpTables){0};
    p->live = NULL;
    p->control = NULL;
    p->header = NULL;
}

bool state_viewer_lives(LmpProfile *p, uint32_t viewer) {
    if (viewer & LMP_VIEWER_LOCKED && own_fd_get(&p->file) >= 0)
        return lmp_os->locked(p->file.fd, LMP_VIEWER_LOCK(viewer));
    return lmp_os->alive(LMP_VIEWER_PID(viewer));
}
