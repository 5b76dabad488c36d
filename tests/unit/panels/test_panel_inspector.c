/* The inspector: the operation under the pause and its call stack. */
#include "heap_fixture.h"
#include "panel_draw.h"

#include "widget/source.h"

static void frame(LmpOp *op, const char *name, const char *source, int line) {
    LmpFrame *f = &op->frame[op->frames++];
    snprintf(f->name, sizeof f->name, "%s", name);
    snprintf(f->source, sizeof f->source, "%s", source);
    f->line = line;
    f->is_c = line < 0;
    op->depth = op->frames;
    op->cut_at = op->frames;
}

static Model *paused(void) {
    Model *m = heap_fixture_model(NULL);
    m->seen = LMP_SEEN_PAUSED;
    LmpOp *op = &m->op;
    op->op = LMP_OP_REALLOC;
    op->cls = LMP_C_TABLE_PART;
    op->number = 1234567;
    op->old_addr = 0x55d0c2a01230;
    op->new_addr = 0x55d0c2b04560;
    op->old_size = 8192;
    op->new_size = 16384;
    op->coroutines = 1;
    frame(op, "field 'insert'", "[C]", -1);
    frame(op, "local 'add'", "options.lua", 12);
    op->frame[1].tail = 1;
    frame(op, "for iterator 'gmatch'", "[C]", -1);
    frame(op, "function 'load' (upvalue)", "pricing/reader.lua", 1083);
    frame(op, "main chunk", "options.lua", 80);
    frame(op, "?", "[C]", -1);
    return m;
}

static void golden(Model *m, const char *name) {
    OWN(stage_free_at) Stage *s = stage_named(&panel_inspector, m, name);
    s->ui.sources = sources_new();
    sources_directory(s->ui.sources, TEST_SOURCES);
    stage_golden(s, name);
    sources_free(s->ui.sources);
}

TEST(test_sizes) {
    OWN(free_at) Model *m = paused();
    golden(m, "inspector-100x14.txt");
    golden(m, "inspector-58x9.txt");
    golden(m, "inspector-20x5-8.txt");
    golden(m, "inspector-78x10-mono-ascii.txt");
}

TEST(test_operations) {
    OWN(free_at) Model *m = paused();
    m->op.op = LMP_OP_ALLOC;
    m->op.cls = LMP_C_STRING;
    m->op.old_addr = m->op.old_size = 0;
    m->op.new_size = 29;
    m->op.frames = m->op.depth = 1;
    m->op.cut_at = 1;
    golden(m, "inspector-allocation-70x6.txt");
    m->op.failed = 1;
    m->op.new_addr = 0;
    golden(m, "inspector-allocation-70x6-refused.txt");
    m->op.failed = 0;
    m->op.op = LMP_OP_FREE;
    m->op.cls = LMP_C_NONE;
    m->op.old_addr = 0x7f0000001010;
    m->op.old_size = 56;
    m->op.new_size = 0;
    m->op.frames = m->op.depth = m->op.cut_at = 0;
    golden(m, "inspector-free-70x6.txt");
}

/* Of a stack of 1434 frames 200 are there: the place of the others is told, and the list scrolls.
 */
TEST(test_deep) {
    OWN(free_at) Model *m = paused();
    LmpOp *op = &m->op;
    op->frames = 0;
    for (int i = 0; i < 200; i++) {
        char name[32];
        snprintf(name, sizeof name, "upvalue 'walk%d'", i);
        frame(op, name, "tree.lua", 10 + i);
    }
    op->depth = 1434;
    op->cut_at = 160;
    op->coroutines = 3;
    OWN(stage_free_at) Stage *s = stage_new(&panel_inspector, m, 70, 12, true, 256);
    stage_golden(s, "inspector-deep-top.txt");
    for (int i = 0; i < 165; i++)
        ck_assert(stage_act(s, ACT_DOWN));
    stage_golden(s, "inspector-deep-cut.txt");
    ck_assert(stage_act(s, ACT_END));
    stage_golden(s, "inspector-deep-end.txt");
    op->number++; /* the next operation is shown from its innermost frame on */
    ck_says(s, "walk0 ");
}

