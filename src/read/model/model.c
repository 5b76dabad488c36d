/* model.c - fills a model from a shared state, checking everything that comes from there. */
#include "read/model/model.h"

#include <string.h>

#include "base/format.h"

#define RATE_WINDOW 1200000000ull /* rates are over about this long, nanoseconds */
#define RATE_STEP 100000000ull    /* moments to derive them from are at least this far apart */

static void end_text(char *text, size_t size) {
    text[size - 1] = 0;
}

/* ---- rates ----------------------------------------------------------------------------------- */

static void moment_of(ModelMoment *moment, const LmpStats *stats, uint64_t clock) {
    moment->clock = clock;
    moment->mallocs = stats->mallocs;
    moment->frees = stats->frees;
    /* growth and shrinking of blocks counts as what it does to the heap */
    moment->alloc_bytes = stats->malloc_bytes;
    moment->free_bytes = stats->free_bytes;
    if (stats->realloc_bytes >= 0) {
        moment->alloc_bytes += (uint64_t)stats->realloc_bytes;
    } else {
        moment->free_bytes += 0 - (uint64_t)stats->realloc_bytes;
    }
    for (int k = 0; k < LMP_KINDS; k++) {
        moment->live[k] = stats->kind[k].live_bytes;
        moment->blocks[k] = stats->kind[k].live_blocks;
        moment->allocs[k] = stats->kind[k].allocs;
        moment->tag_live[k] = stats->kind[k].tag_live_bytes;
        moment->made[k] = stats->kind[k].made_bytes;
        moment->tag_made[k] = stats->kind[k].tag_made_bytes;
    }
    moment->laps = stats->frames;
    moment->lap_bytes = stats->frame_bytes;
}

ModelMoment model_moment(const Model *model) {
    ModelMoment moment;
    moment_of(&moment, &model->stats, model->clock);
    return moment;
}

/* Difference of two counters per second; one that runs backwards (damage, a restart) has no
 * rate. */
static double per_second(uint64_t now, uint64_t then, double seconds) {
    int64_t difference = (int64_t)(now - then);
    return difference > 0 ? (double)difference / seconds : 0;
}

static int64_t change_per_second(uint64_t now, uint64_t then, double seconds) {
    double rate = (double)(int64_t)(now - then) / seconds;
    return rate > 9e18 || rate < -9e18 ? 0 : (int64_t)rate;
}

static void sum_delta(ModelDelta *delta) {
    delta->total_bytes = delta->total_blocks = delta->total_allocs = delta->total_made = 0;
    for (int k = 0; k < LMP_KINDS; k++) {
        /* unsigned: the figures may be anything, and the sum must not trap */
        delta->total_bytes = (int64_t)((uint64_t)delta->total_bytes + (uint64_t)delta->bytes[k]);
        delta->total_blocks = (int64_t)((uint64_t)delta->total_blocks + (uint64_t)delta->blocks[k]);
        delta->total_allocs = (int64_t)((uint64_t)delta->total_allocs + (uint64_t)delta->allocs[k]);
        delta->total_made = (int64_t)((uint64_t)delta->total_made + (uint64_t)delta->made[k]);
    }
}

static void forget_rates(Model *model) {
    model->allocs_per_s = model->frees_per_s = 0;
    model->alloc_bytes_per_s = model->free_bytes_per_s = 0;
    memset(&model->per_s, 0, sizeof model->per_s);
    model->laps_per_s = 0;
    model->lap_bytes = model->stats.frame_mean_bytes;
}

void model_forget_past(Model *model) {
    model->past_used = 0;
    memset(model->outside_second, 0, sizeof model->outside_second);
}

static void derive_laps(Model *model, const ModelMoment *now, const ModelMoment *then,
                        double seconds) {
    if (now->laps <= then->laps || now->lap_bytes < then->lap_bytes) return;
    model->laps_per_s = per_second(now->laps, then->laps, seconds);
    /* NOLINTNEXTLINE: there are more laps than then, see above */
    model->lap_bytes = (now->lap_bytes - then->lap_bytes) / (now->laps - then->laps);
}

