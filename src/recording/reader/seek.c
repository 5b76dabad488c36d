/* seek.c - puts the state of a frame into memory: the first frame of its chunk, then its changes;
 * changes of tables are undone to go to another frame of the same chunk. */
#include "recording/format/redundancy.h"
#include "recording/reader/recording_impl.h"

LmpErr seek_part(LmpRecording *r, RecPack *pack, const RecPart *part) {
    LmpErr err = recscan_read(&r->scan, part, &r->stored);
    if (!err) err = pack_unpack(pack, part, r->stored.at, &r->plain);
    if (err == LMP_E_NOMEM) { /* of one part that wants much; others may do with less */
        bytes_free(&r->stored);
        bytes_free(&r->plain);
    }
    return err;
}

RecPiece seek_piece(const LmpRecording *r, RecSection section, unsigned layers) {
    return (RecPiece){section, layers, r->plain.at, r->plain.n};
}

void seek_clear(LmpRecording *r, RecSection section) {
    for (uint32_t g = 0; g < REC_GROUPS; g++)
        if (rec_groups[g].section == section)
            coding_clear(&rec_groups[g], &r->state, 0, rec_groups[g].most);
}

void seek_no_tables(LmpRecording *r) {
    undo_all(&r->undo, &r->state, REC_ALL);
    for (uint32_t g = 0; g < REC_GROUPS; g++) {
        if (rec_groups[g].section != REC_TABLES) continue;
        coding_clear(&rec_groups[g], &r->state, 0, r->extent[g].rows);
        r->extent[g] = (RecExtent){0};
    }
    for (int l = 0; l < REC_LAYERS; l++)
        r->tables[l] = r->first_tables[l] = 0;
    r->tables_clock = 0;
}

/* ---- seeking --------------------------------------------------------------------------------- */

/* Makes `m` what a chunk's first part says, which becomes the base of `pack`. */
static LmpErr load_first(LmpRecording *r, RecSection section, unsigned layers, RecPack *pack,
                         const RecPart *part, const RecMemory *m) {
    LmpErr err = part->base ? LMP_E_DAMAGED : seek_part(r, r->pack, part);
    if (err == LMP_E_DAMAGED && redundancy_mend(&r->scan, part, &r->stored, &r->mending))
        err = pack_unpack(r->pack, part, r->stored.at, &r->plain);
    if (err) return err;
    const RecPiece piece = seek_piece(r, section, layers);
    if (section == REC_TABLES) undo_forget(&r->undo, r->extent, layers);
    err = apply_first(&r->schema, &piece, m, r->extent);
    if (!err && !pack_set_base(pack, r->plain.at, r->plain.n, false)) err = LMP_E_NOMEM;
    return err;
}

static const RecPart *part_at(const LmpRecording *r, uint64_t place, RecKind kind) {
    uint32_t i = recscan_find(&r->scan, place);
    return i < r->scan.parts && r->scan.part[i].kind == kind ? &r->scan.part[i] : NULL;
}

/* Returns true if the file has this group; one of an older version may not. */
static bool has_group(const LmpRecording *r, const RecGroup *group) {
    for (uint32_t i = 0; i < r->schema.groups; i++)
        if (r->schema.group[i].own == group) return true;
    return false;
}

/* Returns true if there are as many rows as the tables speak of. */
static bool rows_go_so_far(const LmpRecording *r) {
    for (uint32_t g = 0; g < REC_GROUPS; g++)
        if (rec_groups[g].section == REC_ROWS && rec_rows(&rec_groups[g], &r->state) > r->have[g] &&
            has_group(r, &rec_groups[g]))
            return false;
    return true;
}

/* Returns, as bits, the layers that are not of this place. */
static unsigned layers_off(const uint64_t of[REC_LAYERS], uint64_t place) {
    unsigned off = 0;
    for (unsigned l = 0; l < REC_LAYERS; l++)
        off |= (unsigned)(of[l] != place) << l;
    return off;
}

static void set_layers(uint64_t of[REC_LAYERS], unsigned layers, uint64_t place) {
    for (unsigned l = 0; l < REC_LAYERS; l++)
        if (layers >> l & 1) of[l] = place;
}

/* Layers go from part to part on their own; but none is shown without the lines, so these are of
 * the chunk that is the base of pack_tables. */
