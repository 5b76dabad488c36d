/* calibration.h - exercises for a private Lua state, to learn which call sites in the interpreter
 * request memory: every raw request during one exercise belongs to one class of owner. owner.c
 * learns the owners from them, saved_regs.c where the requesting thread is kept. */
#ifndef LMP_CALIBRATION_H
#define LMP_CALIBRATION_H

#include <lua.h>
#include <stdint.h>

typedef struct LmpExercise {
    lua_CFunction play; /* upvalue 1: what calibration_prepare left */
    uint8_t cls;        /* LmpClass */
} LmpExercise;

enum { LMP_CALIBRATION_EXERCISES = 5 };
/* The order matters: a request in a later exercise keeps the owner that an earlier exercise gave
 * it. */
extern const LmpExercise calibration_exercises[LMP_CALIBRATION_EXERCISES];

/* Is a C function that calls itself as often as its argument says: frames. */
int calibration_nest(lua_State *L);

/* Is a C function that opens libraries and makes what the exercises need as upvalue, its only
 * result. Call before noting. */
int calibration_prepare(lua_State *L);

#endif