static void variable(LmpLocal *l, const char *name, const char *type, const char *value,
                     uint64_t whole) {
    memset(l, 0, sizeof *l);
    snprintf(l->name, sizeof l->name, "%s", name);
    snprintf(l->type, sizeof l->type, "%s", type);
    l->size = (uint32_t)(strlen(value) < LMP_LOCAL_BYTES ? strlen(value) : LMP_LOCAL_BYTES);
    memcpy(l->value, value, l->size);
    l->whole = whole ? whole : l->size;
}

static void local(LmpOp *op, const char *name, const char *type, const char *value,
                  uint64_t whole) {
    variable(&op->local[op->locals++], name, type, value, whole);
}

static void upvalue(LmpOp *op, const char *name, const char *type, const char *value) {
    op->upvalues_state = LMP_LOCALS_READ;
    variable(&op->upvalue[op->upvalues++], name, type, value, 0);
}

/* Paused by a break condition, with the locals of the second frame. */
static Model *broken(void) {
    Model *m = paused();
    LmpOp *op = &m->op;
    op->hit = 2;
    op->hits = 2 | 16;
    snprintf(op->hit_words, sizeof op->hit_words, "block larger than 10 KiB: 16,384 B");
    op->locals_state = LMP_LOCALS_READ;
    op->locals_frame = 1;
    local(op, "self", "table", "0x55d0c2a00010", 0);
    local(op, "line", "string", "CALL,100.5,\"2024\"\n", 0);
    local(op, "text", "string",
          "strike,expiry,kind,volatility,rate,dividend,spot,name,currency,and", 1048576);
    local(op, "count", "number", "1204551", 0);
    local(op, "last", "boolean", "false", 0);
    local(op, "missing", "nil", "", 0);
    local(op, "a_name_that_is_long_enough", "function", "0x55d0c2a0f0e0", 0);
    local(op, "raw", "string", "\x01\xff\033[2J", 0);
    return m;
}

TEST(test_locals) {
    OWN(free_at) Model *m = broken();
    golden(m, "inspector-break-118x14.txt");
    golden(m, "inspector-78x9.txt");
    golden(m, "inspector-break-58x18.txt");
    golden(m, "inspector-break-58x8-mono-ascii.txt");
    golden(m, "inspector-break-20x4-8.txt");
    m->op.locals = 24;
    for (int i = 8; i < 24; i++)
        m->op.local[i] = m->op.local[i % 8];
    m->op.locals_more = 100;
    golden(m, "inspector-many-locals-98x16.txt");
    m->op.locals = 0;
    static const char *const words[] = {[LMP_LOCALS_NONE] = "no function's locals",
                                        [LMP_LOCALS_READ] = "no locals here yet",
                                        [LMP_LOCALS_UNKNOWN] = "not readable on this interpreter",
                                        [LMP_LOCALS_NOT_NOW] = "the stack is moved"};
    for (uint32_t i = 0; i < 4; i++) {
        m->op.locals_state = i;
        OWN(stage_free_at) Stage *s = stage_new(&panel_inspector, m, 118, 12, true, 256);
        OWN(free_at) char *text = stage_text(s);
        ck_assert_msg(strstr(text, words[i]), "%s", text);
    }
}

/* Upvalues stand below the locals, under a heading, while there is room for one of them. */
TEST(test_upvalues) {
    OWN(free_at) Model *m = broken();
    m->op.locals = 3;
    upvalue(&m->op, "cache", "table", "0x55d0c2a11230");
    upvalue(&m->op, "limit", "number", "500");
    upvalue(&m->op, "title", "string", "all that was kept");
    golden(m, "inspector-upvalues-118x18.txt");
    golden(m, "inspector-upvalues-198x24.txt");
    golden(m, "inspector-78x9-upvalues.txt");
    golden(m, "inspector-upvalues-78x13-mono-ascii.txt");
    m->op.upvalues_more = 80;
    golden(m, "inspector-upvalues-58x28-8.txt");
    m->op.locals = m->op.upvalues_more = 0;
    golden(m, "inspector-upvalues-alone-98x24.txt");
    m->op.upvalues_state = LMP_LOCALS_NOT_NOW;
    OWN(stage_free_at) Stage *s = stage_new(&panel_inspector, m, 118, 12, true, 256);
    OWN(free_at) char *text = stage_text(s);
    ck_assert_msg(strstr(text, "upvalues: unreadable just now"), "%s", text);
    ck_assert(!strstr(text, "limit"));
}

