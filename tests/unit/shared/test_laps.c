/* Tests of laps.c against a naive list of all laps: sums, the worst, percentiles; that every number
 * has its bucket; and that a reader beside a writer gets one moment. */
#include "shared/laps.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "suite.h"

enum { LAPS = 20000 };

static LmpLaps laps;

/* A moment from which the next lap makes so much. */
static void pass(LmpLapMoment *now, uint64_t ns, uint64_t allocs, uint64_t bytes, int64_t grown) {
    now->clock += ns;
    now->allocs += allocs;
    now->alloc_bytes += bytes;
    now->realloc_bytes += grown;
}

TEST(the_first_call_only_begins) {
    LmpLapMoment now = {.clock = 7, .allocs = 1000, .alloc_bytes = 1 << 20, .cycles = 3};
    LmpLap lap;
    ck_assert(!laps_end(&laps, &now, "load", &lap));
    ck_assert_uint_eq(laps.laps, 0);
    ck_assert_uint_eq(laps.bytes, 0);
    pass(&now, 100, 3, 48, 0);
    now.cycles++;
    ck_assert(laps_end(&laps, &now, "first", &lap));
    ck_assert_uint_eq(lap.number, 1);
    ck_assert_uint_eq(lap.bytes, 48);
    ck_assert_uint_eq(lap.allocs, 3);
    ck_assert_uint_eq(lap.cycles, 1);
    ck_assert_uint_eq(lap.start, 7);
    ck_assert_uint_eq(lap.end, 107);
    ck_assert_uint_eq(laps.laps, 1);
    ck_assert_uint_eq(laps.duration, 100);
}

TEST(growth_counts_and_shrinking_takes_nothing_away) {
    LmpLapMoment now = {0};
    LmpLap lap;
    laps_end(&laps, &now, NULL, &lap);
    pass(&now, 1, 1, 100, 50);
    laps_end(&laps, &now, NULL, &lap);
    ck_assert_uint_eq(lap.bytes, 150);
    pass(&now, 1, 1, 100, -5000);
    laps_end(&laps, &now, NULL, &lap);
    ck_assert_uint_eq(lap.bytes, 100);
}

TEST(names_are_cut_and_end) {
    LmpLapMoment now = {0};
    LmpLap lap;
    laps_end(&laps, &now, NULL, &lap);
    pass(&now, 1, 1, 10, 0);
    laps_end(&laps, &now, "0123456789012345678901234567890123456789012345678", &lap);
    ck_assert_str_eq(laps.worst[0].name, "012345678901234567890123456789012345678");
    pass(&now, 1, 1, 20, 0);
    laps_end(&laps, &now, NULL, &lap);
    ck_assert_str_eq(laps.worst[1].name, "");
}

static void lap_of(LmpLapMoment *now, uint64_t bytes) {
    LmpLap lap;
    pass(now, 1, 1, bytes, 0);
    laps_end(&laps, now, NULL, &lap);
}

static bool is_kept(uint64_t number) {
    for (uint32_t i = 0; i < LMP_LAPS_WORST; i++)
        if (laps.worst[i].number == number) return true;
    return false;
}

/* Wherever its row is: here the latest has the first one. */
TEST(of_equals_the_latest_goes_first) {
    LmpLapMoment now = {0};
    LmpLap lap;
    laps_end(&laps, &now, NULL, &lap);
    lap_of(&now, 50);
    for (uint32_t i = 0; i < LMP_LAPS_WORST; i++)
        lap_of(&now, 100);
    ck_assert(!is_kept(1) && is_kept(2) && is_kept(LMP_LAPS_WORST + 1));
    lap_of(&now, 200);
    ck_assert(!is_kept(LMP_LAPS_WORST + 1) && is_kept(LMP_LAPS_WORST + 2));
    for (uint64_t number = 2; number <= LMP_LAPS_WORST; number++)
        ck_assert(is_kept(number));
}

TEST(the_last_bucket_has_percentiles) {
    LmpLapMoment now = {0};
    LmpLap lap;
    laps_end(&laps, &now, NULL, &lap);
    lap_of(&now, UINT64_MAX);
    lap_of(&now, 8);
    ck_assert(laps_percentile(&laps, 51) == UINT64_MAX);
    ck_assert_uint_eq(laps_percentile(&laps, 50), 8);
}

