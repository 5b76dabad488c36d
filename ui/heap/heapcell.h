/* heapcell.h - what the panels over a snapshot have in common: how objects are named, coloured,
 * placed, and what stands there when there is nothing to show (yet). */
#ifndef LMP_HEAPCELL_H
#define LMP_HEAPCELL_H

#include "widget/table.h"

/* From so many objects on, summing them up takes long enough to say so first. */
#define HEAPCELL_LARGE 300000u

/* The snapshot that is open; NULL: none, and where there is a canvas it says so. */
OpenedHeap *heapcell_heap(const Model *model, Canvas *canvas, Rect rect);
/* Before something that takes long with a large heap: true, once, when the frame is to say
 * "Summing up `what` ..." and do it in the next one; and as long as it is stopped, which the frame
 * then says. `asked` is the panel's: 0 at first. */
bool heapcell_wait(const OpenedHeap *heap, uint64_t *asked, uint64_t what, const char *words,
                   Ui *ui, Canvas *canvas, Rect rect);

/* All bytes that shares are of. */
uint64_t heapcell_whole(const LmpSnapshot *s);
double heapcell_share(const LmpSnapshot *s, uint64_t bytes);
Tone heapcell_tone(const LmpSnapshot *s, uint32_t object);
/* How its holder calls it, `.handlers`, `upvalue entries`; without a holder its name. Returns out.
 */
const char *heapcell_label(const LmpSnapshot *s, uint32_t object, char *out, size_t size);
/* The path to it from the root as one line, "registry ▸ .handlers ▸ [3]". Returns out. */
const char *heapcell_path(const LmpSnapshot *s, uint32_t object, char *out, size_t size);
/* The line that made it, or where its code is; as Panel.place. */
bool heapcell_place(const LmpSnapshot *s, uint32_t object, PanelPlace *out);
/* "12 s"; "" when it is not known. Returns out (LMP_NUM). */
char *heapcell_age(const LmpSnapshot *s, uint32_t object, char *out);

/* For TableColumn.hidden: it is not known which line made what. */
bool heapcell_no_lines(const TableSource *from);

/* A share as percent with its heat; bytes, warm as their share. */
void heapcell_percent(TableCell *cell, double share);
/* "3 objects", "1 object"; returns out (LMP_NUM + 16). */
char *heapcell_objects(char *out, uint64_t count);

#endif