/* Where there are more variables than lines, the cursor goes to all of them, and back. */
TEST(test_scrolled) {
    static const struct { int w, h; } sizes[] = {{78, 9}, {58, 18}, {118, 10}, {198, 12}, {40, 14}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        OWN(free_at) Model *m = broken();
        upvalue(&m->op, "cache", "table", "0x55d0c2a11230");
        upvalue(&m->op, "limit", "number", "500");
        upvalue(&m->op, "title", "string", "all that was kept");
        OWN(stage_free_at)
        Stage *s = stage_new(&panel_inspector, m, sizes[i].w, sizes[i].h, true, 256);
        static const char *const names[] = {"self",     "line", "text",  "count", "last", "missing",
                                            "a_name_t", "raw ", "cache", "limit", "title"};
        unsigned seen = 0, all = (1u << (sizeof names / sizeof *names)) - 1;
        ck_assert(!stage_shows(s, "title") || sizes[i].h > 15);
        ck_assert(stage_act(s, ACT_RIGHT));
        for (int row = 0; row < 14; row++) {
            for (size_t n = 0; n < sizeof names / sizeof *names; n++)
                seen |= stage_shows(s, names[n]) ? 1u << n : 0;
            ck_assert(stage_act(s, ACT_DOWN));
        }
        ck_assert_msg(seen == all, "%dx%d: %x", sizes[i].w, sizes[i].h, seen);
        ck_assert(stage_shows(s, " before"));
        if (i == 0) stage_golden(s, "inspector-78x9-scrolled.txt");
        ck_assert(stage_act(s, ACT_HOME));
        ck_assert(stage_shows(s, "locals of") && stage_shows(s, "self"));
        ck_assert(stage_act(s, ACT_LEFT)); /* to the stack, where down chooses a frame */
        ck_assert(stage_act(s, ACT_DOWN));
        ck_assert(request_waits(&s->ui.requests, REQUEST_LOCALS));
    }
}

/* The source follows the cursor; where it is not known, that is said. */
TEST(test_source) {
    OWN(free_at) Model *m = broken();
    OWN(stage_free_at) Stage *s = stage_new(&panel_inspector, m, 118, 14, true, 256);
    s->ui.sources = sources_new();
    sources_directory(s->ui.sources, TEST_SOURCES);
    /* without the indentation that all lines there have */
    ck_assert(stage_shows(s, "source of options.lua") &&
              stage_shows(s, "12 │   optiontb[fnametb[fnum]]"));
    stage_act(s, ACT_UP);
    ck_assert(stage_shows(s, "a C function: no source to see"));
    stage_act(s, ACT_END);
    stage_act(s, ACT_UP);
    ck_assert(stage_shows(s, "source of options.lua") && !stage_shows(s, "optiontb"));
    snprintf(m->op.frame[4].source, sizeof m->op.frame[4].source, "...far/away/options.lua");
    ck_assert(stage_shows(s, "its source is not known"));
    snprintf(m->op.frame[4].source, sizeof m->op.frame[4].source, "nosuch.lua");
    ck_assert(stage_shows(s, "source of nosuch.lua") && stage_shows(s, "80 │"));
    /* the ledger knows what the name in the frame was made of */
    LmpSiteRow site = {.short_src = "...far/away/options.lua", .raw_source = "@options.lua"};
    m->ledger.site = &site;
    m->ledger.sites = 1;
    snprintf(m->op.frame[4].source, sizeof m->op.frame[4].source, "%s", site.short_src);
    m->op.frame[4].line = 12;
    ck_assert(stage_shows(s, "source of ...far/away/options.lua") && stage_shows(s, "optiontb"));
    PanelPlace place;
    ck_assert(panel_inspector.place(s->state, m, &s->ui, &place));
    ck_assert_str_eq(place.source, "@options.lua");
    ck_assert_str_eq(place.short_src, "...far/away/options.lua");
    sources_free(s->ui.sources);
}

