/* flamefind_impl.h - the inside of flamefind.h: hits of the graph (flamefind.c), and of the
 * inverted one (flamecallers.c). */
#ifndef LMP_FLAMEFIND_IMPL_H
#define LMP_FLAMEFIND_IMPL_H

#include "panels/flame/flamefind.h"

/* Appends a run; `inside`: how many of its hits are in the frame that is zoomed to. Returns false:
 * no memory. */
bool flamefind_add(FlameFind *find, FlameRun run, uint32_t inside);

/* Counts hits; then lists the counted ones as runs. */
bool flamecallers_find(FlameFind *find, const FlameTree *tree, uint32_t zoom);
bool flamecallers_list(FlameFind *find, const FlameTree *tree);
void flamecallers_free(FlameCallers *callers);

#endif
