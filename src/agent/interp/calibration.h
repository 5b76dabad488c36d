/* calibration.h - what a private Lua state is led through so that the places in the interpreter's
 * code that ask for memory can be watched: every raw request in a scene belongs to one class of
 * owner. owner.c learns the owners by it, saved_regs.c where the asking thread stands. */
#ifndef LMP_CALIBRATION_H
#define LMP_CALIBRATION_H

#include <lua.h>
#include <stdint.h>

typedef struct LmpScene {
    lua_CFunction play; /* upvalue 1: what calibration_prepare left */
    uint8_t cls;        /* LmpClass */
} LmpScene;

enum { LMP_CALIBRATION_SCENES = 5 };
/* In this order: a request inside a later scene that an earlier one explains keeps its owner. */
extern const LmpScene scenes[LMP_CALIBRATION_SCENES];

/* A C function that calls itself as often as its argument says: frames. */
int calibration_nest(lua_State *L);

/* A C function: makes what the scenes need as upvalue, its result. To be called before noting. */
int calibration_prepare(lua_State *L);

#endif
