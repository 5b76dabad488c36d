/* snapshot_pages.c - notes in Ui what a page is about, under a new number, and opens the page. */
#include "snapshot/snapshot_pages.h"

#include <stdio.h>

static UiObjects objects_of(const OpenedSnapshot *heap, const uint32_t *member, uint32_t count,
                            const char *name) {
    static uint64_t number;
    UiObjects some = {.serial = heap->serial, .number = ++number, .member = member};
    some.count = count;
    some.object = LMP_OBJECT_NONE;
    snprintf(some.name, sizeof some.name, "%s", name);
    return some;
}

void ui_open_object(Ui *ui, uint32_t object) {
    ui->object = object;
    ui_open(ui, &panel_object);
}

void ui_open_members(Ui *ui, const OpenedSnapshot *heap, const uint32_t *member, uint32_t count,
                     const char *name) {
    ui->members = objects_of(heap, member, count, name);
    ui_open(ui, &panel_members);
}

void ui_open_why(Ui *ui, const OpenedSnapshot *heap, uint32_t object) {
    ui->why = objects_of(heap, NULL, 0, "");
    ui->why.object = object;
    ui_open(ui, &panel_why);
}

void ui_open_why_of(Ui *ui, const OpenedSnapshot *heap, const uint32_t *member, uint32_t count,
                    const char *name) {
    ui->why = objects_of(heap, member, count, name);
    ui_open(ui, &panel_why);
}
