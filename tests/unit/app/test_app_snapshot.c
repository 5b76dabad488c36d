/* A snapshot over the panels of the program: which set is on the screen, what keys do there, and
 * the ways in and back. */
#include "shown_heap.h"
#include "snapshot/proof.h"

static char *screen(void) {
    draw();
    return canvas_dump(canvas);
}

TEST(test_it_opens_over_the_program_and_closes_again) {
    start_program(120, 36);
    open_snapshot(3);
    play_key(app, '6');
    play_key(app, '6'); /* the sites, enlarged: as it is to be afterwards */
    char *before = screen();
    app_show_snapshot(app, heap);
    ck_assert(sees("SNAPSHOT 3"));
    ck_assert(sees("1 Verdict"));
    ck_assert(!sees("6 Sites"));
    draw();
    canvas_golden(canvas, "snapshot-120x36.txt");
    play_key(app, '2');
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_objects);
    play_key(app, K_ENTER);
    ck_assert_ptr_eq(app_ui(app)->over, &panel_members);
    play_key(app, K_ESC);
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_objects);
    play_key(app, K_ESC);
    char *after = screen();
    ck_assert_str_eq(before, after);
    app_show_snapshot(app, heap); /* as it was left */
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_objects);
    play_key(app, 'q');
    ck_assert(!play_asked(app, REQUEST_QUIT));
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_sites);
    play_key(app, 'q'); /* that was one too many, perhaps */
    ck_assert(!play_asked(app, REQUEST_QUIT));
    ck_assert(sees("q once more to quit"));
    play_key(app, 'q');
    ck_assert(play_asked(app, REQUEST_QUIT));
    free(before);
    free(after);
    close_heap();
}

TEST(test_tab_stays_in_the_set) {
    static const Panel *const order[] = {&panel_objects,  &panel_dominators, &panel_treemap,
                                         &panel_suspects, &panel_compare,    &panel_held};
    start_program(80, 24);
    open_snapshot(3);
    app_show_snapshot(app, heap);
    draw();
    canvas_golden(canvas, "snapshot-80x24.txt");
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        do {
            play_key(app, K_TAB);
            draw();
        } while (app_ui(app)->focus->number == 0); /* of such panels there may be any */
        ck_assert_ptr_eq(app_ui(app)->focus, order[i]);
    }
    for (Key key = '1'; key <= '6'; key++) {
        play_key(app, key);
        draw();
        ck_assert_int_eq(app_ui(app)->focus->number, (int)(key - '0'));
    }
    play_key(app, '9');
    ck_assert(sees("There is no panel 9"));
    close_heap();
}

TEST(test_the_program_is_not_asked_from_there) {
    static const Key keys[] = {' ', 'n', 'm', 'C', 'b', 'i', 'L'};
    start_program(120, 36);
    open_snapshot(3);
    app_show_snapshot(app, heap);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        play_key(app, keys[i]);
        ck_assert(sees("esc leads back to the program"));
    }
    ck_assert(!play_asked(app, REQUEST_PAUSE) && !play_asked(app, REQUEST_MARK) &&
              !play_asked(app, REQUEST_COLLECT) && !play_asked(app, REQUEST_STEP));
    play_key(app, '?');
    ck_assert_ptr_eq(app_ui(app)->over, &panel_help);
    ck_assert(sees("What this heap amounts to"));
    close_heap();
}

TEST(test_a_pause_meanwhile_waits_behind_it) {
    start_program(120, 36);
    open_snapshot(3);
    app_show_snapshot(app, heap);
    app_seen(app, LMP_SEEN_PAUSED);
    ck_assert(sees("SNAPSHOT 3"));
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_held);
    play_key(app, K_ESC);
    ck_assert(sees("5 Inspector"));
    app_show_snapshot(app, heap);
    app_seen(app, LMP_SEEN_RUNNING);
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_held);
    play_key(app, K_ESC);
    ck_assert(sees("6 Sites"));
    close_heap();
}

TEST(test_the_notice_of_one_opens_it) {
    start_program(120, 36);
    app_say(app, "enter opens snapshot 1: lmp-1-1.heap");
    app_offer_snapshot(app);
    play_key(app, K_DOWN); /* something else: enter means what it always does */
    play_key(app, K_ENTER);
    ck_assert(!play_asked(app, REQUEST_OPEN_SNAPSHOT));
    app_say(app, "enter opens snapshot 2: lmp-1-2.heap");
    app_offer_snapshot(app);
    play_key(app, K_ENTER);
    ck_assert(play_asked(app, REQUEST_OPEN_SNAPSHOT));
}

TEST(test_why_from_the_program_and_straight_back) {
    start_program(120, 36);
    open_snapshot(3);
    play_key(app, '6');
    play_key(app, K_DOWN);
    play_key(app, K_ENTER);
    ck_assert_ptr_eq(app_ui(app)->over, &panel_site);
    play_key(app, 'w');
    ck_assert(play_asked(app, REQUEST_OPEN_SNAPSHOT));
    ck_assert_int_eq(app_ui(app)->wish.what, WISH_LINE);
    app_show_snapshot(app, heap); /* what the viewer does */
    ck_assert(sees("is not in this snapshot"));
    play_key(app, K_ESC);
    ck_assert_ptr_eq(app_ui(app)->over, &panel_site);
    ck_assert(!sees("SNAPSHOT"));
    close_heap();
}

TEST(test_without_a_program) {
    open_display(120, 36, (AppOptions){.offline = true});
    app_say(app, "Reading some.heap, 1.2 MiB ...");
    ck_assert(sees("Reading some.heap, 1.2 MiB"));
    ck_assert(sees("no snapshot is open"));
    open_snapshot(3);
    app_show_snapshot(app, heap);
    play_key(app, K_ESC); /* there is nothing to go back to */
    ck_assert(sees("1 Verdict"));
    play_key(app, ' ');
    ck_assert(sees("there is no program to ask"));
    play_key(app, 'q');
    ck_assert(play_asked(app, REQUEST_QUIT));
    close_heap();
}

/* Who holds what a line has made is only told if that holder alone retains half of what is kept. */
TEST(test_a_holder_of_little_is_none) {
    start_program(120, 36);
    open_snapshot(3);
    const LmpObjectGroups *groups = opened_groups(heap, LMP_BY_LINE);
    uint32_t held = 0;
    for (uint32_t i = 0; i < groups->groups; i++) {
        UiProof proof = {0};
        UiWish wish = {.what = WISH_LINE, .site = 7};
        if (!proof_make(heap, &groups->group[i], &wish, &proof)) continue;
        ck_assert_uint_eq(proof.site, 7);
        held++;
        wish.held = 2 * proof.retained + 1;
        ck_assert(proof_make(heap, &groups->group[i], &wish, &proof));
        wish.held = 2 * proof.retained + 2;
        ck_assert(!proof_make(heap, &groups->group[i], &wish, &proof));
    }
    ck_assert_uint_gt(held, 0);
    close_heap();
}
