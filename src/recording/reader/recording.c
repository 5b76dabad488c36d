/* recording.c - opens a file, and reads what is said once: rows, header, output. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/format.h"
#include "base/os.h"
#include "recording/format/tablechecks.h"
#include "recording/format/texts.h"
#include "recording/reader/damage.h"
#include "recording/reader/recording_impl.h"
#include "shared/counters.h"

_Static_assert((int)REC_OWN_TABLES == LMP_FRAME_TABLES && DAMAGE_WORDS == LMP_REC_DAMAGE,
               "what parts and users of recordings have in common");

/* ---- parts ----------------------------------------------------------------------------------- */

/* People paste the command line: one that a shell would take for more than words is not ours. */
static LmpErr read_again(LmpRecording *r) {
    bytes_put(&r->plain, "", 1);
    if (r->plain.failed) return LMP_E_NOMEM;
    const char *text = (const char *)r->plain.at;
    if (r->plain.n > LMP_REC_AGAIN || !format_plain_line(text)) return LMP_E_DAMAGED;
    r->again = strdup(text);
    return r->again ? LMP_OK : LMP_E_NOMEM;
}

static LmpErr read_directory(LmpRecording *r) {
    bytes_put(&r->plain, "", 1);
    if (r->plain.failed) return LMP_E_NOMEM;
    const char *text = (const char *)r->plain.at;
    if (r->plain.n > PATH_MAX || *text != '/' || memchr(text, 0, r->plain.n - 1))
        return LMP_E_DAMAGED;
    r->directory = strdup(text);
    return r->directory ? LMP_OK : LMP_E_NOMEM;
}

static LmpErr read_header(LmpRecording *r) {
    LmpHeader *h = (void *)r->state.fixed;
    seek_clear(r, REC_INFO); /* what a damaged one has left */
    const RecPiece piece = seek_piece(r, REC_INFO, REC_ALL);
    LmpErr err = apply_changes(&r->schema, &piece, &r->state, NULL, NULL);
    r->header = !err;
    h->program[sizeof h->program - 1] = 0;
    h->lua[sizeof h->lua - 1] = 0;
    h->lmp[sizeof h->lmp - 1] = 0;
    return err;
}

static LmpErr note_frame(LmpRecording *r, uint32_t part) {
    const RecPart *of = r->scan.part;
    uint64_t clock = r->frames ? of[r->frame[r->frames - 1]].clock : 0;
    if (!recscan_is_frame(&of[part], clock)) return LMP_OK;
    if (!array_room(&r->frame, &r->frames_room, r->frames + 1)) return LMP_E_NOMEM;
    r->frame[r->frames++] = part;
    return LMP_OK;
}

/* Loads a part that is said once and for all. Damage to it costs what it says. */
static LmpErr load_part(LmpRecording *r, uint32_t i) {
    const RecPart *part = &r->scan.part[i];
    LmpErr err = LMP_OK;
    if (part->kind == REC_LIVE_PART) return note_frame(r, i);
    if (part->kind == REC_ENDED) r->ended = (uint32_t)part->live_bytes;
    if (part->kind == REC_ENDED) r->left_out = part->rss;
    bool wanted = (part->kind == REC_HEADER && !r->header) ||
                  (part->kind == REC_AGAIN && !r->again) || part->kind == REC_ROWS_PART ||
                  part->kind == REC_OUTPUT || part->kind == REC_SOURCE ||
                  (part->kind == REC_DIRECTORY && !r->directory);
    if (!wanted) return LMP_OK;
    err = seek_part(r, r->pack, part);
    if (!err && part->kind == REC_HEADER) err = read_header(r);
    if (!err && part->kind == REC_AGAIN) err = read_again(r);
    if (!err && part->kind == REC_DIRECTORY) err = read_directory(r);
    if (!err && part->kind == REC_SOURCE) err = kepttexts_add(&r->sources, r->plain.at, r->plain.n);
    if (!err && part->kind == REC_ROWS_PART)
        err = coding_read_rows(&r->schema, r->scan.version, r->plain.at, r->plain.n, &r->state,
                               r->have);
    if (err == LMP_E_DAMAGED && part->kind == REC_ROWS_PART) r->lost_rows = true;
    if (!err && part->kind == REC_OUTPUT)
        err = outputs_read(&r->outputs, part->clock, r->plain.at, r->plain.n);
    return err == LMP_E_DAMAGED ? LMP_OK : err;
}

