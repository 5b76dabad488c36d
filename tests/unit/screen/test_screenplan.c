/* Tests of the layout at every size, and of the table of actions. */
#include "base/kind.h"
#include "screen/action.h"
#include "screen/screenplan.h"
#include "suite.h"

static bool inside(Rect rect, int w, int h) {
    return rect.w >= 0 && rect.h >= 0 && rect.x >= 0 && rect.y >= 0 && rect.x + rect.w <= w &&
           rect.y + rect.h <= h;
}

static bool overlap(Rect a, Rect b) {
    return a.w > 0 && a.h > 0 && b.w > 0 && b.h > 0 && a.x < b.x + b.w && b.x < a.x + a.w &&
           a.y < b.y + b.h && b.y < a.y + a.h;
}

TEST(every_size) {
    for (int w = 1; w <= 300; w++) {
        for (int h = 1; h <= 100; h++) {
            for (int way = 0; way <= 2 * BOTTOM_MUCH + 1; way++) {
                int bottom = way / 2;
                ScreenPlan layout = screenplan_make(w, h, (Bottom)bottom, way % 2);
                Rect all[SLOTS + 2];
                memcpy(all, layout.slot, sizeof layout.slot);
                all[SLOTS] = layout.header;
                all[SLOTS + 1] = layout.footer;
                int area = 0;
                for (int i = 0; i < SLOTS + 2; i++) {
                    ck_assert_msg(inside(all[i], w, h), "slot %d at %dx%d", i, w, h);
                    for (int j = 0; j < i; j++) {
                        ck_assert_msg(!overlap(all[i], all[j]), "%d over %d at %dx%d", i, j, w, h);
                    }
                    area += all[i].w * all[i].h;
                }
                ck_assert_int_ge(layout.header.h, 1);
                ck_assert_int_eq(layout.header.w, w);
                ck_assert_int_eq(layout.footer.h, h >= 3 ? 1 : 0);
                ck_assert_msg(area == w * h || h < 4, "a hole at %dx%d", w, h);
            }
        }
    }
}

/* Timeline goes before the map, the map before the types. */
TEST(what_is_dropped_first) {
    for (int w = 1; w <= 300; w++) {
        for (int h = 4; h <= 100; h++) {
            for (int way = 0; way <= 2 * BOTTOM_MUCH + 1; way++) {
                int bottom = way / 2;
                ScreenPlan layout = screenplan_make(w, h, (Bottom)bottom, way % 2);
                bool map = layout.slot[SLOT_MAP].w > 0, types = layout.slot[SLOT_TYPES].w > 0;
                bool timeline = layout.slot[SLOT_TIMELINE].w > 0;
                bool low = layout.slot[SLOT_BOTTOM].w > 0;
                ck_assert(!timeline || map);
                ck_assert(!map || types);
                ck_assert(types || low);
                if (bottom == BOTTOM_MUCH) ck_assert(low);
                if (bottom == BOTTOM_NONE) ck_assert(!low);
            }
        }
    }
}

TEST(known_sizes) {
    ScreenPlan layout = screenplan_make(120, 36, BOTTOM_SOME, false);
    ck_assert_int_eq(layout.header.h, 4);
    ck_assert_int_eq(screenplan_make(120, 36, BOTTOM_SOME, true).header.h, 5);
    ck_assert_int_eq(screenplan_make(120, 20, BOTTOM_SOME, true).header.h, 5);
    ck_assert_int_eq(screenplan_make(120, 19, BOTTOM_SOME, true).header.h, 4);
    for (int i = 0; i < SLOTS; i++)
        ck_assert_int_gt(layout.slot[i].w, 0);
    layout = screenplan_make(80, 24, BOTTOM_SOME, false);
    for (int i = 0; i < SLOTS; i++)
        ck_assert_int_gt(layout.slot[i].w, 0);
    layout = screenplan_make(60, 15, BOTTOM_SOME, false);
    ck_assert_int_gt(layout.slot[SLOT_MAP].w, 0);
    ck_assert_int_gt(layout.slot[SLOT_TYPES].w, 0);
    layout = screenplan_make(20, 5, BOTTOM_SOME, false);
    ck_assert_int_eq(layout.slot[SLOT_TYPES].h, 3);
    ck_assert_int_eq(layout.footer.y, 4);
}

