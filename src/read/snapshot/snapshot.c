/* snapshot.c - puts a snapshot together, in the steps of one table, and answers the small
 * questions. */
#include "read/snapshot/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bisect.h"
#include "read/snapshot/snapshot_impl.h"

/* ---- small questions ------------------------------------------------------------------------- */

const char *snapshot_text(const LmpSnapshot *s, uint32_t object, size_t *length) {
    *length = 0;
    if (object >= s->g.objects || s->g.kind[object] != LMP_OBJECT_STRING) return NULL;
    uint32_t row = s->ordinal[object];
    *length = s->g.string_shown[row];
    return s->g.text + s->text_at[row];
}

bool snap_is_text(const LmpSnapshot *s, uint32_t object, const char *text) {
    size_t n;
    const char *is = snapshot_text(s, object, &n);
    return is && n == strlen(text) && memcmp(is, text, n) == 0;
}

uint32_t snap_edge_of(const LmpSnapshot *s, uint32_t object, unsigned kind) {
    for (uint32_t e = s->g.edge_at[object]; e < s->g.edge_at[object + 1]; e++)
        if ((s->g.edge_kind[e] & LMP_EDGE_KIND) == kind) return s->g.edge_to[e];
    return LMP_OBJECT_NONE;
}

uint32_t snap_field(const LmpSnapshot *s, uint32_t table, const char *key) {
    if (table >= s->g.objects) return LMP_OBJECT_NONE;
    for (uint32_t e = s->g.edge_at[table]; e < s->g.edge_at[table + 1]; e++)
        if ((s->g.edge_kind[e] & LMP_EDGE_KIND) == LMP_EDGE_FIELD &&
            snap_is_text(s, s->g.edge_label[e], key))
            return s->g.edge_to[e];
    return LMP_OBJECT_NONE;
}

uint32_t snap_upvalue_name(const LmpSnapshot *s, uint32_t upvalue) {
    for (uint32_t k = s->in_at[upvalue]; k < s->in_at[upvalue + 1]; k++)
        if ((s->g.edge_kind[s->in[k]] & LMP_EDGE_KIND) == LMP_EDGE_UPVALUE &&
            s->g.kind[s->in_from[k]] == LMP_OBJECT_LUA_FUNCTION && s->g.edge_label[s->in[k]])
            return s->g.edge_label[s->in[k]];
    return 0;
}

uint32_t snap_thread_function(const LmpSnapshot *s, uint32_t thread) {
    const uint32_t *at = snap_own(s)->frame_at;
    uint32_t row = s->ordinal[thread];
    for (uint32_t f = at[row + 1]; f > at[row]; f--)
        if (s->g.frame_function[f - 1]) return s->g.frame_function[f - 1];
    /* not started yet: its function is the first in its stack */
    for (uint32_t e = s->g.edge_at[thread]; e < s->g.edge_at[thread + 1]; e++) {
        uint32_t to = s->g.edge_to[e];
        if ((s->g.edge_kind[e] & LMP_EDGE_KIND) != LMP_EDGE_LOCAL) continue;
        if (s->g.kind[to] == LMP_OBJECT_LUA_FUNCTION || s->g.kind[to] == LMP_OBJECT_C_FUNCTION)
            return to;
    }
    return 0;
}

uint32_t snapshot_proto(const LmpSnapshot *s, uint32_t object) {
    if (object >= s->g.objects) return LMP_OBJECT_NONE;
    switch (s->g.kind[object]) {
    case LMP_OBJECT_PROTO:
        return object;
    case LMP_OBJECT_LUA_FUNCTION: {
        uint32_t proto = snap_edge_of(s, object, LMP_EDGE_PROTO);
        return proto != LMP_OBJECT_NONE && s->g.kind[proto] == LMP_OBJECT_PROTO ? proto
                                                                                : LMP_OBJECT_NONE;
    }
    case LMP_OBJECT_UPVALUE:
        for (uint32_t k = s->in_at[object]; k < s->in_at[object + 1]; k++)
            if (s->g.kind[s->in_from[k]] == LMP_OBJECT_LUA_FUNCTION)
                return snapshot_proto(s, s->in_from[k]);
        return LMP_OBJECT_NONE;
    default:
        return LMP_OBJECT_NONE;
    }
}

