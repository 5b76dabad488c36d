/* snapshot_pages.h - opens the pages over a snapshot: of an object, of a list of some, of why they
 * are alive. */
#ifndef LMP_SNAPSHOT_SNAPSHOT_PAGES_H
#define LMP_SNAPSHOT_SNAPSHOT_PAGES_H

#include "widget/panel.h"

extern const Panel panel_members, panel_object, panel_why;

/* Open the page of an object, of members, of who holds one, and of who holds members. `heap` is the
 * one that is open; `member` stays the caller's, and must not change while the page is open. */
void ui_open_object(Ui *ui, uint32_t object);
void ui_open_members(Ui *ui, const OpenedSnapshot *heap, const uint32_t *member, uint32_t count,
                     const char *name);
void ui_open_why(Ui *ui, const OpenedSnapshot *heap, uint32_t object);
void ui_open_why_of(Ui *ui, const OpenedSnapshot *heap, const uint32_t *member, uint32_t count,
                    const char *name);

#endif
