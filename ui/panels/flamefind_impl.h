/* flamefind_impl.h - the insides of flamefind.h: hits of the graph (flamefind.c), and of the
 * inverted one (flamecallers.c). */
#ifndef LMP_FLAMEFIND_IMPL_H
#define LMP_FLAMEFIND_IMPL_H

#include "panels/flamefind.h"

/* Appends a run; `inside`: how many of it are in the frame that is zoomed to. False: no memory. */
bool flamefind_add(FlameFind *find, FlameRun run, uint32_t inside);

/* Counts hits, and lists what has been counted: the runs of it. */
bool flamecallers_find(FlameFind *find, const FlameTree *tree, uint32_t zoom);
bool flamecallers_list(FlameFind *find, const FlameTree *tree);
void flamecallers_free(FlameCallers *callers);

#endif
