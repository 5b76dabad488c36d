/* test_verdict_line.c - the line under the header: what of a sentence and of its advice is shown
 * where there is no room for both. */
#include "app_fixture.h"
#include "snapshot/proof.h"

static char row[1024], next_row[1024];
static int header; /* rows above the panels */

/* Draws: the fourth row, the one below, and in which the frame of the panels begins. */
static void read_rows(void) {
    draw();
    OWN(free_at) char *dump = canvas_dump(canvas);
    char *at = dump;
    for (int i = 0; i < 3; i++)
        at = strchr(at, '\n') + 1;
    snprintf(row, sizeof row, "%.*s", (int)strcspn(at, "\n"), at);
    at = strchr(at, '\n') + 1;
    snprintf(next_row, sizeof next_row, "%.*s", (int)strcspn(at, "\n"), at);
    header = 0;
    for (at = dump; strncmp(at, "╭", strlen("╭")) != 0; at = strchr(at, '\n') + 1)
        header++;
}

static void set_up_tall(int w, int h, const char *where, const char *text, const char *advice) {
    start_program(w + 1, h);
    Verdicts *all = &app_model(app)->verdicts;
    all->count = 1;
    Verdict *v = &all->verdict[0];
    v->place = VERDICT_AT_SITE;
    snprintf(v->where, sizeof v->where, "%s", where);
    snprintf(v->text, sizeof v->text, "%s", text);
    snprintf(v->advice, sizeof v->advice, "%s", advice);
    ck_assert(canvas_resize(canvas, w, h)); /* nothing is left of what was said before */
    read_rows();
}

/* On a screen with no room for another line. */
static void set_up(int w, const char *where, const char *text, const char *advice) {
    set_up_tall(w, 19, where, text, advice);
}

#define GROWS "has never freed anything: 44 k parts of tables, 22.5 MiB held, +3.1 MiB/s"
#define HOLDER                                                                                     \
    "see file.lua:34, where a table grows with it: take out "                                      \
    "what is no longer needed, or make that table weak (__mode)"

/* Of the sentence as much is left as leaves the advice what it can use. */
TEST(figures_are_cut_not_advice) {
    static const struct {
        int w;
        const char *shown;
    } want[] = {
        {200, " Note  file.lua:32 " GROWS "  → see file.lua:34, where a table grows with it: take "
              "out what is no longer needed, or make that…    w why"},
        {160, " Note  file.lua:32 " GROWS "  → see file.lua:34, where a table grows with it: take "
              "out…   w why"},
        {120, " Note  file.lua:32 has never freed anything: 44 k parts of tables…  → see "
              "file.lua:34, where a table grows with…  w why"},
        {91, " Note  file.lua:32 has never freed anything: 44 k parts of tables, 22.5 MiB held…    "
             "w why"},
        {80, " Note  file.lua:32 has never freed anything: 44 k parts of tables…        w why"},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        set_up(want[i].w, "file.lua:32", GROWS, HOLDER);
        ck_assert_str_eq(row, want[i].shown);
    }
}

/* What a snapshot has proven of a line is the advice; until then there is something to find out. */
TEST(proven) {
    set_up_tall(120, 36, "file.lua:32", "keeps what it is given", "take entries out");
    Ui *ui = app_ui(app);
    Verdict *v = &app_model(app)->verdicts.verdict[0];
    v->place = VERDICT_AT_SNAPSHOT;
    v->site = 7;
    snprintf(v->kept, sizeof v->kept, "./desk/file.lua:12");
    v->score = 9;
    draw();
    play_key(app, 'w');
    ck_assert_int_eq(ui->wish.what, WISH_LINE);
    ck_assert_str_eq(ui->wish.line, "./desk/file.lua:12");
    ck_assert_uint_eq(ui->wish.site, 7);
    ui->proof[0] = (UiProof){8, "_G.other", 1, 1, 1, 1};
    read_rows();
    ck_assert_ptr_null(strstr(next_row, "_G.other"));
    UiWish wish[UI_PROOFS];
    ck_assert_int_eq(app_unproven(app, wish), 1);
    ck_assert_str_eq(wish[0].line, "./desk/file.lua:12");
    ck_assert_uint_eq(wish[0].site, 7);
    proof_keep(ui, &(UiProof){7, "_G.old", 1, 1, 1, 1});
    proof_keep(ui, &(UiProof){9, "_G.new", 1, 1, 1, 1});
    proof_keep(ui, &(UiProof){7, "_G.cache", 3 << 20, 12000000000, 90, 100});
    ck_assert(ui->proof[0].site == 7 && ui->proof[1].site == 9 && ui->proof[2].site == 8);
    ck_assert_int_eq(app_unproven(app, wish), 0);
    read_rows();
    ck_assert_ptr_nonnull(strstr(row, "file.lua:32 keeps what it is given"));
    ck_assert_ptr_nonnull(strstr(next_row, "take entries out of _G.cache: it held 3.0 MiB at 12 s, "
                                           "with 90 % of what file.lua:12 made"));
}

