/* objectcell.h - what the panels over a snapshot have in common: names, colours and places of
 * objects, and what a page shows while there is nothing to show (yet). */
#ifndef LMP_SNAPSHOT_OBJECTCELL_H
#define LMP_SNAPSHOT_OBJECTCELL_H

#include "widget/tablepanel.h"

/* From so many objects on, summing them up takes long enough to say so first. */
#define OBJECTCELL_LARGE 300000u

/* Returns the snapshot that is open; NULL: none, which the canvas says if there is one. */
OpenedSnapshot *objectcell_opened(const Model *model, Canvas *canvas, Rect rect);
/* Is for TablePanelDef.can: a snapshot is open. */
bool objectcell_can(const Model *model, Canvas *canvas, Rect rect);
/* Call before work that takes long with a large heap. Returns true, once, when this repaint says
 * "Summing up `what` ..." and the next one does the work; and as long as the work is stopped, which
 * the repaint then says. `asked` is the panel's: 0 at first. */
bool objectcell_wait(const OpenedSnapshot *heap, uint64_t *asked, uint64_t what, const char *words,
                     Ui *ui, Canvas *canvas, Rect rect);

/* Returns all bytes that shares are of. */
uint64_t objectcell_whole(const LmpSnapshot *s);
double objectcell_share(const LmpSnapshot *s, uint64_t bytes);
Tone objectcell_tone(const LmpSnapshot *s, uint32_t object);
/* Writes what its holder calls the object, `.handlers`, `upvalue entries`; without a holder its
 * name. Returns out. */
const char *objectcell_label(const LmpSnapshot *s, uint32_t object, char *out, size_t size);
/* Writes the path from the root to the object as one line, "registry ▸ .handlers ▸ [3]". Returns
 * out. */
const char *objectcell_path(const LmpSnapshot *s, uint32_t object, char *out, size_t size);
/* Gives the object's code, or the line that made it; as Panel.place. */
bool objectcell_place(const LmpSnapshot *s, uint32_t object, PanelPlace *out);
/* Writes "12 s"; "" if not known. Returns out (LMP_NUM). */
char *objectcell_age(const LmpSnapshot *s, uint32_t object, char *out);

/* Returns, for TableColumn.hidden, true if it is not known which line made what. */
bool objectcell_no_lines(const TableSource *from);

/* Returns the snapshot that a table is about. */
const LmpSnapshot *objectcell_col_whole(const TableSource *from);
/* Columns of tables whose rows are about objects (TableSource.object): what the object retains; its
 * own bytes; how old it is; its name; the line that made it; what is in it. objectcell_col_class
 * sorts them by class. */
double objectcell_col_retained(const TableSource *from, uint32_t row);
double objectcell_col_size(const TableSource *from, uint32_t row);
double objectcell_col_class(const TableSource *from, uint32_t row);
void objectcell_col_age(const TableSource *from, uint32_t row, TableCell *cell);
void objectcell_col_name(const TableSource *from, uint32_t row, TableCell *cell);
void objectcell_col_site(const TableSource *from, uint32_t row, TableCell *cell);
void objectcell_col_preview(const TableSource *from, uint32_t row, TableCell *cell);
/* Gives the place of a row, for TablePanelDef.place. */
bool objectcell_col_place(const TableSource *from, uint32_t row, PanelPlace *out);

/* Writes "3 objects", "1 object"; returns out (LMP_NUM + 16). */
char *objectcell_objects(char *out, uint64_t count);

#endif
