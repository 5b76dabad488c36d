/* attach.h - what the command lmp writes into a program that it attaches to, for the code that it
 * puts there (ui/attach/stub.c) and for the module that this code loads (lua/attach.c).
 *
 * It is in memory of the program that was mapped for it. Addresses are the program's. The command
 * fills all of it before the first hook of a state is set, but for what is said to be written by
 * others. */
#ifndef LMP_SHARED_ATTACH_H
#define LMP_SHARED_ATTACH_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define LMP_ATTACH_ENTRY "lmp_attach_enter" /* of the module: void (lua_State *, LmpAttach *) */
#define LMP_ATTACH_MAGIC 0x5443415f504d4cull

enum { LMP_ATTACH_STATES = 64, LMP_ATTACH_GLOBALS = 32 };

/* A thread of Lua that may run next, and the program's own debug hook of it (written by the stub).
 */
typedef struct LmpAttachState {
    uint64_t L, hook;
    int32_t mask, count;
} LmpAttachState;

/* What has become of it, in one Lua state (written by the module). */
typedef struct LmpAttachGlobal {
    uint64_t main;          /* the main thread; 0: not used */
    _Atomic uint32_t state; /* LmpAttached */
    uint32_t serial;        /* of the profile */
} LmpAttachGlobal;

typedef enum LmpAttached {
    LMP_ATTACH_WAITS,
    LMP_ATTACH_DONE,
    LMP_ATTACH_REFUSED /* `why` says why */
} LmpAttached;

typedef struct LmpAttach {
    uint64_t dlopen, dlsym, dlerror;                      /* of the C library */
    uint64_t sethook, gethook, gethookmask, gethookcount; /* of Lua */
    uint64_t hook;                                        /* of the stub: a lua_Hook */
    uint64_t error;        /* text of what the loader has refused, 0: nothing (by the stub) */
    _Atomic uint32_t set;  /* 1: the hooks are set (by the stub) */
    _Atomic uint32_t over; /* 1: nobody waits any more; hooks that are called do nothing */
    uint32_t states;       /* of `of`: the hooks of these are to be set, */
    uint32_t known;        /* and those of these have been, now or by an earlier command */
    LmpAttachState of[LMP_ATTACH_STATES];
    LmpAttachGlobal global[LMP_ATTACH_GLOBALS];
    uint32_t globals;
    _Atomic uint32_t began_us; /* in which profiles began, microseconds (by the module) */
    uint64_t magic;
    char module[1024];
    char entry[32];
    char lua[1024]; /* the library with Lua, whose functions the module is to find; "": the program
                     */
    char options[1280]; /* as in LMP_RUN (launch.h), but without the socket; "": stop */
    char why[512];      /* by the module */
} LmpAttach;

#define LMP_ATTACH_BYTES (16u << 10) /* mapped for it */
_Static_assert(sizeof(LmpAttach) <= LMP_ATTACH_BYTES, "room");

#endif
