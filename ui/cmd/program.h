/* program.h - what `lmp run` starts: which command, and the environment that makes its Lua states
 * load the profiler (launch.h). */
#ifndef LMP_PROGRAM_H
#define LMP_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/ownfd.h"

typedef struct Program {
    char **argv;      /* of the command; the array is owned, the words are the caller's */
    char path[4096];  /* of its file; "" when it was not found */
    const char *name; /* the word by which it was requested */
    bool script;      /* a Lua script, run with an interpreter of our choice */
} Program;

/* From the words after the options. A word that ends in .lua, or is "-", or names a file that is
 * not executable is a script (and is given to Lua 5.4), unless it is a command in PATH. False:
 * nothing can be run; *problem says why (a static or program-lifetime text). */
bool program_find(Program *program, int argc, char **argv, const char **problem);

/* Is it an interpreter whose option -E makes it ignore the environment? */
bool program_ignores_init(const Program *program);

/* A command that is itself an interpreter; without words, the one that scripts are given to.
 * Otherwise as program_find. */
bool program_find_interpreter(Program *program, int argc, char **argv, const char **problem);

/* Path of the Lua module next to this command: build tree or installed. False: *problem says why.
 */
bool program_find_module(char *out, size_t size, const char **problem);

/* Makes the states of what is started first call a function of the module, or if that cannot be
 * loaded, run `otherwise`: Lua code, in which `e` says why. False: no memory. */
bool program_set_init(const char *module, const char *entry, const char *otherwise);
/* Sets the environment for the program: options as in launch.h. False: no memory. */
bool program_set_environment(const char *module, const LmpOwnFd *socket, const char *options);

/* If the program is a script for another Lua interpreter (by its first line): the words with which
 * lua5.4 would run it; else "lua5.4 SCRIPT.lua". */
void program_hint(const Program *program, char *out, size_t size);

#endif