TEST(every_number_has_its_bucket) {
    ck_assert_uint_eq(laps_bucket(UINT64_MAX), LMP_LAP_BUCKETS - 1);
    ck_assert_uint_eq(laps_bucket_most(LMP_LAP_BUCKETS - 1), UINT64_MAX);
    for (uint32_t b = 0; b < LMP_LAP_BUCKETS; b++) { /* they follow on each other */
        uint64_t most = laps_bucket_most(b);
        ck_assert_msg(laps_bucket(most) == b, "bucket %u", b);
        if (b + 1 < LMP_LAP_BUCKETS) ck_assert_msg(laps_bucket(most + 1) == b + 1, "bucket %u", b);
    }
    for (int i = 0; i < 1000000; i++) {
        uint64_t bytes = suite_random() >> suite_below(64),
                 most = laps_bucket_most(laps_bucket(bytes));
        ck_assert_msg(bytes <= most && most - bytes <= bytes / 8, "%llu",
                      (unsigned long long)bytes);
    }
}

static int by_worst(const void *left, const void *right) {
    const LmpLap *a = left, *b = right;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? 1 : -1;
    return a->number < b->number ? -1 : 1;
}

/* What the list says, of n laps. */
static void compare(const LmpLap *all, uint32_t n) {
    static LmpLap sorted[LAPS], kept[LMP_LAPS_WORST];
    LmpLaps copy;
    uint64_t bytes = 0, allocs = 0, duration = 0;
    laps_copy(&laps, &copy);
    for (uint32_t i = 0; i < n; i++) {
        bytes += all[i].bytes;
        allocs += all[i].allocs;
        duration += all[i].end - all[i].start;
    }
    ck_assert_msg(copy.laps == n && copy.bytes == bytes && copy.allocs == allocs, "of %u", n);
    ck_assert_msg(copy.duration == duration, "of %u", n);
    memcpy(sorted, all, n * sizeof *all);
    qsort(sorted, n, sizeof *sorted, by_worst);
    memcpy(kept, copy.worst, sizeof kept);
    qsort(kept, LMP_LAPS_WORST, sizeof *kept, by_worst);
    for (uint32_t i = 0; i < LMP_LAPS_WORST && i < n; i++) {
        if (sorted[i].bytes == 0) {
            ck_assert_msg(kept[i].number == 0, "row %u of %u", i, n);
            continue;
        }
        ck_assert_msg(memcmp(&kept[i], &sorted[i], sizeof *kept) == 0, "row %u of %u", i, n);
    }
    for (unsigned percent = 1; percent <= 100; percent++) { /* sorted: the largest first */
        uint64_t said = laps_percentile(&copy, percent);
        uint64_t rank = ((uint64_t)n * percent + 99) / 100, right = sorted[n - rank].bytes;
        ck_assert_msg(said >= right && said - right <= right / 8, "%u %% of %u: %llu, not %llu",
                      percent, n, (unsigned long long)said, (unsigned long long)right);
    }
    ck_assert_msg(laps_percentile(&copy, 100) == sorted[0].bytes, "of %u", n);
}

TEST(equals_the_list) {
    static LmpLap all[LAPS];
    LmpLapMoment now = {.clock = 1000, .alloc_bytes = 1 << 30, .realloc_bytes = -77};
    LmpLap lap;
    laps_end(&laps, &now, NULL, &lap);
    for (uint32_t i = 0; i < LAPS; i++) {
        /* often the same, so that there are equals; now and then far more; long runs that rise */
        uint64_t bytes =
            suite_below(4) ? 1000 * suite_below(5) : suite_below(1u << suite_below(24));
        if (i / 1000 % 5 == 4) bytes = i * 100;
        LmpLapMoment began = now;
        char name[20];
        snprintf(name, sizeof name, "lap %u", i);
        pass(&now, suite_below(1000), suite_below(100), bytes, -(int64_t)suite_below(1000));
        now.cycles += suite_below(3);
        ck_assert(laps_end(&laps, &now, i % 2 ? name : NULL, &lap));
        all[i] = (LmpLap){i + 1,
                          began.clock,
                          now.clock,
                          bytes,
                          now.allocs - began.allocs,
                          now.cycles - began.cycles,
                          ""};
        if (i % 2) memcpy(all[i].name, name, strlen(name));
        ck_assert_uint_eq(lap.bytes, bytes);
        ck_assert_uint_eq(laps.last_bytes, bytes);
        if (i < 40 || i % 997 == 0) compare(all, i + 1);
    }
    compare(all, LAPS);
}

