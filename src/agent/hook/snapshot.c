/* snapshot.c - how a snapshot is named, taken in a forked child or in place, watched at ticks until
 * the child has ended, and how requests for one wait for a safepoint or a pause. */
#include "agent/hook/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/hook/light.h"
#include "agent/hook/slow_path.h"
#include "agent/interp/safepoint.h"
#include "agent/objects/child.h"
#include "agent/objects/modules.h"
#include "agent/objects/offsets.h"
#include "base/os.h"
#include "shared/counters.h"
#include "shared/snapfile_impl.h"

enum {
    MERGE_SHARE = 1 << 20, /* bytes, of a tick */
    NAMES = 1000,          /* tries for a name that nobody has */
    STOP_NAPS = 200
};
#define STOP_NAP_NS 1000000u

static void begin_change(LmpSnapshotLive *to) {
    atomic_fetch_add(&to->seq, 1);
}

static void end_change(LmpProfile *p, LmpSnapshotLive *to) {
    atomic_fetch_add(&to->seq, 1);
    atomic_fetch_add(&p->live->changed, 1);
    lmp_os->futex_wake(&p->live->changed);
}

static void set_state(LmpProfile *p, LmpSnapshotState state) {
    begin_change(&p->live->snapshot);
    p->live->snapshot.state = state;
    end_change(p, &p->live->snapshot);
}

static void set_at_end(LmpProfile *p, const char *file, bool is_child) {
    LmpSnapshots *s = p->snapshots;
    char pid[16] = "", serial[16] = "";
    if (is_child) snprintf(pid, sizeof pid, ".%u", p->header->pid);
    if (p->serial > 1) snprintf(serial, sizeof serial, ".%u", p->serial);
    int n = snprintf(s->at_end, sizeof s->at_end, "%s%s%s", file, pid, serial);
    if (n < 0 || (size_t)n >= sizeof p->live->snapshot.file) s->at_end[0] = 0;
}

void snapshot_attach(LmpProfile *p, const char *at_end, bool is_child) {
    LmpSnapshots *s = p->snapshots;
    s->p = p;
    s->beat = (LmpBeat *)(void *)((char *)p->live + (LMP_BEAT_AT - LMP_LIVE_AT));
    s->file.fd = -1;
    objectmemory_init(&s->memory);
    if (at_end && *at_end) set_at_end(p, at_end, is_child);
    if (!getcwd(s->directory, sizeof s->directory - 1)) s->directory[0] = 0;
    size_t n = strlen(s->directory);
    if (n > 0 && s->directory[n - 1] != '/') memcpy(s->directory + n, "/", 2);
}

/* ---- the file's name ------------------------------------------------------------------------- */

static void own_name(const LmpProfile *p, const char *directory, uint32_t number, char *out,
                     size_t size) {
    char second[16] = "";
    if (p->serial > 1) snprintf(second, sizeof second, ".%u", p->serial);
    int n = snprintf(out, size, "%s%slmp-%u-%u.heap%s", directory,
                     *directory && directory[strlen(directory) - 1] != '/' ? "/" : "",
                     p->header->pid, number, second);
    if (n < 0 || (size_t)n >= size) *out = 0; /* too long: no file can have it */
}

/* `out`: sizeof live->snapshot.file bytes. */
static void name_file(const LmpProfile *p, const char *wanted, uint32_t number, char *out,
                      size_t size) {
    struct stat st;
    int before = errno;
    size_t n = wanted ? strlen(wanted) : 0;
    const char *directory = n > 0 ? wanted : p->snapshots->directory;
    if (n > 0 && wanted[n - 1] != '/') {
        snprintf(out, size, "%s", wanted);
        return;
    }
    for (uint32_t i = 0; i < NAMES; i++) {
        own_name(p, directory, number + i, out, size);
        if (lstat(out, &st) != 0) break;
    }
    errno = before;
}

/* ---- walking and writing: in the child, or in place ------------------------------------------ */

static void beat(LmpSnapshots *s) {
    if (s->in_child) child_beat(s->beat);
}

static void walk_goes_on(void *ud) {
    beat(ud);
}

static bool write_chunk(LmpSnapSink *sink, const void *bytes, size_t n) {
    LmpSnapshots *s = sink->of;
    if (!partfile_write(&s->file, bytes, n)) return false;
    s->beat->bytes = s->file.bytes;
    beat(s);
    return true;
}