static LmpErr show_tables(LmpRecording *r, const RecPart *part, unsigned layers) {
    layers &= layers_off(r->tables, part->place);
    if (!layers) return LMP_OK;
    const RecPart *first = part->base ? part_at(r, part->base, REC_TABLES_PART) : part;
    if (!first || part->kind != REC_TABLES_PART) return LMP_E_DAMAGED;
    LmpErr err = LMP_OK;
    unsigned others = layers & layers_off(r->first_tables, first->place);
    set_layers(r->tables, layers, 0);
    undo_all(&r->undo, &r->state, layers & ~others);
    if (others) {
        set_layers(r->first_tables, others, 0);
        err = load_first(r, REC_TABLES, others, r->pack_tables, first, &r->state);
        if (!err) set_layers(r->first_tables, others, first->place);
    }
    if (!err && first != part) err = seek_part(r, r->pack_tables, part);
    const RecPiece piece = seek_piece(r, REC_TABLES, layers);
    if (!err && first != part)
        err = apply_changes(&r->schema, &piece, &r->state, &r->undo, r->extent);
    bool whole = rows_go_so_far(r);
    if (!err && !whole && r->scan.version == REC_VERSION_LINKED) err = LMP_E_DAMAGED;
    if (err) return err;
    if (!whole) r->lost_rows = true;
    set_layers(r->tables, layers, part->place);
    r->tables_clock = part->clock;
    return LMP_OK;
}

/* Shows the tables that go with a frame; where they are damaged, those before them, unless the
 * frame claims them for its own. */
static LmpErr show_tables_of(LmpRecording *r, const RecPart *frame, unsigned layers) {
    uint32_t i = recscan_find(&r->scan, frame->tables);
    bool own = frame->flags & LMP_FRAME_TABLES;
    LmpErr err = own ? LMP_E_DAMAGED : LMP_OK;
    if (i < r->scan.parts) err = show_tables(r, &r->scan.part[i], layers);
    if (own || err == LMP_E_NOMEM || (!err && i < r->scan.parts)) return err;
    const RecPart *p = frame;
    for (int tries = 0; p > r->scan.part && tries < 100; p--) {
        if (p->kind != REC_TABLES_PART) continue;
        err = show_tables(r, p, layers);
        if (!err || err == LMP_E_NOMEM) return err;
        tries++;
    }
    seek_no_tables(r);
    return LMP_OK;
}

static LmpErr show_live(LmpRecording *r, const RecPart *part) {
    const RecPart *first = part->base ? part_at(r, part->base, REC_LIVE_PART) : part;
    if (!first) return LMP_E_DAMAGED;
    LmpErr err = LMP_OK;
    if (r->key_live != first->place) {
        r->key_live = 0;
        err = load_first(r, REC_LIVE, REC_ALL, r->pack_live, first, &r->key);
        if (!err) r->key_live = first->place;
    }
    if (!err && first != part) err = seek_part(r, r->pack_live, part);
    if (err) return err;
    for (uint32_t g = 0; g < REC_GROUPS; g++)
        if (rec_groups[g].section == REC_LIVE)
            coding_copy(&rec_groups[g], &r->state, &r->key, 0, rec_groups[g].most);
    const RecPiece piece = seek_piece(r, REC_LIVE, REC_ALL);
    if (first != part) err = apply_changes(&r->schema, &piece, &r->state, NULL, NULL);
    const LmpLive *live = (const void *)(r->state.fixed + LMP_LIVE_AT);
    return !err && live->counters.live_bytes != part->live_bytes ? LMP_E_DAMAGED : err;
}

static LmpErr show(LmpRecording *r, uint32_t i, unsigned layers) {
    const RecPart *frame = &r->scan.part[r->frame[i]];
    LmpErr err = show_live(r, frame);
    return err ? err : show_tables_of(r, frame, layers);
}

static LmpErr seek(LmpRecording *r, uint32_t i, unsigned layers) {
    if (i >= r->frames || !r->pack) return LMP_E_DAMAGED;
    LmpErr err = show(r, i, layers);
    if (!err)
        r->now = i;
    else if (r->now >= r->frames || show(r, r->now, layers)) { /* it could be shown before */
        seek_clear(r, REC_LIVE);
        seek_no_tables(r);
        r->now = UINT32_MAX;
    }
    return err;
}

LmpErr recording_seek(LmpRecording *r, uint32_t i) {
    return seek(r, i, REC_ALL);
}

LmpErr recording_seek_lines(LmpRecording *r, uint32_t i) {
    return seek(r, i, 1u << REC_LINES);
}
