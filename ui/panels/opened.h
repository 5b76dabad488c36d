/* opened.h - the panels of this room that other panels of this room open. */
#ifndef LMP_OPENED_H
#define LMP_OPENED_H

#include "widget/panel.h"

extern const Panel panel_blocks, panel_function, panel_tag;

#endif
