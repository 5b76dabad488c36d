/* Tests of what the header says of how lines are known, and of who else calls the allocator. */
#include "app_fixture.h"

/* What is not exact is said on small screens too. */
TEST(the_header_says_that_the_run_is_recorded) {
    static const int widths[] = {120, 80, 60, 40};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        show_program(widths[i], 24, true);
        ck_assert(!sees("REC"));
        app_ui(app)->recording = (UiRecording){true, 62, 3 << 20};
        ck_assert(sees("REC"));
        ck_assert_int_eq(shows("REC 00:01:02"), widths[i] > 40);
        ck_assert_int_eq(shows("REC 00:01:02 3.0 MiB"), widths[i] > 60);
    }
}

TEST(the_header_says_how_lines_are_known) {
    show_program(80, 24, true);
    app_model(app)->ledger.stacks = false;
    app_model(app)->ledger.lines = LMP_LINES_APPROXIMATE;
    ck_assert(sees("lines: approximate"));
    app_model(app)->ledger.lines = LMP_LINES_EXACT;
    app_model(app)->ledger.sample = 512 * 1024;
    ck_assert(sees("sampled every 512 KiB"));
    show_program(60, 24, true);
    Ledger *ledger = &app_model(app)->ledger;
    ledger->lines = LMP_LINES_APPROXIMATE;
    ledger->sample = 512 * 1024;
    ck_assert(sees(" sampled") && !shows("exact"));
}

/* In short where there is no room for more; never "exact" alone where it is not all. */
TEST(the_header_says_exact_on_small_screens) {
    static const int width[] = {60, 80, 100, 200};
    static const char *const name[] = {"options.lua", "a/path/to/a/server-of-prices.lua"};
    static const LmpSeen seen[] = {LMP_SEEN_RUNNING, LMP_SEEN_PAUSED};
    for (int i = 0; i < 4 * 2 * 2 * 2; i++) {
        show_program(width[i / 8], 24, true);
        Model *model = app_model(app);
        strcpy(model->program, name[i % 2]);
        model->seen = seen[i / 2 % 2];
        app_ui(app)->frozen = i / 4 % 2;
        draw();
        ck_assert(width[i / 8] > 100 ? shows("exact, by line and call path") : shows("exact"));
        model->ledger.unproven = 7;
        ck_assert(sees("exact but for 7") == (width[i / 8] > 60 || shows("exact")));
        ck_assert(width[i / 8] < 80 || shows("exact but for 7"));
    }
}

/* So is what was asked for and cannot be had, at any width. */
TEST(the_header_says_what_cannot_be_had) {
    static const int width[] = {60, 80, 160};
    for (int i = 0; i < 3; i++) {
        show_program(width[i], 24, true);
        LmpStats *s = &app_model(app)->stats;
        ck_assert(!shows("not sampled") && !shows("no call paths") && !shows("no lines"));
        s->sample_why = LMP_WHY_ENTRY;
        ck_assert(sees(i == 2 ? "not sampled: not possible on this processor" : "not sampled"));
        s->stacks_why = LMP_WHY_FRAMES;
        ck_assert(sees("not sampled") && shows("no call paths"));
        s->sample_why = s->stacks_why = LMP_WHY_NOT;
        s->lines = LMP_LINES_OFF;
        s->why = LMP_WHY_MEMORY;
        ck_assert(sees(i == 2 ? "no lines: no memory for tables" : "no lines"));
    }
}

TEST(the_header_says_what_is_not_all_counted) {
    static const int width[] = {60, 80, 160};
    for (int i = 0; i < 3; i++) {
        show_program(width[i], 24, true);
        LmpStats *s = &app_model(app)->stats;
        ck_assert(!sees("incomplete") && !shows("not all counted"));
        s->counts = LMP_COUNTS_CALLS;
        s->hook_lost = 1;
        draw();
        ck_assert(i == 0 || shows("calls incomplete")); /* where it is narrow the panel says it */
        ck_assert(i < 2 || shows("calls incomplete: another debug hook"));
        s->counts = LMP_COUNTS_INSTRUCTIONS;
        s->counts_why = LMP_WHY_MEMORY;
        ck_assert(sees("not all counted"));
        ck_assert(i < 2 || shows("instructions incomplete"));
    }
}

TEST(the_header_says_who_else_calls) {
    show_program(160, 24, true);
    LmpStats *s = &app_model(app)->stats;
    ck_assert(!sees("not counted") && !shows("counted in") && !shows("covered"));
    s->other_states = 1;
    ck_assert(sees("1 other state not counted"));
    s->other_states = 12;
    s->mixed_states = 1;
    ck_assert(sees("12 other states not counted") && shows("1 other state counted in"));
    s->other_states = s->mixed_states = 0;
    s->passed_requests = 4711;
    ck_assert(sees("4,711 requests of other threads not counted"));
    s->passed_requests = 0;
    s->clashes = 1;
    ck_assert(sees("two threads at once, which Lua forbids"));
    s->clashes = 0;
    s->other_sizes = 1;
    ck_assert(sees("1 block was given back with another size"));
    s->other_sizes = 4711;
    ck_assert(sees("4,711 blocks were given back with another size"));
    s->other_sizes = 0;
    s->covered = true;
    ck_assert(sees("allocator covered by another"));
    show_program(80, 24, true); /* on small screens, too */
    s = &app_model(app)->stats;
    s->other_states = 3;
    ck_assert(sees("3 other states not counted"));
}

/* Figures change their width all the time; words that had no room beside them stay away. */
TEST(words_do_not_come_and_go) {
    show_program(84, 24, true);
    Model *model = app_model(app);
    model->alloc_bytes_per_s = model->free_bytes_per_s = 0;
    model->allocs_per_s = model->frees_per_s = 0;
    model->stats.live_bytes = model->stats.peak_bytes = model->rss = 1000;
    ck_assert(sees(" Rate ") && shows(" Heap  "));
    model->alloc_bytes_per_s = model->free_bytes_per_s = 1000.9 * (1 << 20);
    model->allocs_per_s = model->frees_per_s = 999000;
    model->stats.live_bytes = model->stats.peak_bytes = model->rss = 1000ull << 20;
    model->outside = model->rss;
    ck_assert(!sees(" Rate ") && !shows(" Heap  "));
    model->alloc_bytes_per_s = model->free_bytes_per_s = 0;
    model->stats.live_bytes = model->rss = 1000;
    ck_assert(!sees(" Rate ") && !shows(" Heap  "));
}
