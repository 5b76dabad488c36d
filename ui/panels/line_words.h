/* line_words.h - a line of the program in sentences: on its page, and below tables of lines where
 * there is room. */
#ifndef LMP_LINE_WORDS_H
#define LMP_LINE_WORDS_H

#include "widget/flow.h"
#include "widget/panel.h"

/* The verdicts on a line, and what to change. */
void line_verdicts(Flow *flow, const Model *model, const LmpSiteRow *row);
/* What it holds and has made, in one sentence. */
void line_holds(Flow *flow, const LmpSiteRow *row);

#endif
