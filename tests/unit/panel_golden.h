/* panel_golden.h - golden files of the panel that has the keys, by itself. Another tab, a word in
 * the footer or a figure of the header is not its matter. */
#ifndef LMP_TEST_PANEL_GOLDEN_H
#define LMP_TEST_PANEL_GOLDEN_H

#include "app/app.h"
#include "canvas_dump.h"

static inline void panel_golden(App *app, const Canvas *canvas, const char *name) {
    const Ui *ui = app_ui(app);
    Rect inside = app_where(app, ui->over ? ui->over : ui->focus);
    ck_assert_int_gt(inside.w, 0);
    Canvas *part = canvas_new(inside.w, inside.h, canvas->utf8);
    for (int y = 0; y < inside.h; y++)
        memcpy(part->cells + y * inside.w, canvas_at(canvas, inside.x, inside.y + y),
               (size_t)inside.w * sizeof(Cell));
    canvas_golden(part, name);
    canvas_free(part);
}

#endif
