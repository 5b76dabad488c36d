/* ownhooks.h - debug hooks of the program's own, where ours counts calls: it stands in their place
 * and calls them for what they have asked for.
 *
 * Lua has one hook for each thread. So while calls are counted, debug.sethook and debug.gethook of
 * the profiled state are functions of ours, which call the library's own and then look at what it
 * did: what the program sets is noted here, and what it asks for is answered as if we were not
 * there. C code that calls lua_sethook itself takes our place, and keeps it: calls.c notices. */
#ifndef LMP_OWNHOOKS_H
#define LMP_OWNHOOKS_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

enum { LMP_OWN_HOOKS = 256 };

/* The program's hook of a thread. */
typedef struct LmpOwnHook {
    lua_State *L;
    lua_Hook hook;
    int mask, count;
    int left; /* instructions until its next count event, where every one is told */
} LmpOwnHook;

typedef struct LmpOwnHooks {
    uint32_t n;
    bool asking; /* debug.gethook is being answered: ours is not in place */
    LmpOwnHook of[LMP_OWN_HOOKS];
} LmpOwnHooks;

/* Returns that of a thread; NULL: it has none. */
LmpOwnHook *ownhooks_find(LmpOwnHooks *hooks, const lua_State *L);
/* Notes it. Returns false if there are too many. */
bool ownhooks_note(LmpOwnHooks *hooks, const LmpOwnHook *one);
/* Forgets the hook of a thread that has none any more, or is gone. */
void ownhooks_drop(LmpOwnHooks *hooks, const lua_State *L);
/* Ours has been called: so is the program's, if it is for that. `each`: every instruction is told.
 * May not return. */
void ownhooks_pass(LmpOwnHook *own, lua_State *L, lua_Debug *ar, bool each);

/* Puts our functions in place of debug.sethook and debug.gethook; and takes them away, where they
 * are still there. `changed` and `asked` are called in them: after the hook of a thread was set;
 * before (true) and after (false) it is asked for. Call it with three free slots on the stack. */
typedef struct LmpHookWatch {
    void (*changed)(lua_State *L, lua_State *of);
    void (*asked)(lua_State *L, lua_State *of, bool before);
} LmpHookWatch;
void ownhooks_watch(lua_State *L, const LmpHookWatch *watch);
void ownhooks_unwatch(lua_State *L);

#endif
