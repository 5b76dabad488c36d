/* options.h - what a profile is started with. lua/options.c reads it from a script or from `lmp
 * run`.
 */
#ifndef LMP_OPTIONS_H
#define LMP_OPTIONS_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct LmpOptions {
    bool live;            /* show the display in this terminal */
    bool hold;            /* wait for q at its end */
    double fps;           /* repaints a second */
    const char *summary;  /* at the end: "" none, "-" standard error, else a file to write */
    const char *name;     /* shown in place of the script's name; NULL: that */
    int run_socket;       /* to `lmp run`, which prints the summary then; -1: none */
    bool lines;           /* charge every block to the line that asked for it */
    bool stacks;          /* and to its whole call path: has lines, whatever `lines` says */
    unsigned counts;      /* LMP_COUNTS_ bits: has lines, too */
    uint64_t sample;      /* account for one block in so many bytes, on average; 0: for every one */
    uint32_t top;         /* rows of the summary's tables */
    const char *snapshot; /* of the heap, at the end: its file; NULL: none */
    bool snapshot_child;  /* the process is a child of the program that was meant */
    const char *record;   /* its file; "": a name is chosen; NULL: not recorded */
    /* Starts the profile of a forked child, between two of its instructions; NULL: none is. */
    void (*again)(lua_State *L);
    bool attached;      /* the program ran before: what lives already is entered, too */
    const char *breaks; /* conditions for snapshots, one a line (others are the display's); NULL */
} LmpOptions;

#endif