TEST(frames_leave_room) {
    for (int w = 1; w <= 60; w++) {
        for (int h = 1; h <= 30; h++) {
            BorderKind kind;
            Rect outer = {3, 4, w, h}, inner = screenplan_inside(outer, &kind);
            ck_assert_int_gt(inner.w, 0);
            ck_assert_int_gt(inner.h, 0);
            ck_assert_int_ge(inner.x, outer.x);
            ck_assert_int_ge(inner.y, outer.y);
            ck_assert_int_le(inner.x + inner.w, outer.x + outer.w);
            ck_assert_int_le(inner.y + inner.h, outer.y + outer.h);
        }
    }
}

/* ---- actions --------------------------------------------------------------------------------- */

TEST(every_key_has_one_action) {
    for (int i = ACT_NONE + 1; i < ACTIONS; i++) {
        const ActionInfo *info = &action_info[i];
        ck_assert_int_eq((int)info->action, i);
        ck_assert_ptr_nonnull(info->shown);
        for (int k = 0; k < 2; k++) {
            if (info->key[k] == 0) continue;
            ck_assert_msg(action_of_key(info->key[k]) == (Action)i, "key %u has two actions",
                          info->key[k]);
            ck_assert(info->key[k] < '0' || info->key[k] > '9');
        }
        if (info->priority > 0) ck_assert_ptr_nonnull(info->label);
    }
    for (Key key = '0'; key <= '9'; key++)
        ck_assert_int_eq(action_of_key(key), ACT_PANEL_NUMBER);
    ck_assert_int_eq(action_of_key(K_NONE), ACT_NONE);
    ck_assert_int_eq(action_of_key('X'), ACT_NONE);
}

TEST(footer_priorities_differ) {
    for (int i = ACT_NONE + 1; i < ACTIONS; i++) {
        for (int j = ACT_NONE + 1; j < i; j++) {
            if (action_info[i].priority == 0) continue;
            ck_assert_int_ne(action_info[i].priority, action_info[j].priority);
        }
    }
    ck_assert_int_eq(action_info[ACT_QUIT].priority, 1);
}

/* What a hand presses by habit moves; what reaches into the program is none of it, or can be taken
 * back at once. */
TEST(habits_move) {
    static const Key moves[] = {'h',    'j',     'k',       'l',         'g',    K_UP, K_DOWN,
                                K_LEFT, K_RIGHT, K_PAGE_UP, K_PAGE_DOWN, K_HOME, K_END};
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        ck_assert_int_eq(action_info[action_of_key(moves[i])].group, GROUP_MOVE);
    static const Action harmless[] = {ACT_PAUSE,  /* the same key resumes */
                                      ACT_STEP,   /* while paused only */
                                      ACT_MARK,   /* x goes on without it */
                                      ACT_UNMARK, /* again: back */
                                      ACT_SINCE,  /* esc goes on without it */
                                      ACT_BREAK,  /* something is to be typed then */
                                      ACT_INPUT};
    for (int i = ACT_NONE + 1; i < ACTIONS; i++) {
        const ActionInfo *info = &action_info[i];
        bool fine = info->group != GROUP_PROGRAM;
        for (size_t h = 0; h < sizeof harmless / sizeof *harmless; h++)
            fine = fine || harmless[h] == info->action;
        for (int k = 0; k < 2 && !fine; k++)
            ck_assert_msg(info->key[k] < 'a' || info->key[k] > 'z', "%s is on a plain key",
                          info->help ? info->help : info->shown);
    }
}

TEST(kinds_have_their_letters) {
    for (int kind = 0; kind < LMP_KINDS; kind++) {
        Action action = action_of_key((Key)kind_info[kind].letter);
        ck_assert_int_eq(action_kind(action), kind);
    }
    ck_assert_int_eq(action_kind(ACT_ALL), -1);
    ck_assert_int_eq(action_kind(ACT_NONE), -1);
}
