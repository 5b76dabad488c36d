/* What is unfolded in the inspector: tables within tables, on paper as a person would see it. */
#include "heap_fixture.h"
#include "inside_fixture.h"
#include "panel_draw.h"

enum { SESSION = 0x1000, HISTORY = 0x2000, META = 0x3000, MANY = 0x4000 };

static PlayTables tables;

static Model *paused(void) {
    Model *m = heap_fixture_model(NULL);
    LmpOp *op = &m->op;
    m->seen = LMP_SEEN_PAUSED;
    op->op = LMP_OP_ALLOC;
    op->cls = LMP_C_TABLE;
    op->number = 77;
    op->new_addr = 0x55d0c2b04560;
    op->new_size = 56;
    op->coroutines = 1;
    op->frames = op->depth = op->cut_at = 1;
    snprintf(op->frame[0].name, sizeof op->frame[0].name, "local 'serve'");
    snprintf(op->frame[0].source, sizeof op->frame[0].source, "server.lua");
    op->frame[0].line = 18;
    op->frame[0].linedefined = 10;
    op->locals_state = op->upvalues_state = LMP_LOCALS_READ;
    op->local[op->locals++] = play_value(LMP_KEY_VARIABLE, "count", "number", "12");
    op->local[op->locals++] =
        play_table_value(LMP_KEY_VARIABLE, "s", SESSION, "history, seen, user", 4);
    op->local[op->locals++] = play_table_value(LMP_KEY_VARIABLE, "none", 0x9000, "", 0);
    op->upvalue[op->upvalues++] = play_table_value(LMP_KEY_VARIABLE, "all", MANY, "", 1000000);

    tables = (PlayTables){.tables = 4};
    tables.table[0] = (PlayTable){.object = SESSION};
    PlayTable *t = &tables.table[0];
    play_entry(t, play_value(LMP_KEY_STRING, "user", "string", "ada\n"));
    play_entry(t, play_value(LMP_KEY_STRING, "seen", "boolean", "true"));
    play_entry(t, play_table_value(LMP_KEY_STRING, "history", HISTORY, "", 3));
    play_entry(t, play_table_value(LMP_KEY_METATABLE, "", META, "__index", 1));
    tables.table[1] = (PlayTable){.object = HISTORY};
    t = &tables.table[1];
    play_entry(t, play_value(LMP_KEY_STRING, "a key\x1b", "nil", ""));
    play_entry(t, play_value(LMP_KEY_INTEGER, "10", "string", "ten"));
    play_entry(t, play_value(LMP_KEY_INTEGER, "9", "string", "nine"));
    tables.table[2] = (PlayTable){.object = META}; /* it has itself */
    t = &tables.table[2];
    play_entry(t, play_table_value(LMP_KEY_STRING, "__index", META, "__index", 1));
    tables.table[3] = (PlayTable){.object = MANY, .more = 1000000};
    return m;
}

/* Draws until nothing is asked for any more. */
static void settle(Stage *s) {
    do
        stage_draw(s);
    while (play_answer(&tables, s->model, &s->ui.requests));
}

static void act(Stage *s, Action action) {
    ck_assert(stage_act(s, action));
    settle(s);
}

/* Unfolds all of `s`: the history, the metatable. */
static void unfold(Stage *s) {
    settle(s);
    act(s, ACT_RIGHT); /* to the variables */
    act(s, ACT_DOWN);
    act(s, ACT_RIGHT);
    act(s, ACT_DOWN); /* history: words are in order */
    act(s, ACT_ENTER);
}

TEST(test_unfolds) {
    static const char *const names[] = {"inspector-inside-118x22.txt", "inspector-inside-78x20.txt",
                                        "inspector-inside-58x30-8.txt",
                                        "inspector-inside-78x20-mono-ascii.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        OWN(free_at) Model *m = paused();
        OWN(stage_free_at) Stage *s = stage_named(&panel_inspector, m, names[i]);
        settle(s);
        ck_assert_uint_eq(tables.asked, 0); /* nothing is read that nobody has opened */
        unfold(s);
        ck_assert_uint_eq(tables.asked, 2);
        stage_golden(s, names[i]);
        ck_assert(!stage_shows(s, "\n\x1b"));
    }
}

