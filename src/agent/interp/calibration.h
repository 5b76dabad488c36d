/* calibration.h - the scenes played in a private Lua state to learn which call sites in the
 * interpreter request memory: every raw request in a scene belongs to one class of owner. owner.c
 * learns the owners from them, saved_regs.c where the requesting thread is kept. */
#ifndef LMP_CALIBRATION_H
#define LMP_CALIBRATION_H

#include <lua.h>
#include <stdint.h>

typedef struct LmpScene {
    lua_CFunction play; /* upvalue 1: what calibration_prepare left */
    uint8_t cls;        /* LmpClass */
} LmpScene;

enum { LMP_CALIBRATION_SCENES = 5 };
/* The order matters: a request in a later scene keeps the owner that an earlier scene gave it. */
extern const LmpScene scenes[LMP_CALIBRATION_SCENES];

/* A C function that calls itself as often as its argument says: frames. */
int calibration_nest(lua_State *L);

/* A C function: makes what the scenes need as upvalue, its result. Call before noting. */
int calibration_prepare(lua_State *L);

#endif