static void derive_rates(Model *model, uint64_t clock) {
    ModelMoment now;
    moment_of(&now, &model->stats, clock);
    /* of those older than the window the youngest stays, so that slow repaints have a rate too */
    uint32_t drop = 0;
    while (drop + 1 < model->past_used && model->past[drop + 1].clock + RATE_WINDOW <= clock)
        drop++;
    if (model->past_used == MODEL_PAST && drop == 0) drop = 1;
    if (drop > 0) {
        model->past_used -= drop;
        memmove(model->past, model->past + drop, model->past_used * sizeof *model->past);
    }
    forget_rates(model);
    if (model->past_used > 0 && model->past[0].clock < clock) {
        const ModelMoment *then = &model->past[0];
        double seconds = (double)(clock - then->clock) / 1e9;
        model->allocs_per_s = per_second(now.mallocs, then->mallocs, seconds);
        model->frees_per_s = per_second(now.frees, then->frees, seconds);
        model->alloc_bytes_per_s = per_second(now.alloc_bytes, then->alloc_bytes, seconds);
        model->free_bytes_per_s = per_second(now.free_bytes, then->free_bytes, seconds);
        for (int k = 0; k < LMP_KINDS; k++) {
            ModelDelta *delta = &model->per_s;
            delta->bytes[k] = change_per_second(now.live[k], then->live[k], seconds);
            delta->blocks[k] = change_per_second(now.blocks[k], then->blocks[k], seconds);
            delta->allocs[k] = change_per_second(now.allocs[k], then->allocs[k], seconds);
            delta->tag_bytes[k] = change_per_second(now.tag_live[k], then->tag_live[k], seconds);
            delta->made[k] = change_per_second(now.made[k], then->made[k], seconds);
            delta->tag_made[k] = change_per_second(now.tag_made[k], then->tag_made[k], seconds);
        }
        sum_delta(&model->per_s);
        derive_laps(model, &now, then, seconds);
    }
    bool due =
        model->past_used == 0 || model->past[model->past_used - 1].clock + RATE_STEP <= clock;
    if (due && model->past_used < MODEL_PAST) model->past[model->past_used++] = now;
}

/* ---- the parts of the live area -------------------------------------------------------------- */

bool model_mark_kept(const Model *model, uint32_t i) {
    uint32_t rows = model->mark[i].rows, all = model->marks_kept;
    return rows > 0 && rows <= all && all - rows < LMP_MARKED;
}

/* The mark to count from: what was chosen, else the last one; of marks that came too fast the last
 * one that all tables can count from. */
static bool find_base(Model *model) {
    if (model->held) {
        model->base = LMP_MARKS;
        return true;
    }
    if (model->marks == 0 || model->wanted.count_from == MODEL_NO_MARK) return false;
    for (uint32_t i = 0; i < model->marks; i++) {
        if (model->mark[i].number != model->wanted.count_from) continue;
        model->base = i;
        return true;
    }
    if (model->wanted.count_from > 0) return false; /* it is no longer kept */
    model->base = model->marks - 1;
    for (uint32_t i = model->marks; i-- > 0;) {
        if (!model_mark_kept(model, i)) continue;
        model->base = i;
        break;
    }
    return true;
}

/* Returns the mark's figures by kind, as those of any moment. */
static ModelMoment moment_of_mark(const LmpMark *mark) {
    ModelMoment moment = {.clock = mark->clock, .laps = mark->laps};
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++) {
        LmpKind kind = class_owner(cls);
        moment.live[kind] += mark->class_live[cls];
        moment.tag_live[class_tag(cls)] += mark->class_live[cls];
        moment.blocks[kind] += mark->class_blocks[cls];
        moment.allocs[kind] += mark->class_allocs[cls];
        moment.made[kind] += mark->class_made[cls];
        moment.tag_made[class_tag(cls)] += mark->class_made[cls];
    }
    return moment;
}

static void count_from_base(Model *model) {
    memset(&model->since_mark, 0, sizeof model->since_mark);
    model->laps_since_mark = 0;
    if (!model->marked) return;
    ModelMoment from = model->held ? model->held_from : moment_of_mark(&model->mark[model->base]);
    ModelMoment to = model->held && model->held_to.clock ? model->held_to : model_moment(model);
    for (int k = 0; k < LMP_KINDS; k++) {
        model->since_mark.bytes[k] = (int64_t)(to.live[k] - from.live[k]);
        model->since_mark.tag_bytes[k] = (int64_t)(to.tag_live[k] - from.tag_live[k]);
        model->since_mark.blocks[k] = (int64_t)(to.blocks[k] - from.blocks[k]);
        model->since_mark.allocs[k] = (int64_t)(to.allocs[k] - from.allocs[k]);
        model->since_mark.made[k] = (int64_t)(to.made[k] - from.made[k]);
        model->since_mark.tag_made[k] = (int64_t)(to.tag_made[k] - from.tag_made[k]);
    }
    sum_delta(&model->since_mark);
    if (to.laps > from.laps) model->laps_since_mark = to.laps - from.laps;
}