TEST(nothing_ended_has_no_percentiles) {
    ck_assert_uint_eq(laps_percentile(&laps, 50), 0);
    LmpLapMoment now = {0};
    LmpLap lap;
    for (int i = 0; i < 100; i++)
        laps_end(&laps, &now, NULL, &lap);
    ck_assert_uint_eq(laps.laps, 99);
    ck_assert_uint_eq(laps_percentile(&laps, 99), 0);
    for (uint32_t i = 0; i < LMP_LAPS_WORST; i++)
        ck_assert_uint_eq(laps.worst[i].number, 0);
}

/* Every lap makes ten bytes an allocation, so a copy of two moments shows. */
static _Atomic int enough;

static void *write_laps(void *unused) {
    LmpLapMoment now = {0};
    LmpLap lap;
    (void)unused;
    for (uint64_t i = 1; !atomic_load(&enough); i++) {
        pass(&now, 1, i % 1000, i % 1000 * 10, 0);
        laps_end(&laps, &now, NULL, &lap);
        for (volatile int rest = 0; rest < 300; rest++) {
        }
    }
    return NULL;
}

TEST(a_copy_is_of_one_moment) {
    pthread_t writer;
    LmpLaps copy;
    int whole = 0, rounds = 0;
    ck_assert_int_eq(pthread_create(&writer, NULL, write_laps, NULL), 0);
    uint64_t first = 0, last = 0;
    for (; rounds < 200000 || last - first < 1000; rounds++) {
        if (!laps_copy(&laps, &copy)) continue;
        whole++;
        uint64_t sum = 0;
        for (uint32_t b = 0; b < LMP_LAP_BUCKETS; b++)
            sum += copy.bucket[b];
        ck_assert_msg(copy.bytes == copy.allocs * 10, "copy %d", rounds);
        ck_assert_msg(copy.laps == copy.duration && copy.laps == sum, "copy %d", rounds);
        if (first == 0) first = copy.laps;
        last = copy.laps;
    }
    atomic_store(&enough, 1);
    pthread_join(writer, NULL);
    ck_assert_int_gt(whole, 0);
    ck_assert(laps_copy(&laps, &copy));
    laps.seq++;
    ck_assert(!laps_copy(&laps, &copy)); /* as if the writer had died there */
    ck_assert_uint_eq(copy.laps, laps.laps);
}

/* A lap ends while the copy is made: the second page cannot be read before, and that is noticed. */
static LmpLaps *torn;
static size_t page;

static void end_a_lap(int unused) {
    (void)unused;
    mprotect((char *)torn + page, page, PROT_READ | PROT_WRITE);
    torn->laps++;
    atomic_fetch_add(&torn->seq, 2);
}

TEST(a_torn_copy_is_made_again) {
    static LmpLaps copy;
    page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = (sizeof *torn + page - 1) / page * page;
    if (room == page) return; /* it has no second one: larger pages */
    torn = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(torn != MAP_FAILED);
    torn->laps = 1;
    mprotect((char *)torn + page, page, PROT_NONE);
    struct sigaction now = {.sa_handler = end_a_lap}, before;
    sigaction(SIGSEGV, &now, &before);
    bool whole = laps_copy(torn, &copy);
    sigaction(SIGSEGV, &before, NULL);
    ck_assert(whole);
    ck_assert_uint_eq(copy.laps, 2);
    ck_assert_uint_eq(copy.seq, 2);
    munmap(torn, room);
}

/* Whatever is there, nothing bad happens (run with the sanitizers). */
TEST(any_bytes_are_read) {
    for (int round = 0; round < 2000; round++) {
        LmpLaps copy;
        for (size_t i = 0; i < sizeof laps; i++)
            ((uint8_t *)&laps)[i] = (uint8_t)suite_below(round % 3 ? 256 : 2);
        laps_copy(&laps, &copy); /* the writer seems to have died in it: that is no hang */
        for (unsigned percent = 1; percent <= 100; percent += 9)
            laps_percentile(&copy, percent);
    }
}