/* Where leaving figures out would not bring the advice another word, they stay. */
TEST(figures_stay_where_advice_gains_nothing) {
    set_up(100, "a.lua:7", "holds 1 MiB, half of it",
           "unbreakable-as-this-is-one-word-of-more-columns-than-there-are-here-either-way-so");
    ck_assert_ptr_nonnull(strstr(row, "a.lua:7 holds 1 MiB, half of it  "));
}

/* A part ends at a comma, but not between parentheses. */
TEST(parentheses_are_not_torn) {
    set_up(130, "",
           "collections come late: 90 % of the heap is garbage by then (9 MiB freed, 1 MiB "
           "left), says who",
           HOLDER);
    ck_assert_ptr_nonnull(strstr(row, " garbage by then (9 MiB freed, 1 MiB left)…  → see "));
}

/* What is left does not end in a word that only the next one explains. */
TEST(no_loose_ends) {
    set_up(120, "gateway.lua:13", "has never freed anything: 4.8 k parts of tables, 1 MiB held",
           "see gateway.lua:18 and /srv/gateway/a_long_name.lua:25, where tables grow with it");
    ck_assert_ptr_nonnull(strstr(row, "→ see gateway.lua:18…  "));
}

/* At no width are there blank columns in which the next word of what was cut would fit. */
TEST(no_free_columns_beside_a_cut) {
    static const char *const advice[] = {
        HOLDER,
        "keep them, index tables by the parts (t[a][b]), or pass the parts on",
        "fill one table again and again, or pass its values as arguments",
    };
    for (size_t k = 0; k < sizeof advice / sizeof *advice; k++) {
        for (int w = 64; w <= 260; w++) {
            set_up(w, "file.lua:32", GROWS, advice[k]);
            const char *mark = strstr(row, "→"), *end = strstr(row, " w why");
            ck_assert_ptr_nonnull(end);
            if (mark && end[-1] == ' ') {
                const char *last = end;
                while (last > row && last[-1] == ' ')
                    last--;
                int blank = (int)(end - last);
                if (last - row >= 3 && memcmp(last - 3, "…", 3) == 0)
                    ck_assert_msg(blank <= 12, "%d: %d blank in '%s'", w, blank, row);
            }
        }
    }
}

/* W on the page that the sentence leads to goes to the evidence of the next one; elsewhere it
 * leaves the screen alone. */
TEST(the_page_follows) {
    static const VerdictPlace places[] = {VERDICT_AT_SITE, VERDICT_AT_SITE, VERDICT_AT_LEAKS};
    Ui *ui;
    set_up(120, "a.lua:1", "grows", "");
    ui = app_ui(app);
    Verdicts *all = &app_model(app)->verdicts;
    all->count = 3;
    for (uint32_t i = 0; i < 3; i++) {
        all->verdict[i] = all->verdict[0];
        all->verdict[i].rule = "none of the program's";
        all->verdict[i].site = 1 + i;
        all->verdict[i].place = places[i];
    }
    draw();
    play_key(app, 'W');
    ck_assert_ptr_null(ui->over);
    play_key(app, 'w');
    ck_assert_ptr_eq(ui->over, &panel_site);
    ck_assert_uint_eq(ui->site, 2);
    play_key(app, 'W');
    ck_assert(!ui->over && ui->focus == &panel_leaks);
    play_key(app, 'W'); /* the first again */
    ck_assert_ptr_null(ui->over);
    play_key(app, 'w');
    ck_assert(ui->over && ui->site == 1);
    play_key(app, 'W');
    ck_assert(ui->over && ui->site == 2);
    play_key(app, K_ESC); /* no pile of pages */
    ck_assert_ptr_null(ui->over);
}