static void fill_marks(Model *model, const LmpLive *live) {
    uint32_t all = live->marks; /* read once: it may change under us */
    uint32_t n = all < LMP_MARKS ? all : LMP_MARKS;
    model->marks_all = all;
    model->marks = n;
    model->marks_kept = live->marked;
    model->marks = 0;
    for (uint32_t i = 0; i < n; i++) {
        LmpMark *mark = &model->mark[model->marks];
        *mark = live->mark[(all - n + i) % LMP_MARKS];
        mark->number = all - n + i + 1;
        end_text(mark->name, sizeof mark->name);
        const struct ModelMarkEdit *edit = &model->wanted.edit[mark->number % LMP_MARKS];
        bool said = edit->number == mark->number;
        if (said && edit->name[0]) memcpy(mark->name, edit->name, sizeof mark->name);
        if (!said || !edit->gone) model->marks++;
    }
    model->marked = find_base(model);
    count_from_base(model);
}

static void fill_previews(Model *model, const LmpLive *live) {
    uint32_t n = live->preview_count;
    model->preview_count = n < LMP_PREVIEWS ? n : LMP_PREVIEWS;
    for (uint32_t i = 0; i < model->preview_count; i++) {
        model->preview[i] = live->preview[i];
        LmpPreview *preview = &model->preview[i];
        if (preview->shown > LMP_PREVIEW_BYTES) preview->shown = LMP_PREVIEW_BYTES;
    }
}

void model_fill_live(Model *model, const LmpLive *live, uint64_t clock) {
    model->clock = clock;
    model->owners_known = live->owners_known == 1;
    stats_derive(live, clock, &model->stats);
    model->failed_bytes = live->counters.failed_bytes;
    model->peak_clock = live->counters.peak_clock < clock ? live->counters.peak_clock : clock;
    model->epoch = live->epoch;
    model->epoch_length = live->epoch_length;
    model->gc = live->gc;
    if (model->gc.mode > LMP_GC_GENERATIONAL) model->gc.mode = LMP_GC_UNKNOWN;
    fill_marks(model, live);
    fill_previews(model, live);
    model->breaks = live->breaks;
    if (model->breaks.count > LMP_BREAKS) model->breaks.count = LMP_BREAKS;
    callers_copy(&live->callers, &model->callers);
    if (model->seen == LMP_SEEN_RUNNING) {
        derive_rates(model, clock);
    } else {
        forget_rates(model);
        model->past_used = 0;
    }
}

static void check_history(LmpHistory *history) {
    if (history->used > LMP_HISTORY) history->used = LMP_HISTORY;
    if (history->interval == 0) {
        history->used = 0;
        history->interval = 1;
    }
}

static void check_locals(LmpLocal *local, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        end_text(local[i].name, sizeof local[i].name);
        end_text(local[i].type, sizeof local[i].type);
        if (local[i].size > LMP_LOCAL_BYTES) local[i].size = LMP_LOCAL_BYTES;
        if (local[i].key >= LMP_KEYS) local[i].key = LMP_KEY_OTHER;
    }
}

static void check_op(LmpOp *op) {
    if (op->op > LMP_OP_FREE) op->op = LMP_OP_NONE;
    if (op->cls >= LMP_CLASSES) op->cls = LMP_C_NONE;
    if (op->frames > LMP_FRAMES) op->frames = LMP_FRAMES;
    if (op->depth < op->frames) op->depth = op->frames;
    if (op->cut_at > op->frames) op->cut_at = op->frames;
    for (uint32_t i = 0; i < op->frames; i++) {
        end_text(op->frame[i].name, sizeof op->frame[i].name);
        end_text(op->frame[i].source, sizeof op->frame[i].source);
    }
    end_text(op->hit_words, sizeof op->hit_words);
    if (op->hit > LMP_BREAKS) op->hit = 0;
    if (op->locals > LMP_LOCALS) op->locals = LMP_LOCALS;
    if (op->locals_state > LMP_LOCALS_NOT_NOW) op->locals_state = LMP_LOCALS_UNKNOWN;
    if (op->upvalues > LMP_UPVALUES) op->upvalues = LMP_UPVALUES;
    if (op->upvalues_state > LMP_LOCALS_NOT_NOW) op->upvalues_state = LMP_LOCALS_UNKNOWN;
    check_locals(op->local, op->locals);
    check_locals(op->upvalue, op->upvalues);
}