static LmpErr load(LmpRecording *r) {
    LmpErr err = r->schema.groups ? LMP_OK : recscan_schema(&r->scan, &r->schema);
    for (; !err && r->loaded < r->scan.parts; r->loaded++)
        err = load_part(r, r->loaded);
    if (r->scan.lost || (r->scan.complete && !r->scan.indexed)) r->lost_rows = true;
    if (r->lost_rows && !err) tablechecks_name_lost(&r->state, r->have);
    return err;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Sets the header's fields that every state has, of whatever file. */
static void set_header(LmpRecording *r) {
    LmpHeader *h = (void *)r->state.fixed;
    h->magic = LMP_MAGIC;
    h->layout = LMP_LAYOUT;
    h->header_size = sizeof(LmpHeader);
    h->control_size = sizeof(LmpControl);
    h->live_size = sizeof(LmpLive);
    h->leaf_size = sizeof(LmpLeaf);
    if (!r->header) h->top = 10; /* as without the option */
    h->pid_space = UINT64_MAX;   /* no process of ours has it: the view's pid is 0 */
}

static LmpErr open_recording(LmpRecording *r) {
    LmpErr err = recscan_open(&r->scan, r->fd);
    if (err) return err;
    r->state.fixed = lmp_os->map(VIEW_WHOLE, -1, 0, true);
    r->key.fixed = lmp_os->map(REC_FIXED, -1, 0, true);
    r->pack = pack_new();
    r->pack_live = pack_new();
    r->pack_tables = pack_new();
    if (!r->state.fixed || !r->key.fixed || !r->pack || !r->pack_live || !r->pack_tables)
        return LMP_E_NOMEM;
    r->state.tables = r->state.fixed + LMP_TABLES_AT;
    err = load(r);
    if (!err && r->schema.groups == 0) err = LMP_E_DAMAGED;
    set_header(r);
    if (!err) err = view_open_whole(&r->view, r->state.fixed);
    return err;
}

static LmpErr open_of(LmpRecording **out, int fd, bool own_fd) {
    *out = NULL;
    LmpRecording *r = calloc(1, sizeof *r);
    if (!r) {
        if (own_fd) close(fd);
        return LMP_E_NOMEM;
    }
    r->fd = fd;
    r->own_fd = own_fd;
    r->now = UINT32_MAX;
    LmpErr err = open_recording(r);
    if (err)
        recording_close(r);
    else
        *out = r;
    return err;
}

LmpErr recording_open(LmpRecording **out, const char *file) {
    *out = NULL;
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO is not waited for */
    return fd < 0 ? LMP_E_FILE : open_of(out, fd, true);
}

LmpErr recording_open_fd(LmpRecording **out, int fd) {
    return open_of(out, fd, false);
}

static void forget(LmpRecording *r) {
    recscan_free(&r->scan);
    coding_free_schema(&r->schema);
    undo_free(&r->undo);
    outputs_free(&r->outputs);
    pack_free(r->pack);
    pack_free(r->pack_live);
    pack_free(r->pack_tables);
    if (r->state.fixed) lmp_os->unmap(r->state.fixed, VIEW_WHOLE);
    if (r->key.fixed) lmp_os->unmap(r->key.fixed, REC_FIXED);
    free(r->frame);
    free(r->again);
    free(r->directory);
    kepttexts_free(r->sources);
    free(r->damage);
    bytes_free(&r->stored);
    bytes_free(&r->plain);
}

void recording_close(LmpRecording *r) {
    if (!r) return;
    forget(r);
    if (r->own_fd) close(r->fd);
    free(r);
}

/* Opens the file again, which was written anew; the view stays where it is. */
static LmpErr open_anew(LmpRecording *r) {
    char *state = r->state.fixed, *tables = r->state.tables;
    RecScan scan = r->scan;
    LmpView view = r->view;
    RecMemory empty = {lmp_os->map(REC_FIXED, -1, 0, true), NULL};
    if (!empty.fixed) return LMP_E_NOMEM;
    seek_no_tables(r);
    /* Rows that never change are the same rows as before, so what is in the state may stay; all
     * figures go with the first seek. */
    r->state.fixed = NULL;
    r->scan = (RecScan){.fd = r->fd};
    forget(r);
    *r = (LmpRecording){.fd = r->fd,
                        .own_fd = r->own_fd,
                        .scan = scan,
                        .state = {state, tables},
                        .key = empty,
                        .view = view,
                        .now = UINT32_MAX,
                        .pack = pack_new(),
                        .pack_live = pack_new(),
                        .pack_tables = pack_new()};
    if (!r->pack || !r->pack_live || !r->pack_tables) return LMP_E_NOMEM;
    LmpErr err = load(r);
    set_header(r);
    return err ? err : r->schema.groups ? LMP_OK : LMP_E_DAMAGED;
}

LmpErr recording_refresh(LmpRecording *r) {
    uint32_t anew = r->scan.anew;
    if (!r->pack) return LMP_E_DAMAGED; /* it is spent */
    LmpErr err = recscan_more(&r->scan);
    if (!err && (r->scan.anew != anew || r->scan.parts < r->loaded)) return open_anew(r);
    return err ? err : load(r);
}

static void give_back(const void *from, const void *to) {
    const uintptr_t page = lmp_os->page(); /* what is not on a border of theirs stays */
    uintptr_t at = ((uintptr_t)from + page - 1) & ~(page - 1), end = (uintptr_t)to & ~(page - 1);
    if (at < end) madvise((char *)at, end - at, MADV_DONTNEED);
}

LmpView *recording_spend(LmpRecording *r) {
    undo_free(&r->undo);
    pack_free(r->pack);
    pack_free(r->pack_live);
    pack_free(r->pack_tables);
    r->pack = r->pack_live = r->pack_tables = NULL;
    bytes_free(&r->stored);
    bytes_free(&r->plain);
    lmp_os->unmap(r->key.fixed, REC_FIXED);
    r->key = (RecMemory){0};
    r->view.tables.spent = give_back;
    return &r->view;
}

/* ---- asking ---------------------------------------------------------------------------------- */

bool recording_complete(const LmpRecording *r) {
    return r->scan.complete;
}

uint64_t recording_left_out(const LmpRecording *r) {
    return r->left_out;
}

uint64_t recording_lost_rows(const LmpRecording *r) {
    return r->lost_rows ? tablechecks_lost_rows(&r->view.tables) : 0;
}

/* Rows that are unknown are those of the last frame that can be read. */
const char *recording_damage(LmpRecording *r) {
    enum { TRIES = 100 };
    RecDamage damage;
    char words[DAMAGE_WORDS];
    if (r->damage) return *r->damage ? r->damage : NULL;
    if (damage_find(&damage, &r->scan)) return NULL;
    if (!r->header) damage.header = true;
    if (damage.open && recscan_has_writer(r->fd)) {
        damage.open = false;
        damage.cut = 0;
    }
    for (uint32_t n = 1; r->lost_rows && n <= r->frames && n <= TRIES; n++) {
        if (recording_seek(r, r->frames - n)) continue;
        damage.unknown = recording_lost_rows(r);
        break;
    }
    damage_words(words, &damage);
    r->damage = strdup(words);
    return *words ? r->damage : NULL;
}

uint32_t recording_generation(const LmpRecording *r) {
    return r->scan.anew << 16 ^ r->scan.generation;
}

uint32_t recording_frames(const LmpRecording *r) {
    return r->frames;
}

LmpFrameInfo recording_frame(const LmpRecording *r, uint32_t i) {
    if (i >= r->frames) return (LmpFrameInfo){0};
    const RecPart *part = &r->scan.part[r->frame[i]];
    return (LmpFrameInfo){part->clock, part->flags, part->live_bytes, part->rss};
}

uint32_t recording_at(const LmpRecording *r, uint64_t clock) {
    uint32_t low = 0;
    BISECT(low, r->frames, i, r->scan.part[r->frame[i]].clock <= clock);
    return low ? low - 1 : 0;
}

uint32_t recording_now(const LmpRecording *r) {
    return r->now;
}

uint64_t recording_tables_clock(const LmpRecording *r) {
    return r->tables_clock;
}

LmpView *recording_view(LmpRecording *r) {
    return &r->view;
}

const char *recording_again(const LmpRecording *r) {
    return r->again;
}

const char *recording_directory(const LmpRecording *r) {
    return r->directory;
}

const KeptTexts *recording_sources(const LmpRecording *r) {
    return r->sources;
}

KeptTexts *recording_take_sources(LmpRecording *r) {
    KeptTexts *taken = r->sources;
    r->sources = NULL;
    return taken;
}

uint32_t recording_ended(const LmpRecording *r) {
    return r->ended;
}

static const RecExtra *extra_of(const LmpRecording *r) {
    return (const void *)(r->state.fixed + REC_EXTRA_AT);
}

LmpTablesRead recording_tables_read(const LmpRecording *r) {
    const RecExtra *x = extra_of(r);
    return (LmpTablesRead){.clock = {x->clock[0], x->clock[1]},
                           .live_bytes = {x->before.live_bytes, x->after.live_bytes},
                           .moved = counters_moved(&x->before, &x->after),
                           .consistent =
                               tablechecks_consistent(&x->before, &x->after, &r->view.tables)};
}

uint32_t recording_outputs(const LmpRecording *r) {
    return r->outputs.pieces;
}

LmpRecordedOutput recording_output(const LmpRecording *r, uint32_t i) {
    if (i >= r->outputs.pieces) return (LmpRecordedOutput){0, "", 0};
    const RecOutputPiece *piece = &r->outputs.piece[i];
    return (LmpRecordedOutput){piece->clock, (const char *)r->outputs.text.at + piece->at,
                               piece->n};
}

uint64_t recording_map(const LmpRecording *r, MapCell cell[MAPCELL_RECORDED]) {
    memcpy(cell, extra_of(r)->map, sizeof extra_of(r)->map);
    return extra_of(r)->map_cell;
}
