/* unfreed.c - lines that hold most of a heap that rises, and have freed nothing of it: they are
 * told of before what is freed, although there were too few full collections to judge them by. */
#include "read/verdict/verdict_impl.h"

#define SECONDS_LEAST 5.0 /* or it is the program's start */
#define BYTES_LEAST (1u << 20)
#define HEAP_PART 0.1   /* of the heap, of one line, at least ... */
#define FREED_PART 0.02 /* ... that has freed no more than this of its blocks */
/* The heap rises when the least of its last quarter is so many times the most of its first half. */
#define RISES 1.25
enum { MOMENTS_LEAST = 8 };

static bool rises(const LmpHistory *h) {
    uint32_t n = h ? (h->used < LMP_HISTORY ? h->used : LMP_HISTORY) : 0;
    uint64_t most = 0, least = UINT64_MAX;
    if (n < MOMENTS_LEAST) return false;
    for (uint32_t i = 0; i < n / 2; i++)
        if (h->samples[i].max_bytes > most) most = h->samples[i].max_bytes;
    for (uint32_t i = n - n / 4; i < n; i++)
        if (h->samples[i].min_bytes < least) least = h->samples[i].min_bytes;
    return (double)least >= RISES * (double)most;
}

void unfreed_find(VerdictFacts *f) {
    const Ledger *l = f->in->ledger;
    bool found = false;
    double heap = (double)f->in->stats->live_bytes, seconds = f->in->stats->seconds;
    if (f->growth->growth != LMP_GROWTH_WAIT || l->sample > 0 || seconds < SECONDS_LEAST ||
        heap < BYTES_LEAST || !rises(f->in->history))
        return;
    for (uint32_t i = 0; i < l->sites && f->leak_count < VERDICT_LEAKS; i++) {
        const LmpTally *t = &l->site[i].tally;
        if (l->site[i].line < 0 || (double)t->live_bytes < HEAP_PART * heap ||
            (double)t->frees > FREED_PART * (double)t->allocs || verdict_leak(f, i))
            continue;
        f->leaks[f->leak_count++] = (LmpLeak){.site = i,
                                              .bytes_per_second = (double)t->live_bytes / seconds,
                                              .gain = t->live_bytes,
                                              .seconds = seconds,
                                              .multiplies = true,
                                              .steady = true};
        found = true;
    }
    if (!found) return;
    f->growth->growth = LMP_GROWTH_FOUND;
    f->told = true; /* its words would have one wait */
}