/* Returns how long the parent stood. Waits a little: the parent may be about to tell. */
static uint64_t stop_of(const LmpLive *shared) {
    const _Atomic uint32_t nap = 0;
    const volatile uint64_t *stop = &shared->snapshot.stop;
    for (int i = 0; i < STOP_NAPS && *stop == 0; i++)
        lmp_os->futex_wait((const void *)&nap, 0, STOP_NAP_NS);
    return *stop;
}

/* Writes into the head how long the program stood: in place, that is until now, but for giving the
 * file its name. */
static bool tell_stop(LmpSnapshots *s, const LmpSnapState *state) {
    LmpSnapHead head;
    s->info.stop = lmp_os->clock() - s->begun;
    snapfile_head(&head, &s->info, &s->graph, state);
    return lmp_os->write_at(s->file.fd, 0, &head, sizeof head);
}

static LmpErr walk_and_write(LmpSnapshots *s, const LmpLive *shared) {
    LmpProfile *p = s->p;
    LmpBeat *told = s->beat;
    LmpObjectSource source;
    uint64_t begun = lmp_os->clock();
    walk_source(&source, p, &s->hand);
    if (s->in_child) {
        source.beat = walk_goes_on;
        source.ud = s;
    }
    LmpErr err = walk_run(&source, &s->memory, &s->graph, NULL);
    if (err) return err;
    s->info.walk = told->walk = lmp_os->clock() - begun;
    told->objects = s->graph.objects - 1; /* the root is none */
    if (s->in_child) s->info.stop = stop_of(shared);
    atomic_store(&told->phase, LMP_BEAT_WRITES);
    beat(s);
    void *scratch = objectmemory_get(&s->memory, snapfile_scratch());
    LmpSnapSink sink = {write_chunk, s};
    LmpSnapState state = {p->header, p->live, &p->tables};
    if (!scratch) return LMP_E_NOMEM;
    err = snapfile_write(&sink, &s->info, &s->graph, &state, scratch);
    if (!err && !s->in_child && !tell_stop(s, &state)) err = LMP_E_FILE;
    return err ? err : partfile_commit(&s->file);
}

static LmpErr work(LmpSnapshots *s, const LmpLive *shared) {
    LmpBeat *told = s->beat;
    LmpErr err = walk_and_write(s, shared);
    if (err) partfile_drop(&s->file);
    told->error = (int32_t)err;
    told->os_error = err ? s->file.os_error : 0;
    told->bytes = s->file.bytes;
    return err;
}

/* Runs in the child, whose profile is its own copy: its figures are those of the moment. */
static void work_in_child(void *of) {
    LmpSnapshots *s = of;
    LmpProfile *p = s->p;
    LmpBeat *told = s->beat;
    const LmpLive *shared = p->live;
    s->in_child = true;
    p->live = p->tables.live = s->copy;
    p->counters = &s->copy->counters;
    work(s, shared);
    atomic_store(&told->phase, LMP_BEAT_DONE);
}

/* ---- taking ---------------------------------------------------------------------------------- */

static void fill_info(LmpProfile *p, const LmpSnapshotWish *wish, uint64_t clock) {
    LmpSnapshots *s = p->snapshots;
    LmpObjectInfo *info = &s->info;
    LmpClassTotal total[LMP_CLASSES];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *info = (LmpObjectInfo){.pid = p->header->pid,
                            .serial = p->header->serial,
                            .number = p->live->snapshot.number + 1,
                            .collected = wish->how == LMP_SNAPSHOT_COLLECT,
                            .paused = s->hand.old_addr || s->hand.new_addr,
                            .realtime = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
                            .clock = clock,
                            .live_bytes = p->counters->live_bytes};
    counters_read(p->counters, total);
    for (unsigned c = 1; c < LMP_C_COUNTED; c++)
        info->live_blocks += total[c].live_blocks;
    memcpy(info->program, p->header->program, sizeof info->program);
    memcpy(info->lua, p->header->lua, sizeof info->lua);
    memcpy(info->lmp, p->header->lmp, sizeof info->lmp);
    modules_list(info->module);
}

