/* tags.h - tags: names of the user's (a request, a level, a plugin) to which memory is charged.
 *
 * A tag belongs to a coroutine. One that has set none has the tag that was in force where it was
 * created, so helpers and iterators of a tagged request are charged to it; the main thread begins
 * without. (When blocks are sampled it is mostly not known who created a coroutine; then it has the
 * tag of who resumed it when it is first met.) Only alloc contexts (lines) are tagged: without
 * lines there are no tags.
 *
 * The hook keeps LmpProfile.tag, the row of the running coroutine's tag, and asks tags_current()
 * when another one runs. Invariant: a row of the tag map belongs to a live coroutine: the hook
 * reports every thread that is freed. */
#ifndef LMP_TAGS_H
#define LMP_TAGS_H

#include "agent/state/profile.h"

enum { LMP_TAG_BYTES = 128 }; /* of a name, with its NUL; of longer ones the beginning counts */

/* Sets the tag of L, which runs, to `name` (NULL: none). Returns the name of its tag before, NULL:
 * none; the name stays good as long as the profile. Past LMP_TAGS rows names fall into "(others)".
 * When there is no memory for the name nothing changes. The caller tells the hook
 * (lines_tag_changed). */
const char *tags_set(LmpProfile *p, const lua_State *L, const char *name);

/* Returns the row of a coroutine's tag, 0: none. Only when p->tags is set: a tag was used at
 * all. */
uint32_t tags_current(LmpProfile *p, const lua_State *L);

/* Call when the memory of a coroutine is freed. */
void tags_thread_gone(LmpProfile *p, const lua_State *L);

void tags_close(LmpProfile *p);

#endif
