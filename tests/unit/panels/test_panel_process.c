/* The panel of the process's memory, of a made-up process: golden files, keys, and what stands
 * there while nothing is known. */
#include "heap_fixture.h"
#include "panel_draw.h"
#include "process_fixture.h"

static FakeProcess *program(void) {
    FakeProcess *p = fake_process_new();
    suite_again();
    fake_listed(p, 0x55d0c0000000, 300, "r-xp", "/usr/bin/lua5.4", 280);
    fake_chunks(p, fake_memory(p, 0x55d0c2a01000, 3000, "[heap]"), 0x55d0c2a01000);
    fake_listed(p, 0x7f10a0000000, 20480, "rw-p", "", 9000);
    fake_listed(p, 0x7f10b0000000, 4096, "r--p", "/usr/share/dict/words", 600);
    fake_listed(p, 0x7f10c0000000, 40960, "rw-s", "/memfd:lmp-state (deleted)", 5000);
    fake_listed(p, 0x7fff10000000, 1024, "r-xp", "/lib/libc.so.6", 900);
    fake_memory(p, 0x7ffffffde000, 132, "[stack]");
    fake_listed(p, 0x7ffffffff000, 4, "r-xp", "[vdso]", 4);
    LmpMemory *told = &p->heap->live.memory;
    *told = (LmpMemory){.done = 1, .count = 2000000, .live = 1900000, .before = 223456};
    atomic_store(&p->heap->control.memory, 1);
    p->heap->live.counters.live_bytes = 1000000;
    return p;
}

static Stage *looked(Stage *s) {
    s->ui.now = 5000000000ull;
    stage_draw(s); /* it looks as it draws */
    return s;
}

static Stage *stage_of(FakeProcess *p, int w, int h) {
    return looked(stage_new(&panel_process, heap_fixture_model(p->heap), w, h, true, 256));
}

static void stage_end(Stage *s) {
    free(s->model);
    stage_free(s);
}

TEST(test_sizes) {
    static const char *const names[] = {"process-118x14.txt",        "process-118x28.txt",
                                        "process-78x12.txt",         "process-78x26.txt",
                                        "process-58x9.txt",          "process-20x4.txt",
                                        "process-78x26-8-ascii.txt", "process-78x12-mono.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        OWN(fake_process_free_at) FakeProcess *p = program();
        Stage *s = looked(stage_named(&panel_process, heap_fixture_model(p->heap), names[i]));
        stage_golden(s, names[i]);
        stage_end(s);
    }
}

static void shows(Stage *s, const char *words) {
    OWN(free_at) char *text = stage_text(s);
    char *to = text;
    for (const char *at = text; *at; at++) { /* sentences go over several lines */
        char c = *at == '\n' ? ' ' : *at;
        if (c != ' ' || to == text || to[-1] != ' ') *to++ = c;
    }
    *to = 0;
    ck_assert_msg(strstr(text, words) != NULL, "%s not in %s", words, text);
}

/* All rows that are drawn come to what the headline says. */
TEST(test_rows_sum) {
    OWN(fake_process_free_at) FakeProcess *p = program();
    Stage *s = stage_of(p, 78, 26);
    char *text = stage_text(s), *end;
    double sum = 0, all = 0;
    for (char *line = text; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        char unit[8];
        double n;
        *end = 0;
        const char *of = strstr(line, "Lua's blocks are ");
        if (of) sscanf(of, "Lua's blocks are %*s %*s of %lf", &all);
        if (!strstr(line, "━")) continue;
        while (*line && (*line < '0' || *line > '9'))
            line++;
        if (sscanf(line, "%lf %7s", &n, unit) != 2) continue;
        sum += !strcmp(unit, "MiB") ? n : !strcmp(unit, "KiB") ? n / 1024 : 0;
    }
    free(text);
    ck_assert_msg(sum > all - 0.5 && sum < all + 0.5 && all > 10, "%.1f of %.1f", sum, all);
    stage_end(s);
}

TEST(test_what_is_not_known) {
    OWN(fake_process_free_at) FakeProcess *p = program();
    p->closed = true;
    Stage *s = stage_of(p, 78, 26);
    shows(s, "does not let lmp read the program's memory");
    shows(s, "parts not known");
    stage_end(s);
    p->heap->live.memory.done = 0;
    s = stage_of(p, 78, 26);
    shows(s, "has not asked for memory");
    stage_end(s);
    fake_process_free(p);

    p = program();
    fake_listed(p, 0x7fffffff0000ull << 1, 64, "r-xp", "/lib/libjemalloc.so.2", 60);
    s = stage_of(p, 118, 14);
    shows(s, "malloc is that of libjemalloc.so.2");
    stage_end(s);
    fake_process_free(p);

    p = program();
    p->gone = true;
    s = stage_of(p, 78, 12);
    shows(s, "may not be looked at");
    s->model->seen = LMP_SEEN_KILLED;
    shows(s, "the process is gone");
    stage_end(s);
}

/* A look is asked for when it begins, and only of a program that runs; a frozen display does not
 * look. */
TEST(test_asks) {
    OWN(fake_process_free_at) FakeProcess *p = program();
    Stage *s = stage_new(&panel_process, heap_fixture_model(p->heap), 78, 12, true, 256);
    s->ui.frozen = true;
    s->ui.now = 5000000000ull;
    stage_draw(s);
    ck_assert(!request_waits(&s->ui.requests, REQUEST_MEMORY));
    s->ui.frozen = false;
    shows(s, "Lua's blocks");
    ck_assert(request_waits(&s->ui.requests, REQUEST_MEMORY));
    request_take(&s->ui.requests);
    shows(s, "Lua's blocks");
    ck_assert(!request_waits(&s->ui.requests, REQUEST_MEMORY)); /* it rests */
    s->ui.now += 2000000000ull;
    s->model->seen = LMP_SEEN_FINISHED;
    shows(s, "Lua's blocks");
    ck_assert(!request_waits(&s->ui.requests, REQUEST_MEMORY));
    stage_end(s);
}

static uint64_t ticking;
static uint64_t slow_clock(void) {
    return ticking += 30000000;
}

/* While the heap is looked at for the first time the frame says how far that is. */
TEST(test_first_look) {
    static LmpOs os;
    OWN(fake_process_free_at) FakeProcess *p = program();
    os = *lmp_os;
    os.clock = slow_clock;
    lmp_os = &os;
    Stage *s = stage_new(&panel_process, heap_fixture_model(p->heap), 118, 14, true, 256);
    s->ui.now = 5000000000ull;
    shows(s, "looking at the heap: ");
    shows(s, "Lua's blocks are 976.6 KiB of 18.5 MiB");
    shows(s, "is being looked at");
    ck_assert(s->ui.restless);
    for (int i = 0; i < 20 && s->ui.restless; i++) {
        s->ui.restless = false;
        stage_draw(s);
    }
    ck_assert(!s->ui.restless);
    ck_says_not(s, "looking");
    stage_end(s);
}

/* Without a program there is nothing, and nothing breaks. */
TEST(test_none) {
    Model *m = heap_fixture_model(NULL);
    Stage *s = stage_new(&panel_process, m, 40, 6, true, 256);
    shows(s, "Process");
    ck_assert(!stage_act(s, ACT_ENTER));
    stage_end(s);
}
