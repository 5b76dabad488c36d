/* map_stage.h - for suites of the heap map and the list of blocks below it: panels drawn from a
 * heap that is the same every time. */
#ifndef LMP_MAP_STAGE_H
#define LMP_MAP_STAGE_H

#include "heap_fixture.h"
#include "panel_draw.h"

static inline Stage *map_stage(Model *m, int w, int h, bool utf8, int colours) {
    Stage *s = stage_new(&panel_heapmap, m, w, h, utf8, colours);
    stage_update(s);
    stage_draw(s);
    return s;
}

static inline void repeat(Stage *s, Action action, int times) {
    while (times-- > 0)
        ck_assert(stage_act(s, action));
}

static inline Stage *blocks_stage(const Stage *map) {
    Stage *s = stage_new(&panel_blocks, map->model, map->canvas->w, map->canvas->h, map->ui.utf8,
                         map->ui.colours);
    s->ui = map->ui;
    stage_update(s);
    return s;
}

static inline void done(Stage *s, FakeHeap *f) {
    Model *m = s->model;
    stage_free(s);
    if (!f) return;
    fake_free(f);
    free(m);
}

#endif