TEST(test_folds) {
    OWN(free_at) Model *m = paused();
    OWN(stage_free_at) Stage *s = stage_new(&panel_inspector, m, 118, 22, true, 256);
    unfold(s);
    ck_assert(stage_shows(s, "[9]") && stage_shows(s, "[10]") && stage_shows(s, "\"nine\""));
    act(s, ACT_DOWN);
    act(s, ACT_LEFT); /* to what it is in */
    act(s, ACT_LEFT); /* folds that */
    ck_assert(!stage_shows(s, "nine") && stage_shows(s, "\"ada\\n\""));
    act(s, ACT_ENTER);
    ck_assert(stage_shows(s, "nine"));
    act(s, ACT_LEFT);
    act(s, ACT_LEFT);
    act(s, ACT_LEFT);
    ck_assert(!stage_shows(s, "ada") && stage_shows(s, "{history, seen, user}"));
    act(s, ACT_RIGHT);
    ck_assert(stage_shows(s, "ada") && !stage_shows(s, "nine"));
    act(s, ACT_UP); /* a number does not open */
    uint32_t asked = tables.asked;
    act(s, ACT_RIGHT);
    act(s, ACT_ENTER);
    ck_assert_uint_eq(tables.asked, asked);
}

/* What holds itself is unfolded as far as a person goes, and no further than it can be asked. */
TEST(test_cycle) {
    OWN(free_at) Model *m = paused();
    OWN(stage_free_at) Stage *s = stage_new(&panel_inspector, m, 118, 60, true, 256);
    unfold(s);
    act(s, ACT_LEFT);
    for (int i = 0; i < 3; i++)
        act(s, ACT_DOWN);
    for (int i = 0; i < 17; i++) { /* the metatable, its __index ... */
        act(s, ACT_RIGHT);
        act(s, ACT_DOWN);
    }
    ck_assert(stage_shows(s, "too deep to be shown"));
    ck_assert_uint_lt(tables.asked, 2 + LMP_INSIDE_STEPS + 1);
}

TEST(test_a_million) {
    OWN(free_at) Model *m = paused();
    OWN(stage_free_at) Stage *s = stage_new(&panel_inspector, m, 118, 22, true, 256);
    settle(s);
    act(s, ACT_RIGHT);
    act(s, ACT_END);
    act(s, ACT_RIGHT);
    ck_assert_uint_eq(tables.asked, 1);
    act(s, ACT_END);
    ck_assert(stage_shows(s, "[64]") && stage_shows(s, "… 999,936 more") &&
              !stage_shows(s, "[65]"));
    stage_golden(s, "inspector-inside-million.txt");
    act(s, ACT_ENTER);
    ck_assert(stage_shows(s, "[65]"));
    act(s, ACT_END);
    ck_assert(stage_shows(s, "[128]") && stage_shows(s, "… 999,872 more"));
    for (int i = 0; i < 600; i++) { /* there is an end to what is kept */
        act(s, ACT_ENTER);
        act(s, ACT_END);
    }
    ck_assert_uint_lt(tables.asked, 400);
}

