/* panels.h - every panel there is: the one list of them. Who opens a panel from a file of its own
 * room finds that panel's name there (panels/opened.h, snapshot/snapshot_pages.h). */
#ifndef LMP_APP_PANELS_H
#define LMP_APP_PANELS_H

#include "screen/screenplan.h"
#include "widget/panel.h"

/* Panels come in two sets, of which one is on the screen: those of the running program, and those
 * of the heap snapshot that is open. */
typedef enum PanelSet { SET_LIVE = 1, SET_SNAPSHOT = 2, SET_BOTH = 3 } PanelSet;

/* Every panel, in tab order: X(panel, set, slot, home). `home` panels take part in tab; something
 * else opens the others. Slot SLOTS: over the whole body. */
#define PANEL_TABLE(X)                                                                             \
    X(panel_heapmap, SET_LIVE, SLOT_MAP, true)                                                     \
    X(panel_types, SET_LIVE, SLOT_TYPES, true)                                                     \
    X(panel_timeline, SET_LIVE, SLOT_TIMELINE, true)                                               \
    X(panel_output, SET_LIVE, SLOT_BOTTOM, true)                                                   \
    X(panel_inspector, SET_LIVE, SLOT_BOTTOM, true)                                                \
    X(panel_sites, SET_LIVE, SLOT_BOTTOM, true)                                                    \
    X(panel_functions, SET_LIVE, SLOT_BOTTOM, true)                                                \
    X(panel_tree, SET_LIVE, SLOT_BOTTOM, true)                                                     \
    X(panel_leaks, SET_LIVE, SLOT_BOTTOM, true)                                                    \
    X(panel_tags, SET_LIVE, SLOT_BOTTOM, true)                                                     \
    X(panel_process, SET_LIVE, SLOT_BOTTOM, true)                                                  \
    X(panel_site, SET_LIVE, SLOTS, false)                                                          \
    X(panel_function, SET_LIVE, SLOT_BOTTOM, false)                                                \
    X(panel_tag, SET_LIVE, SLOT_BOTTOM, false)                                                     \
    X(panel_breaks, SET_LIVE, SLOT_BOTTOM, false)                                                  \
    X(panel_marks, SET_LIVE, SLOT_BOTTOM, false)                                                   \
    X(panel_programs, SET_LIVE, SLOT_BOTTOM, false)                                                \
    X(panel_flame, SET_LIVE, SLOTS, false)                                                         \
    X(panel_blocks, SET_LIVE, SLOT_BOTTOM, false)                                                  \
    X(panel_columns, SET_BOTH, SLOT_BOTTOM, false)                                                 \
    X(panel_settings, SET_BOTH, SLOT_BOTTOM, false)                                                \
    X(panel_held, SET_SNAPSHOT, SLOTS, true)                                                       \
    X(panel_objects, SET_SNAPSHOT, SLOTS, true)                                                    \
    X(panel_dominators, SET_SNAPSHOT, SLOTS, true)                                                 \
    X(panel_treemap, SET_SNAPSHOT, SLOTS, true)                                                    \
    X(panel_suspects, SET_SNAPSHOT, SLOTS, true)                                                   \
    X(panel_compare, SET_SNAPSHOT, SLOTS, true)                                                    \
    X(panel_members, SET_SNAPSHOT, SLOTS, false)                                                   \
    X(panel_object, SET_SNAPSHOT, SLOTS, false)                                                    \
    X(panel_why, SET_SNAPSHOT, SLOTS, false)                                                       \
    X(panel_help, SET_BOTH, SLOTS, false)

#define PANEL_EXTERN(panel, set, slot, home) extern const Panel panel;
PANEL_TABLE(PANEL_EXTERN)
#undef PANEL_EXTERN

#endif
