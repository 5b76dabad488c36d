/* proof.h - proves from a snapshot who holds what a verdict's line has made. */
#ifndef LMP_SNAPSHOT_PROOF_H
#define LMP_SNAPSHOT_PROOF_H

#include "widget/panel.h"

/* Returns the group of what `line` ("cache.lua:12") has made; NULL: nothing of that is alive, or no
 * memory. Valid while `heap` is open. */
const LmpObjectGroup *proof_group(OpenedSnapshot *heap, const char *line);
/* Finds who holds the things of `group`, for `wish`. Returns false if nobody does, if no single
 * holder retains half of what the verdict says is kept (then another one keeps the same things, or
 * this is not what grows), or without memory; *out is then as it was. */
bool proof_make(OpenedSnapshot *heap, const LmpObjectGroup *group, const UiWish *wish,
                UiProof *out);
/* Keeps the proof, in place of one about the same line. */
void proof_keep(Ui *ui, const UiProof *proof);

#endif