/* Tells readers what is known when a snapshot begins. */
static void announce(LmpProfile *p, const LmpSnapshotWish *wish) {
    LmpSnapshots *s = p->snapshots;
    LmpSnapshotLive *to = &p->live->snapshot;
    if (to->number) p->live->snapshot_before[(to->number - 1) % LMP_SNAPSHOTS_BEFORE] = *to;
    begin_change(to);
    to->state = LMP_SNAPSHOT_RUNS;
    to->number = s->info.number;
    to->request = wish->request;
    to->forked = 0;
    to->error = to->os_error = 0;
    to->child = 0;
    to->how = wish->how;
    to->clock = s->info.clock;
    to->live_bytes = s->info.live_bytes;
    to->live_blocks = s->info.live_blocks;
    to->stop = to->slowest = to->objects = to->bytes = to->walk = 0;
    to->why_in_place[0] = 0;
    name_file(p, wish->file, to->number, to->file, sizeof to->file);
    end_change(p, to);
    *s->beat = (LmpBeat){0};
    atomic_store(&s->beat->number, to->number);
    atomic_store(&s->beat->phase, LMP_BEAT_WALKS);
}

/* Tells readers how a snapshot ended. */
static void conclude(LmpProfile *p, LmpErr err, int os_error) {
    LmpSnapshotLive *to = &p->live->snapshot;
    const LmpBeat *told = p->snapshots->beat;
    begin_change(to);
    to->state = err ? LMP_SNAPSHOT_FAILED : LMP_SNAPSHOT_WRITTEN;
    to->error = (int32_t)err;
    to->os_error = err ? os_error : 0;
    to->child = 0;
    to->objects = told->objects;
    to->bytes = told->bytes;
    to->walk = told->walk;
    end_change(p, to);
}

static LmpErr in_place(LmpProfile *p, uint64_t begun) {
    LmpSnapshots *s = p->snapshots;
    LmpSnapshotLive *to = &p->live->snapshot;
    if (s->freeze.on) freeze_end(p, &s->freeze); /* what was begun of it */
    s->info.taken = LMP_TAKEN_IN_PLACE;
    memcpy(s->info.why_in_place, to->why_in_place, sizeof s->info.why_in_place);
    LmpErr err = work(s, p->live);
    objectmemory_free(&s->memory);
    conclude(p, err, s->beat->os_error);
    begin_change(to);
    to->stop = lmp_os->clock() - begun;
    end_change(p, to);
    return err;
}

/* Gives up a snapshot that no child can take, where the program is not to stand. */
static LmpErr give_up(LmpProfile *p) {
    LmpSnapshots *s = p->snapshots;
    if (s->freeze.on) freeze_end(p, &s->freeze);
    partfile_drop(&s->file);
    conclude(p, LMP_E_STOPPED, 0);
    return LMP_E_STOPPED;
}

static const char *why_no_child(int error) {
    return error == EAGAIN   ? "no further process is allowed (RLIMIT_NPROC, pids.max)"
           : error == ENOMEM ? "no memory for a second copy of the program"
                             : "the system refuses a child process";
}

/* Begins the child. Returns false if that fails; `why` (size bytes) says why. */
static bool begin_child(LmpProfile *p, char *why, size_t size, uint64_t begun) {
    LmpSnapshots *s = p->snapshots;
    if (p->live->hidden_leaves || own_fd_get(&p->file) < 0) {
        snprintf(why, size, "the program has closed the file of the shared state");
        return false;
    }
    if (!child_fits_twice(why, size)) return false;
    s->copy = lmp_os->map(sizeof *s->copy, -1, 0, true);
    int error = s->copy ? 0 : ENOMEM;
    snprintf(why, size, "shadow map and tables could not be frozen");
    if (s->copy && freeze_begin(p, &s->freeze)) {
        memcpy(s->copy, p->live, sizeof *s->copy);
        s->info.taken = LMP_TAKEN_FORKED;
        error = child_begin(&s->child, s->beat, s->file.fd, work_in_child, s, begun);
        if (error) snprintf(why, size, "%s", why_no_child(error));
    }
    if (s->copy) lmp_os->unmap(s->copy, sizeof *s->copy);
    s->copy = NULL;
    p->slow->snapshot = s->freeze.on;
    return s->child.pid != 0;
}

/* Returns true while the child works; a child whose file is whole takes its time to end. */
static bool is_at_work(const LmpSnapshots *s) {
    return s->child.pid && atomic_load(&s->beat->phase) != LMP_BEAT_DONE;
}

