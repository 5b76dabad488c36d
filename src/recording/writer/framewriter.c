/* framewriter.c - two chunks at a time are open, of figures and of tables (chunk.h). Small tables
 * are copied until they are of one moment. */
#include "recording/writer/framewriter.h"

#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "recording/format/coding.h"
#include "recording/format/linetext.h"
#include "recording/format/tablechecks.h"
#include "recording/format/texts.h"
#include "recording/writer/changes.h"
#include "recording/writer/chunk.h"

/* Tables of at most so many bytes are read again while not of one moment; for so long, ns. */
enum { SETTLES = 2 << 20, SETTLE_TIME = 100000 };

#define TEXT_ROWS (LMP_SITES_AT - LMP_TABLES_AT + LMP_SITES_MAX * sizeof(LmpSite))

struct FrameWriter {
    RecSink sink;
    RecMemory now;
    RecMemory tables_now; /* where the tables are read: the program's own, or a copy in `copied` */
    char *copied;
    Chunk live, tables;
    Changes *changes;
    uint32_t have[REC_GROUPS]; /* rows that never change: written */
    uint32_t key_marked;       /* LmpLive.marked, and */
    uint64_t key_history;      /* LmpTablesUsed.live_history of the key */
    uint64_t last_tables;      /* place */
    RecBytes plain, packed;
    RecPack *pack;
    bool recorded;
    LineTexts *texts;
    /* The place of the tables up to the sites, of which functions as they were written are used,
     * and of sites .text. */
    char *text_rows;
    uint32_t names; /* LmpTablesUsed.names when functions were last compared */
};

LmpErr framewriter_open(FrameWriter **out, RecSink sink) {
    FrameWriter *f = calloc(1, sizeof *f);
    if (!f) return LMP_E_NOMEM;
    f->sink = sink;
    LmpErr err = chunk_open(&f->live, REC_LIVE_PART);
    if (!err) err = chunk_open(&f->tables, REC_TABLES_PART);
    f->pack = pack_new();
    f->changes = changes_new();
    f->now.fixed = calloc(1, REC_FIXED);
    f->copied = lmp_os->map(VIEW_WHOLE - LMP_TABLES_AT, -1, 0, true);
    *out = f;
    if (!err && f->pack && f->changes && f->now.fixed && f->copied) return LMP_OK;
    framewriter_close(f);
    *out = NULL;
    return LMP_E_NOMEM;
}

void framewriter_close(FrameWriter *f) {
    if (!f) return;
    chunk_close(&f->live);
    chunk_close(&f->tables);
    changes_free(f->changes);
    pack_free(f->pack);
    free(f->now.fixed);
    linetexts_free(f->texts);
    if (f->text_rows) lmp_os->unmap(f->text_rows, TEXT_ROWS);
    if (f->copied) lmp_os->unmap(f->copied, VIEW_WHOLE - LMP_TABLES_AT);
    bytes_free(&f->plain);
    bytes_free(&f->packed);
    free(f);
}

/* Marks and histories of the new key are not known: all of them are compared. */
void framewriter_move(FrameWriter *f, Chunk *live, Chunk *tables, uint64_t last_tables, bool rows) {
    chunk_close(&f->live);
    chunk_close(&f->tables);
    f->live = *live;
    f->tables = *tables;
    *live = *tables = (Chunk){0};
    f->key_marked = UINT32_MAX;
    f->key_history = UINT64_MAX;
    f->last_tables = last_tables;
    if (rows) return;
    memset(f->have, 0, sizeof f->have);
    f->names = 0;
}

const LmpLive *framewriter_live(const FrameWriter *f) {
    return (const void *)(f->now.fixed + LMP_LIVE_AT);
}

void framewriter_set_own(FrameWriter *f, uint64_t bytes) {
    LmpLive *live = (void *)(f->now.fixed + LMP_LIVE_AT);
    if (live->resident_own == 0) live->resident_own = bytes;
}

RecExtra *framewriter_extra(FrameWriter *f) {
    return (void *)(f->now.fixed + REC_EXTRA_AT);
}

/* ---- parts that come once -------------------------------------------------------------------- */

LmpErr framewriter_put_bytes(FrameWriter *f, RecPart *part, const RecBytes *plain) {
    LmpErr err = pack_bytes(f->pack, part, plain, &f->packed);
    return err ? err : f->sink.put(f->sink.of, part, f->packed.at);
}

