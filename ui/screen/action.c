/* action.c - the table of action.h as data. */
#include "screen/action.h"

#include "base/kind.h"

const char *const action_group_title[GROUPS] = {
    [GROUP_PROGRAM] = "The program", [GROUP_TIME] = "Time",     [GROUP_DISPLAY] = "The display",
    [GROUP_MOVE] = "Moving",         [GROUP_TABLES] = "Tables", /* lists of rows */
    [GROUP_KINDS] = "Types shown",
};

const ActionInfo action_info[ACTIONS] = {
#define ACTION_ROW(action, group, priority, key1, key2, shown, label, label_on, help)              \
    [action] = {action, group, priority, {key1, key2}, shown, label, label_on, help},
    ACTION_TABLE(ACTION_ROW)
#undef ACTION_ROW
};

Action action_of_key(Key key) {
    if (key == K_NONE) return ACT_NONE;
    if (key >= '0' && key <= '9') return ACT_PANEL_NUMBER;
    for (int i = ACT_NONE + 1; i < ACTIONS; i++) {
        if (action_info[i].key[0] == key || action_info[i].key[1] == key) return (Action)i;
    }
    return ACT_NONE;
}

int action_kind(Action action) {
    static const signed char kind[ACTIONS] = {
        [ACT_STRING] = LMP_STRING + 1,     [ACT_FUNCTION] = LMP_FUNCTION + 1,
        [ACT_USERDATA] = LMP_USERDATA + 1, [ACT_THREAD] = LMP_THREAD + 1,
        [ACT_TABLE] = LMP_TABLE + 1,       [ACT_OTHER] = LMP_OTHER + 1,
    };
    return kind[action] - 1;
}