/* The next operation: what was open stays open, and shows how it is now. */
TEST(test_the_next_operation) {
    OWN(free_at) Model *m = paused();
    OWN(stage_free_at) Stage *s = stage_new(&panel_inspector, m, 118, 22, true, 256);
    unfold(s);
    act(s, ACT_DOWN);
    tables.asked = 0;
    m->op.number++;
    m->op.local[0].value[1] = '3';
    snprintf(tables.table[1].entry[1].value, LMP_LOCAL_BYTES, "TEN"); /* moves, changes, goes */
    tables.table[1].entry[0] = tables.table[1].entry[2];
    tables.table[1].entry[0].place = 0;
    tables.table[1].entries = 2;
    LmpLocal swap = tables.table[0].entry[0];
    tables.table[0].entry[0] = tables.table[0].entry[2];
    tables.table[0].entry[2] = swap;
    tables.table[0].entry[0].place = 0;
    tables.table[0].entry[2].place = 2;
    stage_draw(s);
    ck_assert(stage_shows(s, "\"ten\"")); /* until the program has answered */
    settle(s);
    ck_assert_uint_eq(tables.asked, 2);
    ck_assert(stage_shows(s, "TEN") && stage_shows(s, "13") && !stage_shows(s, "a key"));
    tables.table[0].entry[0] = play_value(LMP_KEY_STRING, "history", "number", "5");
    m->op.number++; /* it is no table any more */
    settle(s);
    ck_assert(!stage_shows(s, "TEN") && stage_shows(s, "history"));
    m->op.number++;
    m->op.frame[0].linedefined = 40; /* another function */
    settle(s);
    ck_assert(!stage_shows(s, "ada"));
}

/* What the program cannot tell is said where it would stand. */
TEST(test_why_not) {
    static const struct {
        LmpInsideState state;
        const char *why, *words;
    } ways[] = {
        {LMP_INSIDE_UNKNOWN, "tables", "unreadable here: tables"},
        {LMP_INSIDE_NOT_NOW, "", "unreadable: the stack is moved"},
        {LMP_INSIDE_NONE, "", "nothing is there any more"},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        OWN(free_at) Model *m = paused();
        m->op.local[1].flags = 0; /* nothing is known of it */
        OWN(stage_free_at) Stage *s = stage_new(&panel_inspector, m, 118, 22, true, 256);
        settle(s);
        ck_assert(stage_act(s, ACT_RIGHT) && stage_act(s, ACT_DOWN) && stage_act(s, ACT_RIGHT));
        stage_draw(s);
        ck_assert(request_waits(&s->ui.requests, REQUEST_INSIDE));
        m->inside = (LmpInside){.state = ways[i].state, .next = LMP_INSIDE_END};
        m->inside.wish = s->ui.requests.of[REQUEST_INSIDE].inside;
        snprintf(m->inside.why, sizeof m->inside.why, "%s", ways[i].why);
        m->inside_ready = true;
        ck_assert_msg(stage_shows(s, ways[i].words), "%s", ways[i].words);
    }
}

/* An answer to another question, or none for long: it is asked once more. */
TEST(test_no_answer) {
    OWN(free_at) Model *m = paused();
    OWN(stage_free_at) Stage *s = stage_new(&panel_inspector, m, 118, 22, true, 256);
    settle(s);
    ck_assert(stage_act(s, ACT_RIGHT) && stage_act(s, ACT_DOWN) && stage_act(s, ACT_RIGHT));
    stage_draw(s);
    s->ui.requests.waiting = 0;
    m->inside_ready = true;
    stage_draw(s);
    ck_assert(!request_waits(&s->ui.requests, REQUEST_INSIDE));
    s->ui.now += 1100000000;
    stage_draw(s);
    ck_assert(request_waits(&s->ui.requests, REQUEST_INSIDE));
    settle(s);
    ck_assert(stage_shows(s, "ada"));
}

TEST(test_mouse) {
    OWN(free_at) Model *m = paused();
    OWN(stage_free_at) Stage *s = stage_new(&panel_inspector, m, 118, 22, true, 256);
    settle(s);
    MouseEvent click = {MOUSE_CLICK, 60, 0};
    for (int row = 0; row < 20 && !stage_shows(s, "ada"); row++) {
        click.y = row;
        panel_inspector.mouse(s->state, m, &s->ui, click, s->rect);
        stage_act(s, ACT_ENTER);
        settle(s);
    }
    ck_assert(stage_shows(s, "ada"));
}
