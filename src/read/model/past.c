/* past.c - counters of the interval's last sample less those of the sample before its first, and
 * the extremes of all samples within. */
#include "read/model/past.h"

#include <string.h>

/* How much a counter has gone up; damage counts as nothing. */
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