LmpKind snapshot_kind(const LmpSnapshot *s, uint32_t object) {
    static const LmpKind of_kind[LMP_OBJECT_KINDS] = {
        [LMP_OBJECT_ROOT] = LMP_OTHER,          [LMP_OBJECT_STRING] = LMP_STRING,
        [LMP_OBJECT_TABLE] = LMP_TABLE,         [LMP_OBJECT_LUA_FUNCTION] = LMP_FUNCTION,
        [LMP_OBJECT_C_FUNCTION] = LMP_FUNCTION, [LMP_OBJECT_USERDATA] = LMP_USERDATA,
        [LMP_OBJECT_THREAD] = LMP_THREAD,       [LMP_OBJECT_PROTO] = LMP_FUNCTION,
        [LMP_OBJECT_UPVALUE] = LMP_FUNCTION,    [LMP_OBJECT_LOT] = LMP_OTHER};
    static const LmpKind of_lot[LMP_LOTS] = {
        [LMP_LOT_STRING_TABLE] = LMP_STRING, [LMP_LOT_STATE] = LMP_THREAD,
        [LMP_LOT_STRINGS] = LMP_STRING,      [LMP_LOT_CODE] = LMP_FUNCTION,
        [LMP_LOT_HOST] = LMP_OTHER,          [LMP_LOT_PARTS] = LMP_OTHER,
        [LMP_LOT_OBJECTS] = LMP_OTHER,       [LMP_LOT_HAND] = LMP_OTHER};
    uint32_t kind = s->g.kind[object];
    if (kind == LMP_OBJECT_LOT) {
        uint32_t what = s->g.lot_what[s->ordinal[object]];
        return what < LMP_LOTS ? of_lot[what] : LMP_OTHER;
    }
    return kind < LMP_OBJECT_KINDS ? of_kind[kind] : LMP_OTHER;
}

uint64_t snapshot_born(const LmpSnapshot *s, uint32_t object) {
    uint64_t epoch = LMP_BLOCK_BIRTH(s->g.birth[object]);
    uint64_t length = s->view ? s->view->live->epoch_length : 0;
    if (epoch == 0 || length == 0 || length > UINT64_MAX / 256) return UINT64_MAX;
    return (epoch - 1) * length;
}

static uint32_t find(const LmpSnapshot *s, uint64_t addr, uint32_t begin, uint32_t end,
                     bool sorted) {
    if (!sorted) {
        for (uint32_t i = begin; i < end; i++)
            if (s->g.addr[i] == addr) return i;
        return LMP_OBJECT_NONE;
    }
    BISECT(begin, end, i, s->g.addr[i] < addr);
    return begin < end && s->g.addr[begin] == addr ? begin : LMP_OBJECT_NONE;
}

uint32_t snapshot_at(const LmpSnapshot *s, uint64_t addr) {
    const SnapOwn *own = snap_own(s);
    uint32_t i = find(s, addr, 1, own->counted_end, own->counted_sorted);
    if (i != LMP_OBJECT_NONE) return i;
    return find(s, addr, own->counted_end, own->before_end, own->before_sorted);
}

/* ---- making ---------------------------------------------------------------------------------- */

static bool ascends(const LmpObjectGraph *g, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin + 1; i < end; i++)
        if (g->addr[i - 1] >= g->addr[i]) return false;
    return true;
}