/* Concludes with what the child told before it ended; if it told nothing, with an error. */
static void child_ended(LmpProfile *p) {
    LmpSnapshots *s = p->snapshots;
    bool done = atomic_load(&s->beat->phase) == LMP_BEAT_DONE;
    LmpErr err = done ? (LmpErr)s->beat->error : LMP_E_CHILD;
    if (!done) partfile_drop(&s->file);
    if (s->errand.due) atomic_store(&p->control->trap, 1);
    conclude(p, err, done ? s->beat->os_error : 0);
}

LmpErr snapshot_take(LmpProfile *p, const LmpSnapshotWish *wish, const LmpObjectHand *hand) {
    LmpSnapshots *s = p->snapshots;
    LmpSnapshotLive *to = &p->live->snapshot;
    uint64_t begun = s->begun = lmp_os->clock();
    if (is_at_work(s)) return LMP_E_BUSY;
    if (s->child.pid) { /* it is giving its memory back */
        child_wait(&s->child);
        child_ended(p);
    }
    if (s->freeze.on) freeze_end(p, &s->freeze);
    light_whole(p, true);
    s->hand = hand ? *hand : (LmpObjectHand){0};
    p->live->clock = begun - p->start;
    fill_info(p, wish, p->live->clock);
    announce(p, wish);
    if (wish->file && strlen(wish->file) >= sizeof to->file) {
        conclude(p, LMP_E_FILE, ENAMETOOLONG);
        return LMP_E_FILE;
    }
    LmpErr err = offsets_known();
    if (!err) err = partfile_open(&s->file, to->file);
    if (err) {
        conclude(p, err, err == LMP_E_LAYOUT ? 0 : s->file.os_error);
        return err;
    }
    char why[sizeof to->why_in_place] = "";
    bool child = !wish->in_place && begin_child(p, why, sizeof why, begun);
    if (!child) memcpy(to->why_in_place, why, sizeof why);
    if (!child && wish->how == LMP_SNAPSHOT_ITSELF) {
        err = give_up(p);
    } else if (!child) {
        err = in_place(p, begun);
    } else {
        partfile_leave(&s->file);
        begin_change(to);
        to->forked = 1;
        to->child = (uint32_t)s->child.pid;
        to->stop = lmp_os->clock() - begun;
        end_change(p, to);
    }
    slow_path_route(p);
    return err;
}

/* ---- while it is under way ------------------------------------------------------------------- */

void snapshot_tick(LmpProfile *p) {
    LmpSnapshots *s = p->snapshots;
    ForkEnd end;
    safepoint_tick(p, &s->errand);
    if (!p->slow->snapshot) return;
    if (s->child.pid) {
        if (child_look(&s->child, lmp_os->clock(), &end)) child_ended(p);
    } else if (freeze_merge(p, &s->freeze, MERGE_SHARE) || s->freeze.lost) {
        freeze_release(&s->freeze);
        p->slow->snapshot = false;
        slow_path_route(p);
    }
}

void snapshot_note(LmpProfile *p, uint64_t ns) {
    LmpSnapshotLive *to = &p->live->snapshot;
    if (ns > to->slowest) to->slowest = ns; /* one word */
}

void snapshot_wait(LmpProfile *p) {
    LmpSnapshots *s = p->snapshots;
    s->errand = (LmpErrand){0};
    if (s->child.pid) {
        child_wait(&s->child);
        child_ended(p);
    }
    if (s->freeze.on) freeze_end(p, &s->freeze);
    p->slow->snapshot = false;
}

void snapshot_at_end(LmpProfile *p) {
    LmpSnapshots *s = p->snapshots;
    if (!s->at_end[0]) return;
    LmpSnapshotWish wish = {.file = s->at_end, .in_place = true};
    bool closing = p->closing;
    p->closing = false; /* nothing has been freed yet */
    snapshot_wait(p);
    snapshot_take(p, &wish, NULL);
    p->closing = closing;
    s->at_end[0] = 0;
}

void snapshot_forget(LmpProfile *p) {
    child_forget(&p->snapshots->child);
    partfile_leave(&p->snapshots->file);
    freeze_forget(p, &p->snapshots->freeze);
    p->slow->snapshot = false;
}

/* ---- requests -------------------------------------------------------------------------------- */

