/* program.h - what `lmp run` starts: which command, the environment that makes its Lua states load
 * the profiler (launch.h), and inherited state that lmp changes for itself and restores for the
 * programs that it starts: standard streams that are closed, signals that are ignored. */
#ifndef LMP_PROGRAM_H
#define LMP_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/own.h"
#include "shared/launch.h"

typedef struct Program {
    char **argv;      /* of the command; the array is owned, the words are the caller's */
    char path[4096];  /* of the command's file; "" when none was found */
    const char *name; /* the word by which it was requested */
    bool script;      /* a Lua script, run with an interpreter of our choice */
} Program;

/* Files of one Lua module, by Lua's version (LMP_LUA_LIST); "": there is none. */
typedef struct ProgramModules {
    char path[LMP_LUAS][4096];
} ProgramModules;

/* Finds the command from the words after the options. A word that ends in .lua, or is "-", or names
 * a file that is not executable is a script (and is given to Lua 5.4, or to 5.5), unless it is a
 * command in PATH. Returns false if nothing can be run; *problem says why (static text). */
bool program_find(Program *program, int argc, char **argv, const char **problem);

/* Returns true for an interpreter whose option -E makes it ignore the environment. */
bool program_ignores_init(const Program *program);

/* Finds a command that is itself an interpreter; without words, the one that scripts are given to.
 * Otherwise like program_find. */
bool program_find_interpreter(Program *program, int argc, char **argv, const char **problem);

/* Finds the Lua modules `file` next to this command: build tree or installed. Returns false if
 * there is none; *problem says why, until the next call. */
bool program_find_modules(const char *file, ProgramModules *out, const char **problem);
/* Returns "Lua 5.4 or 5.5": the versions that there are modules for; until the next call. */
const char *program_luas(const ProgramModules *modules);

/* Makes the states of the program that is started first call a function of their module; if that
 * cannot be loaded, they run `otherwise`: Lua code, in which `e` says why. Returns false: no
 * memory. */
bool program_set_init(const ProgramModules *modules, const char *entry, const char *otherwise);
/* Sets the environment for the program: options as in launch.h. Returns false: no memory. */
bool program_set_environment(const ProgramModules *modules, const LmpOwnFd *socket,
                             const char *options);

/* Has the program, unless it is an interpreter, and what it starts load liblmp-preload.so: programs
 * with Lua inside look at no LUA_INIT. Not where that library is not beside this command, nor where
 * a sanitizer, which must be loaded first, is in the program. Returns false: no memory. */
bool program_set_preload(const Program *program);

/* Sets a variable of the environment; NULL: removes it. Returns false: no memory. */
bool program_setenv(const char *name, const char *value);

/* Writes, if the program is a script for another Lua interpreter (by its first line), the words
 * with which lua5.4 would run it; else "lua5.4 SCRIPT.lua". */
void program_hint(const Program *program, char *out, size_t size);

/* Call first in main(). */
void program_take_inherited(void);
/* Call in a child, before exec. */
void program_give_back_inherited(void);

#endif