static void find_sections(LmpSnapshot *s) {
    SnapOwn *own = snap_own(s);
    const LmpObjectGraph *g = &s->g;
    uint32_t i = 1;
    while (i < g->objects && g->kind[i] != LMP_OBJECT_LOT && !(g->flags[i] & LMP_OBJECT_BEFORE))
        i++;
    own->counted_end = i;
    while (i < g->objects && g->kind[i] != LMP_OBJECT_LOT)
        i++;
    own->before_end = i;
    own->counted_sorted = ascends(g, 1, own->counted_end);
    own->before_sorted = ascends(g, own->counted_end, own->before_end);
}

static bool prepare(LmpSnapshot *s) {
    SnapOwn *own = snap_own(s);
    const LmpObjectGraph *g = &s->g;
    uint32_t strings = g->count[LMP_OBJECT_STRING], threads = g->count[LMP_OBJECT_THREAD];
    s->ordinal = snap_memory_rough(&own->memory, g->objects, sizeof *s->ordinal);
    s->text_at = snap_memory_rough(&own->memory, strings, sizeof *s->text_at);
    own->frame_at = snap_memory_take(&own->memory, (size_t)threads + 1, sizeof *own->frame_at);
    if (!s->ordinal || !s->text_at || !own->frame_at) return false;
    objectgraph_ordinals(g, s->ordinal);
    uint64_t at = 0;
    for (uint32_t i = 0; i < strings; i++) {
        s->text_at[i] = at;
        at += g->string_shown[i];
    }
    for (uint32_t i = 0; i < threads; i++) {
        uint32_t begin = own->frame_at[i], left = g->frames - begin;
        own->frame_at[i + 1] = begin + (g->thread_frames[i] < left ? g->thread_frames[i] : left);
    }
    find_sections(s);
    return true;
}

static void find_known(LmpSnapshot *s) {
    const LmpObjectGraph *g = &s->g;
    s->registry = s->globals = s->loaded = s->main_thread = LMP_OBJECT_NONE;
    for (uint32_t e = g->edge_at[0]; e < g->edge_at[1]; e++) {
        if ((g->edge_kind[e] & LMP_EDGE_KIND) != LMP_EDGE_ROOT) continue;
        if (g->edge_label[e] == LMP_ROOT_REGISTRY) s->registry = g->edge_to[e];
        if (g->edge_label[e] == LMP_ROOT_MAIN) s->main_thread = g->edge_to[e];
    }
    if (s->registry == LMP_OBJECT_NONE) return;
    for (uint32_t e = g->edge_at[s->registry]; e < g->edge_at[s->registry + 1]; e++)
        if ((g->edge_kind[e] & LMP_EDGE_KIND) == LMP_EDGE_INDEX && g->edge_label[e] == 2)
            s->globals = g->edge_to[e]; /* LUA_RIDX_GLOBALS */
    s->loaded = snap_field(s, s->registry, "_LOADED");
}

void snapshot_waits(const LmpSnapshot *s, LmpProgress *progress) {
    SnapOwn *own = snap_own(s);
    if (!progress) snap_memory_free(&own->scratch);
    own->progress = progress;
    own->step = "summing up";
    own->begin = 0;
    own->size = 1;
    own->stopped = false;
}

bool snapshot_stopped(const LmpSnapshot *s) {
    return snap_own(s)->stopped;
}

bool snap_tick(const LmpSnapshot *s, uint32_t done) {
    SnapOwn *own = snap_own(s);
    double all = s->g.objects > 0 ? s->g.objects : 1;
    if (!own->stopped &&
        !progress_tell(own->progress, own->step, own->begin + own->size * (done / all)))
        own->stopped = true;
    return !own->stopped;
}

/* What is made from the graph, in this order; with the part of an opening that each takes. */
static const struct {
    const char *words;
    bool (*make)(LmpSnapshot *s);
    double size;
} steps[] = {
    {"sorting keys", references_make_order, 0.02},
    {"finding what is held", reach_make, 0.1},
    {"turning references round", references_make_incoming, 0.08},
    {"finding who holds it alone", dominators_make, 0.28},
    {"naming places", places_make, 0.02},
    {"naming classes", classes_make, 0.1},
};
#define FILE_SHARE 0.4 /* what is left for the file */

