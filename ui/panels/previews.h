/* previews.h - the contents of strings that a panel shows: asks the program, and keeps its last
 * answer. */
#ifndef LMP_PREVIEWS_H
#define LMP_PREVIEWS_H

#include "widget/panel.h"

typedef struct Previews {
    uint64_t asked[LMP_PREVIEWS]; /* the last request */
    uint32_t asked_count;
    uint64_t asked_at;                /* clock of its frame */
    LmpPreview preview[LMP_PREVIEWS]; /* the last answer */
    uint32_t count;
} Previews;

/* Takes what the program has answered. Call with a fresh model while the panel is on the screen. */
void previews_take(Previews *previews, const Model *model);
/* Requests the contents of these strings (addresses, at most LMP_PREVIEWS): at once if they are
 * new, else now and then. */
void previews_ask(Previews *previews, const Model *model, Ui *ui, const uint64_t *addr,
                  uint32_t count);
/* Returns a string's contents; NULL: not known. */
const LmpPreview *previews_of(const Previews *previews, uint64_t addr);

#endif
