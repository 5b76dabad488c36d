/* fixed.c - see fixed.h. */
#include "fixed.h"

#include <stdio.h>
#include <string.h>

#define SECOND 1000000000ull
#define KIB 1024ull
#define MIB (1024 * KIB)

static void set_kind(Model *model, LmpKind kind, uint64_t bytes, uint64_t blocks, uint64_t allocs,
                     int64_t per_s) {
    LmpKindStats *k = &model->stats.kind[kind];
    k->live_bytes = k->tag_live_bytes = bytes;
    k->live_blocks = k->tag_live_blocks = blocks;
    k->allocs = k->tag_allocs = allocs;
    model->stats.live_bytes += bytes;
    model->stats.live_blocks += blocks;
    model->stats.mallocs += allocs;
    model->per_s.bytes[kind] = model->per_s.tag_bytes[kind] = per_s;
    model->per_s.total_bytes += per_s;
}

static void set_made(Model *model, LmpKind kind, uint64_t made, int64_t per_s) {
    model->stats.kind[kind].made_bytes = model->stats.kind[kind].tag_made_bytes = made;
    model->per_s.made[kind] = model->per_s.tag_made[kind] = per_s;
    model->per_s.total_made += per_s;
}

/* A saw: grows, and a collection takes most of it back. */
static void set_history(Model *model) {
    LmpHistory *history = &model->history;
    history->used = 512;
    history->interval = SECOND / 5;
    uint64_t allocated = 0, freed = 0, live = 20 * MIB, floor = 0;
    for (uint32_t i = 0; i < history->used; i++) {
        LmpHistoryPoint *sample = &history->samples[i];
        uint64_t phase = (i + 24) % 73, grown = (1100 + 137 * (i % 11)) * KIB * (phase < 60);
        uint64_t given = phase >= 60 ? (live > 70 * MIB ? 7 * MIB : 100 * KIB) : 340 * KIB;
        allocated += grown;
        freed += given;
        live = live + grown - given;
        if (i > 0 && i % 73 == 0) floor = live;
        sample->max_bytes = live + 300 * KIB;
        sample->min_bytes = live;
        sample->last_bytes = live;
        sample->held_bytes[LMP_TABLE] = floor / 2 + floor / 8;
        sample->held_bytes[LMP_FUNCTION] = floor / 4;
        sample->held_bytes[LMP_STRING] = floor / 8;
        sample->kind_bytes[LMP_TABLE] = live / 2;
        sample->kind_bytes[LMP_STRING] = live / 4 + live / 16;
        sample->kind_bytes[LMP_FUNCTION] = live / 8;
        sample->kind_bytes[LMP_USERDATA] = live / 16;
        sample->allocs = allocated / 90;
        sample->frees = freed / 90;
        sample->alloc_bytes = allocated;
        sample->free_bytes = freed;
        sample->gc_cycles = i / 73;
    }
}

static void set_gc(Model *model) {
    model->gc.mode = LMP_GC_INCREMENTAL;
    model->gc.cycles = 14;
    model->gc.freed_bytes = 96 * MIB;
    for (uint32_t i = 0; i < 14; i++) {
        LmpGcCycle *cycle = &model->gc.ring[i];
        cycle->start = (i * 7 + 1) * SECOND;
        cycle->end = cycle->start + SECOND * 18 / 10;
        cycle->freed_bytes = 8 * MIB + 200 * KIB + i * KIB;
        cycle->freed_blocks = 90000 + i;
        cycle->live_bytes = 100 * MIB;
    }
    model->stats.gc_cycles = 14;
    model->stats.gc_mode = LMP_GC_INCREMENTAL;
}

void fixed_model(Model *model) {
    memset(model, 0, sizeof *model);
    snprintf(model->program, sizeof model->program, "options.lua");
    snprintf(model->lua, sizeof model->lua, "Lua 5.4.4");
    model->pid = 4242;
    model->serial = 1;
    model->owners_known = true;
    model->seen = LMP_SEEN_RUNNING;
    model->clock = 102 * SECOND + SECOND / 2;
    set_kind(model, LMP_TABLE, 79 * MIB + 600 * KIB, 201118, 1804331, 6 * MIB + 100 * KIB);
    set_kind(model, LMP_STRING, 47 * MIB + 500 * KIB, 1204551, 9120443, 5 * MIB + 800 * KIB);
    set_kind(model, LMP_FUNCTION, 12 * MIB + 300 * KIB, 64020, 71002, 100 * KIB);
    set_kind(model, LMP_USERDATA, 7 * MIB + 700 * KIB, 2011, 2011, 0);
    set_kind(model, LMP_OTHER, 4 * MIB + 600 * KIB, 1204, 90331, -300 * (int64_t)KIB);
    set_kind(model, LMP_THREAD, MIB + 500 * KIB, 512, 6001, 0);
    set_made(model, LMP_TABLE, 211 * MIB, 4 * MIB + 100 * KIB);
    set_made(model, LMP_STRING, 361 * MIB, 8 * MIB + 300 * KIB);
    set_made(model, LMP_FUNCTION, 18 * MIB, 0);
    set_made(model, LMP_USERDATA, 8 * MIB, 0);
    set_made(model, LMP_OTHER, 11 * MIB, 12 * KIB);
    set_made(model, LMP_THREAD, 2 * MIB, 0);
    model->stats.frees = model->stats.mallocs - model->stats.live_blocks;
    model->stats.malloc_bytes = 611 * MIB;
    model->stats.free_bytes = model->stats.malloc_bytes - model->stats.live_bytes;
    model->stats.peak_bytes = 161 * MIB;
    model->stats.seconds = 102.5;
    model->peak_clock = 91 * SECOND;
    model->own_bytes = 22 * MIB;
    model->rss = 241 * MIB + 300 * KIB;
    model->outside = model->rss - model->own_bytes - model->stats.live_bytes;
    model->allocs_per_s = 182000;
    model->frees_per_s = 44100;
    model->alloc_bytes_per_s = 12.4 * (double)MIB;
    model->free_bytes_per_s = 3.1 * (double)MIB;
    model->epoch = 51;
    model->epoch_length = 2 * SECOND;
    set_gc(model);
    set_history(model);
    model_fill_verdicts(model, NULL);
}