static bool make_all(LmpSnapshot *s) {
    SnapOwn *own = snap_own(s);
    if (!prepare(s)) return false;
    find_known(s);
    bool made = true;
    own->begin = own->is_read ? FILE_SHARE : 0;
    for (size_t i = 0; made && i < sizeof steps / sizeof steps[0]; i++) {
        own->step = steps[i].words;
        own->size = steps[i].size;
        made = snap_tick(s, 0) && steps[i].make(s) && !own->stopped;
        own->begin += own->size;
    }
    return made;
}

static bool begin(LmpSnapshot *s) {
    memset(s, 0, sizeof *s);
    s->own = calloc(1, sizeof(SnapOwn));
    return s->own;
}

LmpErr snapshot_of_graph(LmpSnapshot *s, const LmpObjectInfo *info, const LmpObjectGraph *graph) {
    if (!begin(s)) return LMP_E_NOMEM;
    s->info = *info;
    s->g = *graph;
    LmpErr err = graph->objects == 0 ? LMP_E_DAMAGED : make_all(s) ? LMP_OK : LMP_E_NOMEM;
    if (err) snapshot_close(s);
    return err;
}

static LmpErr read_state(LmpSnapshot *s) {
    SnapOwn *own = snap_own(s);
    if (!own->read.whole) return LMP_OK;
    LmpErr err = view_open_whole(&own->view, own->read.whole);
    if (err) return err;
    s->view = &own->view;
    return ledger_refresh(&s->ledger, &s->view->tables, LEDGER_ALL, s->info.clock);
}

LmpErr snapshot_info(LmpObjectInfo *out, const char *file) {
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return LMP_E_FILE;
    LmpErr err = snapfile_read_info(out, fd);
    close(fd);
    return err;
}

/* The file is the first part of what its reader waits for. */
typedef struct FileProgress {
    LmpProgress progress;
    LmpProgress *whole;
} FileProgress;

static bool tell_file(LmpProgress *progress, const char *step, double share) {
    return progress_tell(((FileProgress *)progress)->whole, step, share * FILE_SHARE);
}

LmpErr snapshot_open_told(LmpSnapshot *s, const char *file, LmpProgress *progress) {
    if (!begin(s)) return LMP_E_NOMEM;
    SnapOwn *own = snap_own(s);
    FileProgress of_file = {{.tell = tell_file}, progress};
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    LmpErr err = fd < 0 ? LMP_E_FILE : snapfile_read_told(&own->read, fd, &of_file.progress);
    int before = errno;
    if (fd >= 0) close(fd);
    if (!err) {
        own->is_read = true;
        own->progress = progress;
        s->info = own->read.info;
        s->g = own->read.graph;
        snprintf(s->file, sizeof s->file, "%s", file);
        err = read_state(s);
        if (!err && !make_all(s)) err = own->stopped ? LMP_E_STOPPED : LMP_E_NOMEM;
        own->progress = NULL;
    }
    if (err) snapshot_close(s);
    errno = before;
    return err;
}

LmpErr snapshot_open(LmpSnapshot *s, const char *file) {
    return snapshot_open_told(s, file, NULL);
}

void snapshot_close(LmpSnapshot *s) {
    SnapOwn *own = snap_own(s);
    if (own) {
        ledger_free(&s->ledger);
        if (s->view) view_close(&own->view);
        if (own->is_read) snapfile_free(&own->read);
        keymap_free(&own->place_of);
        keymap_free(&own->c_place_of);
        keymap_free(&own->function_of);
        free(s->class_list);
        snap_memory_free(&own->memory);
        snap_memory_free(&own->scratch);
        free(own);
    }
    memset(s, 0, sizeof *s);
}
