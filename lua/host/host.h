/* host.h - what liblmp (liblmp.c) finds in the module (host.c): the functions of lmp.h, each with
 * room for the text of lmp_why as one more argument. */
#ifndef LMP_HOST_H
#define LMP_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "host/lmp.h"

enum {
    LMP_HOST_TABLE = 1, /* another number: another order */
    LMP_WHY = 1500      /* bytes of such a text */
};
#define LMP_HOST_SYMBOL "lmp_host"

/* What is added is added at the end: a library takes a module whose table is not shorter than the
 * one that it knows. */
typedef struct LmpHostTable {
    uint32_t table; /* LMP_HOST_TABLE */
    uint32_t size;  /* bytes */
    int lua;        /* LUA_VERSION_NUM */
    int (*start)(struct lua_State *L, const char *options, char *why);
    int (*running)(struct lua_State *L);
    int (*offer)(struct lua_State *L, char *why);
    int (*stop)(struct lua_State *L, lmp_Figures *last, char *why);
    int (*figures)(struct lua_State *L, lmp_Figures *out, char *why);
    int (*lines)(struct lua_State *L, lmp_Line out[], size_t *n, char *why);
    int (*frame)(struct lua_State *L, const char *name, lmp_Frame *out, char *why);
    int (*tag)(struct lua_State *L, const char *name, const char **before, char *why);
    int (*mark)(struct lua_State *L, const char *name, char *why);
    int (*limit)(struct lua_State *L, uint64_t bytes, lmp_Reached *reached, void *ud, char *why);
    int (*snapshot)(struct lua_State *L, const char *file, int how, char *why);
    int (*record)(struct lua_State *L, const char *file, char *why);
} LmpHostTable;

#endif