/* On a tall screen the advice has a line of its own, where the sentence leaves it no room. */
TEST(two_lines) {
    static const char where[] = "file.lua:32";
    set_up_tall(120, 36, where, GROWS, HOLDER);
    ck_assert_str_eq(row, " Note  file.lua:32 " GROWS "                      w why");
    ck_assert_str_eq(next_row,
                     "       → see file.lua:34, where a table grows with it: take out what is "
                     "no longer needed, or make that table weak…");
    /* of the sentence whole parts, and whole words, are left */
    set_up_tall(96, 36, where, GROWS, HOLDER);
    ck_assert_str_eq(row,
                     " Note  file.lua:32 has never freed anything: 44 k parts of tables, 22.5 MiB "
                     "held…         w why");
    int two = header;
    /* and keeps it, whatever is said next: the panels below do not jump up and down */
    Verdict *v = &app_model(app)->verdicts.verdict[0];
    snprintf(v->text, sizeof v->text, "is short");
    snprintf(v->advice, sizeof v->advice, "so is this advice");
    read_rows();
    ck_assert_int_eq(header, two);
    /* until the size changes */
    ck_assert(canvas_resize(canvas, 97, 36));
    read_rows();
    ck_assert_int_eq(header, two - 1);
    set_up_tall(120, 36, where, "is short", "so is this advice");
    ck_assert_ptr_nonnull(strstr(row, where));
    ck_assert_msg(strstr(row, "is short  → so is this advice ") != NULL, "%s", row);
    set_up_tall(200, 60, where, "is short", "so is this advice");
    ck_assert_ptr_nonnull(strstr(row, "is short  → so is this advice "));
}

/* Every rule's own advice, and that on a table that grows along, can be read at 80 columns. */
TEST(advice_fits_eighty_columns) {
    VerdictRuleInfo rule;
    for (uint32_t i = 0; verdict_rule_info(i, &rule); i++) {
        set_up_tall(80, 36, "file.lua:32", GROWS, rule.advice);
        ck_assert_msg(strstr(next_row, rule.advice) != NULL || !*rule.advice, "%s", next_row);
        ck_assert_ptr_nonnull(strstr(row, " file.lua:32 has never freed anything: 44 k parts"));
    }
}

/* A sentence that holds for a moment less than its rule asks for stays where it is. */
TEST(does_not_flicker) {
    set_up(120, "a.lua:1", "makes it", "keep it");
    Verdicts *all = &app_model(app)->verdicts;
    Verdict *v = &all->verdict[0];
    v->rule = "one";
    v->site = 1;
    v->score = 0.4;
    now += 10000000000ull;
    read_rows();
    ck_assert_ptr_nonnull(strstr(row, "a.lua:1 makes it"));
    const Verdict one = *v;
    v->rule = "two";
    v->site = 2;
    v->score = 0.45;
    snprintf(v->where, sizeof v->where, "b.lua:2");
    now += 4000000000ull;
    read_rows();
    ck_assert_ptr_nonnull(strstr(row, "a.lua:1 makes it"));
    const Verdict two = *v;
    *v = one; /* true again: the time begins anew */
    read_rows();
    *v = two;
    now += 4000000000ull;
    read_rows();
    ck_assert_ptr_nonnull(strstr(row, "a.lua:1 makes it"));
    now += 1000000000ull;
    read_rows();
    ck_assert_ptr_nonnull(strstr(row, "b.lua:2 makes it"));
    *v = one; /* considerably more is said at once */
    v->score = 0.6;
    read_rows();
    ck_assert_ptr_nonnull(strstr(row, "a.lua:1 makes it"));
    v->rule = "other"; /* and so is another sentence on the same line */
    v->score = 0.5;
    snprintf(v->text, sizeof v->text, "keeps it");
    read_rows();
    ck_assert_ptr_nonnull(strstr(row, "a.lua:1 keeps it"));
    *v = two; /* what there is nothing to do about is not held */
    v->advice[0] = 0;
    now += 6000000000ull;
    read_rows();
    ck_assert_ptr_nonnull(strstr(row, "b.lua:2 makes it"));
    *v = one;
    v->score = 0.1;
    read_rows();
    ck_assert_ptr_nonnull(strstr(row, "a.lua:1 makes it"));
}
