/* Tests of the cursor of a list. */
#include "suite.h"
#include "widget/panel.h"

TEST(lists_keep_their_invariant) {
    static const Action actions[] = {ACT_UP,        ACT_DOWN, ACT_PAGE_UP,
                                     ACT_PAGE_DOWN, ACT_HOME, ACT_END};
    List list = {0};
    for (int i = 0; i < 20000; i++) {
        int page = (int)suite_below(12);
        if (suite_below(9) == 0) list.count = suite_below(suite_below(2) ? 5 : 100);
        list_fit(&list, list.count, page);
        if (suite_below(2)) ck_assert(list_act(&list, actions[suite_below(6)], page));
        uint64_t rows = page > 0 ? (uint64_t)page : 1;
        ck_assert(list.cursor < list.count || (list.count == 0 && list.cursor == 0));
        ck_assert(list.top <= list.cursor && list.cursor < list.top + rows);
    }
    ck_assert(!list_act(&list, ACT_PAUSE, 5));
}