/* The allocator keeps what the collector frees, so at one moment RSS less heap is as much the
 * collector's as anything else's. The minimum over some seconds is from when the heap was large,
 * and hardly varies with it. */
static void fill_outside(Model *model, uint64_t now) {
    uint64_t second = now / 1000000000u + 1 + MODEL_OUTSIDE_SECONDS; /* so that none was at 0 */
    uint64_t known = model->stats.live_bytes + model->own_bytes;
    uint64_t beyond = model->rss > known ? model->rss - known : 0;
    uint32_t at = (uint32_t)(second % MODEL_OUTSIDE_SECONDS);
    model->outside = beyond;
    if (model->rss == 0) return;
    if (model->outside_second[at] != second || beyond < model->outside_least[at])
        model->outside_least[at] = beyond;
    model->outside_second[at] = second;
    for (uint32_t i = 0; i < MODEL_OUTSIDE_SECONDS; i++)
        if (model->outside_second[i] + MODEL_OUTSIDE_SECONDS > second &&
            model->outside_least[i] < model->outside)
            model->outside = model->outside_least[i];
}

/* The resident set beside a heap that was read after it. A heap above it is of a later moment, so
 * it is read again and the larger one counts: memory that Lua has filled is resident. Smaller for
 * good: memory never touched, or swapped out. */
static uint64_t rss_of_heap(const ModelInput *input, uint64_t heap) {
    uint64_t rss = input->rss, again;
    if (rss == 0 || rss >= heap || !input->rss_again) return rss;
    again = input->rss_again(input->program);
    return again > rss ? again : rss;
}

void model_fill(Model *model, LmpView *view, const ModelInput *input) {
    const LmpHeader *header = view->header;
    LmpSeen was = model->seen;
    uint64_t was_op = model->op.number, was_clock = model->clock;

    char text[sizeof header->program];
    memcpy(text, header->program, sizeof text);
    end_text(text, sizeof text);
    format_text(model->program, sizeof model->program, text, 0);
    memcpy(text, header->lua, sizeof header->lua);
    text[sizeof header->lua - 1] = 0;
    format_text(model->lua, sizeof model->lua, text, 0);
    model->pid = view->pid ? view->pid : header->pid;
    model->serial = header->serial;
    model->start_realtime = header->start_realtime;
    model->view = view;

    view_refresh(view);
    model->seen = view_seen(view, input->alive);
    model->ended = atomic_load(&view->control->ended);
    bool over = model->seen == LMP_SEEN_FINISHED || model->seen == LMP_SEEN_KILLED;
    model->ledger.when = over ? LEDGER_END : LEDGER_NOW;
    view_copy_op(view, &model->op);
    check_op(&model->op);
    view_copy_history(view, &model->history);
    check_history(&model->history);

    uint64_t clock = input->now > header->start_clock ? input->now - header->start_clock : 0;
    switch (model->seen) {
    case LMP_SEEN_RUNNING:
        break;
    case LMP_SEEN_PAUSED: /* the clock stops while nothing happens */
        if (was == LMP_SEEN_PAUSED && was_op == model->op.number) clock = was_clock;
        break;
    case LMP_SEEN_FINISHED:
    case LMP_SEEN_KILLED: /* when it ended; after a kill, approximately */
        if (view->live->clock < clock) clock = view->live->clock;
        if (model->seen == LMP_SEEN_KILLED && was_clock > clock) clock = was_clock;
        break;
    }
    model_fill_live(model, view->live, clock);
    model->preview_ready = view_preview_ready(view);
    model->inside_ready = view_copy_inside(view, &model->inside);
    model->breaks_ours = view_breaks_ours(view);

    model->rss = rss_of_heap(input, model->stats.live_bytes);
    model->own_bytes = input->own;
    fill_outside(model, input->now);
}