LmpErr framewriter_end(FrameWriter *f, uint64_t clock, uint32_t ended, uint64_t left_out) {
    RecPart part = {.kind = REC_ENDED, .clock = clock, .live_bytes = ended, .rss = left_out};
    RecBytes none = {0};
    return framewriter_put_bytes(f, &part, &none);
}

static LmpErr put_words(FrameWriter *f, RecKind kind, const char *words) {
    RecPart part = {.kind = (uint8_t)kind};
    if (!words) return LMP_OK;
    f->plain.n = 0;
    bytes_put(&f->plain, words, strlen(words));
    return framewriter_put_bytes(f, &part, &f->plain);
}

LmpErr framewriter_begin(FrameWriter *f, const LmpView *view, const char *again,
                         const char *directory) {
    RecPart schema = {.kind = REC_SCHEMA}, header = {.kind = REC_HEADER};
    f->plain.n = 0;
    coding_put_schema(&f->plain);
    LmpErr err = framewriter_put_bytes(f, &schema, &f->plain);
    if (err) return err;
    memcpy(f->now.fixed, view->header, sizeof *view->header);
    if (!f->texts) f->texts = linetexts_new(view->pid, view->header->start_realtime, directory);
    f->plain.n = 0;
    changes_begin(f->changes, &(ChangesOf){0});
    changes_put(f->changes, &f->plain, 0, &f->now, false);
    err = framewriter_put_bytes(f, &header, &f->plain);
    if (!err) err = put_words(f, REC_AGAIN, again);
    return err ? err : put_words(f, REC_DIRECTORY, directory);
}

/* ---- sources --------------------------------------------------------------------------------- */

void framewriter_keep_sources(FrameWriter *f, size_t most) {
    linetexts_keep(f->texts, most);
}

static LmpErr put_source(FrameWriter *f, uint64_t clock, const char *source, const char *text,
                         size_t n) {
    RecPart part = {.kind = REC_SOURCE, .clock = clock};
    f->plain.n = 0;
    kepttexts_put(&f->plain, source, text, n);
    return framewriter_put_bytes(f, &part, &f->plain);
}

LmpErr framewriter_put_source(FrameWriter *f, uint64_t clock, const char *source, const char *text,
                              size_t n) {
    linetexts_set(f->texts, source, text, n);
    return put_source(f, clock, source, text, n);
}

void framewriter_put_sources(FrameWriter *f, uint64_t clock) {
    const char *source, *text;
    size_t n;
    while ((text = linetexts_take(f->texts, &source, &n)))
        if (put_source(f, clock, source, text, n)) return;
}

/* ---- looking --------------------------------------------------------------------------------- */

/* Copies the counters, frees first, as counters_read does: blocks are not to seem fewer than
 * none. */
static void copy_counters(const LmpCounters *from, LmpCounters *out) {
    for (int tries = 0; tries < 100; tries++) {
        uint32_t before = atomic_load_explicit(&from->seq, memory_order_acquire);
        uint64_t frees[LMP_CLASSES];
        memcpy(frees, from->free_now, sizeof frees);
        atomic_thread_fence(memory_order_acquire);
        memcpy(out, from, sizeof *out);
        memcpy(out->free_now, frees, sizeof frees);
        atomic_thread_fence(memory_order_acquire);
        if (!(before & 1) && atomic_load_explicit(&from->seq, memory_order_relaxed) == before)
            break;
    }
    atomic_store(&out->seq, 0);
}

static void copy_between(char *to, const LmpLive *from, size_t start, size_t end) {
    memcpy(to + start, (const char *)from + start, end - start);
}