static bool is_wished(const LmpSnapshots *s) {
    return s->errand.due || s->errand.waits;
}

/* Returns true if the viewer has withdrawn its request for the snapshot that waits. */
static bool is_withdrawn(const LmpProfile *p) {
    uint32_t request = p->snapshots->wish.request;
    return request && atomic_load(&p->control->snapshot_withdrawn) == request;
}

void snapshot_request(LmpProfile *p, const LmpSnapshotWish *wish) {
    LmpSnapshots *s = p->snapshots;
    if (is_wished(s)) return;
    s->wish = *wish;
    snprintf(s->wanted, sizeof s->wanted, "%s", wish->file ? wish->file : "");
    s->wish.file = s->wanted;
    s->errand.due = true;
    if (s->child.pid) return; /* after that one */
    atomic_store(&p->control->trap, 1);
    begin_change(&p->live->snapshot);
    p->live->snapshot.request = wish->request;
    p->live->snapshot.state = LMP_SNAPSHOT_WAITS;
    end_change(p, &p->live->snapshot);
}

static void withdraw(LmpProfile *p) {
    p->snapshots->errand = (LmpErrand){0};
    set_state(p, LMP_SNAPSHOT_NONE);
}

/* Copies a viewer's request. Returns false if there is no new one. */
static bool copy_request(LmpProfile *p, LmpSnapshotWish *wish, char *file, size_t size) {
    const LmpControl *control = p->control;
    LmpSnapshotLive *to = &p->live->snapshot;
    uint32_t sequence = atomic_load(&control->snapshot);
    if (sequence & 1 || sequence == atomic_load(&to->taken)) return false;
    *wish = (LmpSnapshotWish){
        .file = file, .how = (LmpSnapshotHow)control->snapshot_how, .request = sequence};
    memcpy(file, control->snapshot_file, size);
    file[size - 1] = 0;
    atomic_thread_fence(memory_order_acquire);
    return atomic_load(&control->snapshot) == sequence;
}

/* Takes over a viewer's request. */
static void hear(LmpProfile *p) {
    char file[LMP_SNAPSHOT_FILE];
    LmpSnapshots *s = p->snapshots;
    LmpSnapshotLive *to = &p->live->snapshot;
    LmpSnapshotWish wish;
    if (!copy_request(p, &wish, file, sizeof file)) return;
    if (is_wished(s) && is_withdrawn(p)) withdraw(p);
    bool busy = is_wished(s) || is_at_work(s);
    begin_change(to);
    if (busy) atomic_store(&to->busy, wish.request);
    atomic_store(&to->taken, wish.request);
    end_change(p, to);
    if (!busy) snapshot_request(p, &wish);
}

void snapshot_serve(LmpProfile *p, bool stack_safe, bool paused) {
    LmpSnapshots *s = p->snapshots;
    hear(p);
    if (is_wished(s) && is_withdrawn(p)) withdraw(p);
    if (s->child.pid) return;
    if (!paused) {
        safepoint_serve(p, &s->errand, stack_safe);
    } else if (is_wished(s)) {
        const LmpOp *op = &p->live->op;
        LmpSnapshotWish wish = s->wish;
        s->errand = (LmpErrand){0};
        if (wish.how == LMP_SNAPSHOT_COLLECT) wish.how = LMP_SNAPSHOT_ALL;
        snapshot_take(p, &wish,
                      &(LmpObjectHand){op->old_addr, op->new_addr, op->old_size, op->new_size});
    }
}

/* Collects garbage. Returns false if a finalizer has ended the profile; finalizers may do anything,
 * even take a snapshot. */
static bool collect_first(LmpProfile *p, lua_State *L) {
    uint64_t begun = p->slot.begun;
    lua_gc(L, LUA_GCCOLLECT);
    return safepoint_same(L, p, begun);
}

void snapshot_between(LmpProfile *p, lua_State *L) {
    LmpSnapshots *s = p->snapshots;
    if (!s->errand.waits) return;
    if (is_withdrawn(p)) {
        withdraw(p);
        return;
    }
    s->errand = (LmpErrand){.due = s->child.pid != 0};
    if (s->errand.due) return; /* the script has begun one: after that */
    LmpSnapshotWish wish = s->wish;
    if (wish.how == LMP_SNAPSHOT_COLLECT && !collect_first(p, L)) return;
    snapshot_take(p, &wish, NULL);
}
