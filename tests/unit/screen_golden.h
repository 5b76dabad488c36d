/* screen_golden.h - golden files of the display: of a whole screen, or of the panel that has the
 * keys, by itself. Another tab, a word in the footer or a figure of the header is not its matter.
 */
#ifndef LMP_TEST_SCREEN_GOLDEN_H
#define LMP_TEST_SCREEN_GOLDEN_H

#include "app/app.h"
#include "suite.h"

static inline void screen_golden(const Canvas *canvas, const char *name) {
    OWN(free_at) char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    canvas_dump_golden(canvas, out);
    fclose(out);
    suite_golden_screen(name, text);
}

static inline void panel_golden(App *app, const Canvas *canvas, const char *name) {
    const Ui *ui = app_ui(app);
    Rect inside = app_where(app, ui->over ? ui->over : ui->focus);
    ck_assert_int_gt(inside.w, 0);
    Canvas *part = canvas_new(inside.w, inside.h, canvas->utf8);
    for (int y = 0; y < inside.h; y++)
        memcpy(part->cells + y * inside.w, canvas_at(canvas, inside.x, inside.y + y),
               (size_t)inside.w * sizeof(Cell));
    screen_golden(part, name);
    canvas_free(part);
}

#endif
