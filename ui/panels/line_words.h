/* line_words.h - describes a line of the program in sentences: on its page, and below tables of
 * lines if there is room. */
#ifndef LMP_LINE_WORDS_H
#define LMP_LINE_WORDS_H

#include "widget/flow.h"
#include "widget/panel.h"

/* Draws the verdicts on a line, with their advice. */
void line_verdicts(Flow *flow, const Model *model, const LmpSiteRow *row);
/* Draws what the line holds and has made, in one sentence. */
void line_holds(Flow *flow, const LmpSiteRow *row);

#endif