const LmpGcCycle *model_gc_cycle(const Model *model, uint64_t back) {
    if (back >= model->gc.cycles || back >= LMP_GC_RING) return NULL;
    return &model->gc.ring[(model->gc.cycles - 1 - back) % LMP_GC_RING];
}

/* ---- who made what --------------------------------------------------------------------------- */

bool model_fill_ledger(Model *model, const LmpView *view, unsigned parts) {
    if (!view->tables.text) return true;
    uint64_t clock = model->tables_clock ? model->tables_clock : model->clock;
    model->ledger.count_from = model->tables_held ? LEDGER_HELD
                               : model->marked && !model->held && !model->tables_clock
                                   ? model->mark[model->base].number
                                   : 0;
    model->ledger.spoken = true;
    if (ledger_refresh(&model->ledger, &view->tables, parts | LEDGER_RATES, clock) != LMP_OK)
        return false;
    model->ledger_parts = parts;
    model->ledger_serial++;
    model->ledger_marked = model->ledger.marked;
    return true;
}

void model_fill_verdicts(Model *model, const LmpTables *tables) {
    const VerdictInput input = {&model->stats, &model->gc, &model->history, &model->ledger,
                                tables,        model->rss, model->own_bytes};
    verdicts_make(&input, &model->verdicts);
}

/* ---- the past -------------------------------------------------------------------------------- */

/* Counters of the interval's last sample less those of the sample before its first, and the
 * extremes of all samples within. */

/* Returns how much a counter has gone up; damage counts as nothing. */
static uint64_t more(uint64_t now, uint64_t then) {
    return now > then ? now - then : 0;
}

static void include(ModelPast *past, uint64_t max, uint64_t min, const uint64_t *kind) {
    if (min < past->min_bytes) past->min_bytes = min;
    if (max < past->max_bytes) return;
    past->max_bytes = max;
    memcpy(past->kind_bytes, kind, sizeof past->kind_bytes);
}

static void include_now(ModelPast *past, const Model *model) {
    uint64_t kind[LMP_KINDS];
    for (int k = 0; k < LMP_KINDS; k++)
        kind[k] = model->stats.kind[k].live_bytes;
    include(past, model->stats.live_bytes, model->stats.live_bytes, kind);
}

ModelPast model_past(const Model *model, uint64_t from, uint64_t to) {
    const LmpHistory *h = &model->history;
    ModelPast past = {.min_bytes = UINT64_MAX};
    uint64_t first = from / h->interval, last = (to > from ? to - 1 : from) / h->interval;
    for (uint64_t i = first; i <= last && i < h->used; i++)
        include(&past, h->samples[i].max_bytes, h->samples[i].min_bytes, h->samples[i].kind_bytes);
    bool idle = first >= h->used;
    if (idle || (last + 1 >= h->used && to >= model->clock)) include_now(&past, model);
    if (h->used == 0) return past;

    const LmpHistoryPoint none = {0};
    const LmpHistoryPoint *end = &h->samples[last < h->used ? last : h->used - 1];
    const LmpHistoryPoint *begin = first == 0 ? &none : idle ? end : &h->samples[first - 1];
    for (int k = 0; k < LMP_KINDS; k++)
        past.held_bytes += past.held_kind[k] = end->held_bytes[k];
    if (to >= model->clock && (uint32_t)model->gc.cycles > end->gc_cycles) /* since that sample */
        past.held_bytes = model_gc_cycle(model, 0)->live_bytes;
    past.allocs = more(end->allocs, begin->allocs);
    past.frees = more(end->frees, begin->frees);
    past.alloc_bytes = more(end->alloc_bytes, begin->alloc_bytes);
    past.free_bytes = more(end->free_bytes, begin->free_bytes);
    past.cycles = more(end->gc_cycles, begin->gc_cycles);
    uint64_t start = first * h->interval, stop = (last + 1) * h->interval;
    if (stop > model->clock) stop = model->clock; /* the last one is not full yet */
    past.length = more(stop, start);
    return past;
}

uint32_t model_cycles_by(const Model *model, uint64_t clock) {
    const LmpHistory *h = &model->history;
    uint64_t i = clock / h->interval;
    if (h->used == 0 || i == 0) return 0;
    return h->samples[i < h->used ? i - 1 : h->used - 1].gc_cycles;
}
