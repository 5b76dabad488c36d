/* proof.h - who holds what the line of a sentence has made, as a snapshot shows it. */
#ifndef LMP_PROOF_H
#define LMP_PROOF_H

#include "widget/panel.h"

/* The group of what `line` ("cache.lua:12") has made; NULL: nothing of it is alive, or no memory.
 * Valid while `heap` is open. */
const LmpHeapGroup *proof_group(OpenedHeap *heap, const char *line);
/* Who holds the things of `group`. False: nobody does, or no memory; *out is then as it was. */
bool proof_make(OpenedHeap *heap, const LmpHeapGroup *group, uint32_t site, UiProof *out);
/* Keeps it, in the place of what was known of the same line. */
void proof_keep(Ui *ui, const UiProof *proof);

#endif