void framewriter_take(FrameWriter *f, const LmpView *view, bool recorded) {
    char *to = f->now.fixed + LMP_LIVE_AT;
    LmpLive *live = (void *)to;
    f->now.tables = view->tables.text;
    f->recorded = recorded;
    memcpy(f->now.fixed + LMP_CONTROL_AT, view->control, sizeof *view->control);
    copy_between(to, view->live, 0, offsetof(LmpLive, history));
    copy_between(to, view->live, offsetof(LmpLive, breaks), offsetof(LmpLive, preview));
    copy_between(to, view->live, offsetof(LmpLive, strange), offsetof(LmpLive, laps));
    copy_counters(&view->live->counters, &live->counters);
    view_copy_history(view, &live->history);
    laps_copy(&view->live->laps, &live->laps);
    view_copy_snapshot(view, &live->snapshot);
    view_copy_told(view, &live->memory);
    containers_copy(&view->live->containers, &live->containers);
    callers_copy(&view->live->callers, &live->callers);
    live->tables = *tables_used(&view->tables);
    live->snapshot.frozen = 0;
    if (recorded)
        memcpy(framewriter_extra(f),
               (const char *)view->overflow + (REC_EXTRA_AT - LMP_OVERFLOW_AT), sizeof(RecExtra));
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Returns true if a large group that hardly ever changes is as it was in the key. */
static bool is_same(const FrameWriter *f, const RecGroup *g, bool first) {
    const LmpLive *live = framewriter_live(f);
    uint64_t history = live->tables.live_history;
    if (g->at == LMP_MARKED_RECORDS_AT || g->at == LMP_MARKED_NODES_AT)
        return live->marked == 0 || (!first && live->marked == f->key_marked);
    if (g->at == LMP_LIVE_HISTORY_AT || g->at == LMP_LIVE_HISTORY_BLOCKS_AT)
        return history == 0 || (!first && history == f->key_history);
    return false;
}

/* Notes the counters and the clock after the tables were read. */
static void take_after(FrameWriter *f, const LmpView *view) {
    RecExtra *extra = framewriter_extra(f);
    copy_counters(&view->live->counters, &extra->after);
    extra->clock[1] = lmp_os->clock() - view->header->start_clock;
}

static bool is_table(const RecGroup *g) {
    return g->section == REC_TABLES && g->at >= LMP_TABLES_AT;
}

/* Copies the tables, with the counters before and after: whole rows, since whether they are of one
 * moment is judged by the class of a record, too; figures of nodes as a recording has them. Returns
 * false if they are too large. */
static bool copy_tables(FrameWriter *f, const LmpView *view) {
    LmpLive *live = (void *)(f->now.fixed + LMP_LIVE_AT);
    RecExtra *extra = framewriter_extra(f);
    uint64_t bytes = 0;
    live->tables = *tables_used(&view->tables);
    copy_counters(&view->live->counters, &live->counters);
    extra->before = live->counters;
    for (uint32_t g = 0; g < REC_GROUPS; g++) {
        const RecGroup *group = &rec_groups[g];
        uint32_t rows = is_table(group) ? rec_rows(group, &f->now) : 0;
        if (!rows || is_same(f, group, f->tables.key.n == 0)) continue;
        bytes += (uint64_t)rows * group->row;
        if (bytes > SETTLES) return false;
        char *to = rec_at(&f->tables_now, group->at);
        const char *from = rec_gather(group, &f->now, 0, rows, to);
        if (from != to) memcpy(to, from, (size_t)rows * group->row);
    }
    live->tables.usages = 0;
    take_after(f, view);
    return true;
}

static bool is_settled(const FrameWriter *f) {
    LmpLive *live = (void *)(f->now.fixed + LMP_LIVE_AT);
    const RecExtra *extra = (const void *)(f->now.fixed + REC_EXTRA_AT);
    LmpTables t = tables_at(f->copied, live);
    return tablechecks_consistent(&extra->before, &extra->after, &t);
}

/* Copies small tables before they are written, again and again until the program has done nothing
 * meanwhile: then all figures are of one moment. */
static void settle(FrameWriter *f, const LmpView *view) {
    RecExtra *extra = framewriter_extra(f);
    bool copied = true;
    uint64_t begun = lmp_os->clock() - view->header->start_clock;
    extra->clock[0] = begun;
    f->tables_now = (RecMemory){f->now.fixed, f->copied};
    while ((copied = copy_tables(f, view)) && !is_settled(f) &&
           extra->clock[1] - begun < SETTLE_TIME)
        extra->clock[0] = extra->clock[1];
    if (!copied) f->tables_now = f->now;
}

static LmpErr put_section(FrameWriter *f, RecSection section, const LmpView *view, RecPart *part) {
    Chunk *chunk = section == REC_TABLES ? &f->tables : &f->live;
    bool first = chunk->key.n == 0;
    f->plain.n = 0;
    changes_begin(f->changes, &(ChangesOf){.key = &chunk->key});
    for (uint32_t g = 0; g < REC_GROUPS; g++) {
        const RecGroup *group = &rec_groups[g];
        if (group->section != section) continue;
        bool reading = !f->recorded && f->tables_now.tables != f->copied;
        if (reading && group->at == REC_EXTRA_AT + offsetof(RecExtra, clock)) take_after(f, view);
        changes_put(f->changes, &f->plain, g, &f->tables_now, is_same(f, group, first));
    }
    if (first && section == REC_TABLES) {
        f->key_marked = framewriter_live(f)->marked;
        f->key_history = framewriter_live(f)->tables.live_history;
    }
    return chunk_put(chunk, f->sink, part, &f->plain, &f->packed);
}

static bool own_rows(FrameWriter *f) {
    if (!f->text_rows) f->text_rows = lmp_os->map(TEXT_ROWS, -1, 0, true);
    return f->text_rows != NULL;
}

/* Writes new functions, and once more those that got their name late. Rows are differences from the
 * row before, so that must be as it was written, too, not as the program has it by now. Without
 * memory names stay as they were. */
static void put_functions(FrameWriter *f, uint32_t g, uint32_t end) {
    const LmpFunction *now = (const void *)rec_at(&f->now, LMP_FUNCTIONS_AT);
    const LmpTablesUsed *used = &framewriter_live(f)->tables;
    uint32_t have = f->have[g], names = used->names, row = names != f->names ? 1 : have;
    RecMemory m = {f->now.fixed, f->text_rows};
    LmpFunction *written = (void *)rec_at(&m, LMP_FUNCTIONS_AT);
    while (row < have) {
        uint32_t first = row;
        for (; row < have && now[row].name != written[row].name; row++) {
            uint32_t name = now[row].name;
            if (name >= used->text) { /* the text comes with the next tables */
                names = f->names;
                break;
            }
            written[row].name = name;
        }
        if (row > first) coding_put_rows(&f->plain, g, &m, first, row);
        row += row == first;
    }
    f->names = names;
    if (have < end) memcpy(written + have, now + have, (end - have) * sizeof *now);
    if (have < end) coding_put_rows(&f->plain, g, &m, have, end);
}

/* Finds the texts of sites, which the program's own rows do not have. Without memory they stay
 * unknown. */
static RecMemory site_texts(FrameWriter *f, uint32_t first, uint32_t end) {
    static char source[4200]; /* a recorder has one thread */
    LmpTables t = tables_at(f->now.tables, (LmpLive *)(void *)(f->now.fixed + LMP_LIVE_AT));
    if (!own_rows(f)) return f->now;
    RecMemory m = {f->now.fixed, f->text_rows};
    LmpSite *out = (void *)rec_at(&m, LMP_SITES_AT);
    for (uint32_t i = first; i < end; i++) {
        uint32_t function = t.site[i].function;
        if (function >= tables_functions(&t)) continue;
        tables_text(&t, t.function[function].source, source, sizeof source);
        out[i].text = linetexts_hash(f->texts, source, t.site[i].line);
    }
    return m;
}

static LmpErr put_rows(FrameWriter *f, uint64_t clock) {
    RecPart part = {.kind = REC_ROWS_PART, .clock = clock};
    uint32_t end[REC_GROUPS];
    f->plain.n = 0;
    memcpy(end, f->have, sizeof end);
    for (uint32_t g = 0; g < REC_GROUPS; g++) {
        if (rec_groups[g].section != REC_ROWS) continue;
        uint32_t n = rec_rows(&rec_groups[g], &f->now);
        if (rec_groups[g].at == LMP_FUNCTIONS_AT && own_rows(f)) {
            put_functions(f, g, n);
            end[g] = n > f->have[g] ? n : f->have[g];
            continue;
        }
        if (n <= f->have[g]) continue;
        bool texts = !f->recorded && strcmp(rec_groups[g].name, REC_SITE_TEXT) == 0;
        RecMemory from = texts ? site_texts(f, f->have[g], n) : f->now;
        coding_put_rows(&f->plain, g, &from, f->have[g], n);
        end[g] = n;
    }
    if (f->plain.n == 0) return LMP_OK;
    LmpErr err = framewriter_put_bytes(f, &part, &f->plain);
    if (!err) memcpy(f->have, end, sizeof end);
    bytes_empty(&f->plain);
    bytes_empty(&f->packed);
    return err;
}

LmpErr framewriter_put(FrameWriter *f, const LmpView *view, RecPart *frame, bool with_tables) {
    LmpErr err = LMP_OK;
    f->tables_now = f->now;
    if (with_tables && !f->recorded) {
        settle(f, view);
        frame->live_bytes = framewriter_live(f)->counters.live_bytes;
    }
    if (with_tables) {
        RecPart tables = {.clock = frame->clock};
        err = put_rows(f, frame->clock);
        if (!err) err = put_section(f, REC_TABLES, view, &tables);
        if (err) return err;
        f->last_tables = tables.place;
    }
    frame->tables = f->last_tables;
    return put_section(f, REC_LIVE, view, frame);
}