/* Whose locals are shown is asked for with the cursor; of frames left out none are. */
TEST(test_other_frames) {
    OWN(free_at) Model *m = broken();
    OWN(stage_free_at) Stage *s = stage_new(&panel_inspector, m, 118, 14, true, 256);
    PanelPlace place;
    stage_draw(s);
    ck_assert(panel_inspector.place(s->state, m, &s->ui, &place)); /* begins where the locals are */
    ck_assert_str_eq(place.source, "@options.lua");
    ck_assert_int_eq(place.line, 12);
    ck_assert(stage_act(s, ACT_DOWN));
    ck_assert(request_waits(&s->ui.requests, REQUEST_LOCALS));
    ck_assert_uint_eq(s->ui.requests.of[REQUEST_LOCALS].frame, 2);
    ck_assert(!panel_inspector.place(s->state, m, &s->ui, &place)); /* a C function */
    s->ui.requests.waiting = 0;
    ck_assert(stage_act(s, ACT_UP));
    ck_assert(!request_waits(&s->ui.requests, REQUEST_LOCALS)); /* there already */
    /* the stack's first line is the sixth of the panel */
    ck_assert(
        panel_inspector.mouse(s->state, m, &s->ui, (MouseEvent){MOUSE_CLICK, 5, 4 + 3}, s->rect));
    ck_assert(request_waits(&s->ui.requests, REQUEST_LOCALS));
    ck_assert_uint_eq(s->ui.requests.of[REQUEST_LOCALS].frame, 3);
    ck_assert(
        !panel_inspector.mouse(s->state, m, &s->ui, (MouseEvent){MOUSE_CLICK, 5, 2}, s->rect));
    m->op.depth = 1000;
    m->op.cut_at = 4;
    m->op.number++;
    stage_draw(s);
    s->ui.requests.waiting = 0;
    for (int i = 0; i < 3; i++)
        stage_act(s, ACT_DOWN);
    ck_assert_uint_eq(s->ui.requests.of[REQUEST_LOCALS].frame, 3);
    s->ui.requests.waiting = 0;
    stage_act(s, ACT_END);
    ck_assert_uint_eq(s->ui.requests.of[REQUEST_LOCALS].frame, 5);
}

TEST(test_nothing_to_show) {
    OWN(free_at) Model *m = paused();
    OWN(stage_free_at) Stage *s = stage_new(&panel_inspector, m, 78, 6, true, 256);
    m->seen = LMP_SEEN_RUNNING;
    OWN(free_at) char *text = stage_text(s);
    ck_assert_ptr_nonnull(strstr(text, "space pauses the program"));
    ck_assert_ptr_null(strstr(text, "options.lua"));
    ck_assert(!stage_act(s, ACT_DOWN));
    m->seen = LMP_SEEN_KILLED;
    ck_says(s, "does not run any more");
}

/* Names come from the program: nothing in them reaches the terminal as a control sequence. */
TEST(test_names_are_safe) {
    OWN(free_at) Model *m = paused();
    snprintf(m->op.frame[0].name, sizeof m->op.frame[0].name, "local '\033[2J\x07\xff'");
    snprintf(m->op.frame[0].source, sizeof m->op.frame[0].source, "\033]0;x\007.lua");
    OWN(stage_free_at) Stage *s = stage_new(&panel_inspector, m, 78, 12, true, 256);
    OWN(free_at) char *text = stage_text(s);
    for (const char *p = text; *p; p++)
        ck_assert(*p == '\n' || (unsigned char)*p >= ' ');
}
