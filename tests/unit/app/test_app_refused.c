/* The display while memory is refused: whatever is asked of it then, it goes on, draws, and has all
 * panels again once there is memory. */
#include "app_fixture.h"
#include "refused_memory.h"

static const char *const asked[] = {
    "6\n",         "6/cache\n\033",  "6O<G>\033", "6|\n\033", "7\n/cache\n\033", "77G\033",
    "88*I",        "8/cache\n\033",  "9\n\033",   "99\033",   "0\n/cache\n\033", "3++jj\n\033",
    "3cs\n/5\n",   "4/memory\n\033", "5l",        "L\033",    "?/sites\n\033",   "ba.lua:3\n\033",
    "w\033WW\033", "zz1\033",        "\t\t\t\t",
};

/* One that is refused, or all from there on; at each request in turn, until none is refused.
 * Returns how often. */
static int ask(const char *keys, bool all) {
    int rounds = 0;
    for (bool enough = false; !enough; rounds++) {
        start_program(120, 36);
        was_refused = false;
        refuse_on = all;
        refuse_after = rounds;
        press(keys);
        refuse_after = -1;
        enough = !was_refused;
        refresh();
        press("\033\033\0336");
        ck_assert(is_on(&panel_sites));
        ck_assert_msg(shows(" sites ·"), "%s, request %d", keys, rounds);
    }
    return rounds - 1;
}

TEST(panels_go_on) {
    int refusals = 0;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        refusals += ask(asked[i], false);
    ck_assert_int_gt(refusals, 60);
}

TEST(panels_go_on_without_any) {
    int refusals = 0;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        refusals += ask(asked[i], true);
    ck_assert_int_gt(refusals, 60);
}

/* No panel has a state of its own then, and none of what is asked of it is possible. */
TEST(without_states) {
    bool enough = false;
    for (int n = 0; !enough; n++) {
        was_refused = false;
        refuse_on = true;
        refuse_after = n;
        app = app_new(&(AppOptions){.live = true, .utf8 = true, .colours = 256});
        refuse_after = -1;
        enough = !was_refused;
        ck_assert(app || n == 0);
        if (!app) continue;
        canvas = canvas_new(100, 30, true);
        fixed_model(app_model(app));
        draw();
        for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
            press(asked[i]);
        tear_down();
    }
}