void fixed_frames(Model *model) {
    LmpStats *s = &model->stats;
    s->frames = 6012;
    s->frame_bytes = 590 * MIB;
    s->frame_seconds = 100.2;
    s->frame_mean_bytes = s->frame_bytes / s->frames;
    s->frame_median_bytes = 90 * KIB;
    s->frame_p99_bytes = 200 * KIB;
    static const LmpLapStats worst[] = {
        {3120, 14 * MIB + 300 * KIB, 81203, 2, 54, 0.048, ""},
        {17, 2 * MIB, 9120, 1, 2, 0.019, ""},
        {4811, 640 * KIB, 8412, 0, 81, 0.0171, "level 2"},
        {6003, 512 * KIB, 7004, 1, 101, 0.0168, "level 2: a cave with a rather long name"},
        {902, 480 * KIB, 6999, 0, 17.5, 0.0166, ""},
    };
    s->worst_frames.count = sizeof worst / sizeof *worst;
    memcpy(s->worst_frames.row, worst, sizeof worst);
    model->laps_per_s = 59.8;
    model->lap_bytes = 212 * KIB;
}

static void set_frame(LmpFrame *frame, const char *name, const char *source, int line, bool c) {
    snprintf(frame->name, sizeof frame->name, "%s", name);
    snprintf(frame->source, sizeof frame->source, "%s", source);
    frame->line = line;
    frame->linedefined = c ? -1 : line > 3 ? line - 3 : 0;
    frame->is_c = c;
}

static void set_variable(LmpLocal *local, const char *name, const char *type, const char *value) {
    snprintf(local->name, sizeof local->name, "%s", name);
    snprintf(local->type, sizeof local->type, "%s", type);
    local->size = (uint32_t)snprintf(local->value, sizeof local->value, "%s", value);
    local->whole = local->size;
}

static void set_local(LmpOp *op, const char *name, const char *type, const char *value) {
    set_variable(&op->local[op->locals++], name, type, value);
}

void fixed_pause(Model *model) {
    fixed_model(model);
    model->seen = LMP_SEEN_PAUSED;
    model->allocs_per_s = model->frees_per_s = 0;
    model->alloc_bytes_per_s = model->free_bytes_per_s = 0;
    memset(&model->per_s, 0, sizeof model->per_s);
    LmpOp *op = &model->op;
    op->op = LMP_OP_REALLOC;
    op->cls = LMP_C_TABLE_PART;
    op->number = 13214882;
    op->old_addr = 0x55d0c2a0b3c0;
    op->new_addr = 0x55d0c2c10010;
    op->old_size = 8192;
    op->new_size = 16384;
    op->depth = op->frames = op->cut_at = 6;
    op->coroutines = 1;
    set_frame(&op->frame[0], "function 'table.insert'", "[C]", -1, true);
    set_frame(&op->frame[1], "upvalue 'push'", "options.lua", 12, false);
    set_frame(&op->frame[2], "local 'load'", "options.lua", 31, false);
    set_frame(&op->frame[3], "function 'pcall'", "[C]", -1, true);
    set_frame(&op->frame[4], "main chunk", "options.lua", 88, false);
    set_frame(&op->frame[5], "?", "[C]", -1, true);
    op->locals_state = LMP_LOCALS_READ;
    op->locals_frame = 1;
    set_local(op, "option", "table", "0x55d0c2a0a1f0");
    set_local(op, "field", "string", "volatility");
    set_local(op, "value", "number", "0.2");
    op->upvalues_state = LMP_LOCALS_READ;
    op->upvalues = 3;
    set_variable(&op->upvalue[0], "optiontb", "table", "0x55d0c2a0a1f0");
    set_variable(&op->upvalue[1], "fnametb", "table", "0x55d0c2a0a230");
    set_variable(&op->upvalue[2], "fnum", "number", "3");
}

void fixed_break(Model *model) {
    fixed_pause(model);
    model->op.hit = 1;
    model->op.hits = 1;
    snprintf(model->op.hit_words, sizeof model->op.hit_words, "block larger than 10 KiB: 16,384 B");
}

void fixed_output(Output *output) {
    static const char text[] = "reading options.txt\n"
                               "100000 records, 9 columns\n"
                               "\033[32mok\033[0m  loaded in 3.1 s\n"
                               "day 1  price sum 4218837.25\n"
                               "day 2  price sum 4218911.75\n"
                               "day 3  price sum 4219004.50\n"
                               "progress 10%\rprogress 42%";
    output_feed(output, text, sizeof text - 1);
}
