/* tree.h - call paths (stacks): for each block the way from the outermost caller to the frame that
 * asked for it, as a node of the tree in the tables, and with its record as a path.
 *
 * Frames are read where frames.h says they are, so paths are kept only where frames_known(). Every
 * frame that was walked is marked in the interpreter's own CallInfo (LMP_CI_SEEN): a new call
 * overwrites the mark, so what is below a marked frame is as it was, and only new frames cost. */
#ifndef LMP_TREE_H
#define LMP_TREE_H

#include "agent/state/profile.h"

/* Makes what paths need; sites are open. NOMEM: no memory for it. */
LmpErr tree_open(LmpProfile *p);
/* Marks in the frames of living threads stay: nothing else reads that bit, and the next call in
 * the same CallInfo overwrites it. */
void tree_close(LmpProfile *p);

/* Returns the row in paths for a block that thread L asks for now and that is counted in `record`
 * (> 0). pc, if not 0, stands for the saved pc of the topmost frame when that is a Lua function's
 * (table constructors). L NULL: no thread is known, the path has one node, the pseudo-site of the
 * record or "(unknown)". The path's record is `record`, whatever table is full; its node is row 1
 * if no other could be made. */
uint32_t tree_path(LmpProfile *p, lua_State *L, uintptr_t pc, uint32_t record);

/* Returns the same where no thread is known. */
uint32_t tree_outside_path(LmpProfile *p, uint32_t record);

/* Call when a thread's memory is freed: forget its frames. Must be called for every thread that was
 * asked about (may be for others), before the next tree_path. */
void tree_thread_gone(LmpProfile *p, const lua_State *L);
/* Call when code that lines_frame_site was asked about is freed, before the next tree_path: the
 * next code at its addresses is not the same. */
void tree_code_gone(LmpProfile *p, uintptr_t addr, size_t size);

#endif
