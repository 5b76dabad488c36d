/* launch.h - what the module in the profiled program and the command lmp say to each other when
 * one starts the other.
 *
 * 1. The display of `lmp.start(true)`. The module runs
 *        lmp display [OPTIONS]
 *    with these descriptors open and no other but its standard ones:
 *        LMP_FD_STATE   the shared state
 *        LMP_FD_MASTER  master side of the pseudo terminal that the program now writes to in place
 *                       of the terminal (not open when none of its streams was the terminal)
 *        LMP_FD_LINE    a SOCK_SEQPACKET socket to the module: the messages below, a byte each
 *        LMP_FD_TTY     the terminal to show the display in
 *        LMP_FD_HOLD    under `lmp run`: write end of a pipe to hold open while the terminal is in
 *                       use (the read end went to `lmp run`, see below), and to write to: a newline
 *                       if the program's output did not end with one, a 'D' when all is done but
 *                       the summary; else not open
 *        LMP_FD_SPOOL   memory file for the program's output, and for what the display leaves to
 *                       its survivors (spool.h, relay_state.h); with it
 *        LMP_FD_DISK    its part on the disk (not open where there is no place for one), and
 *        LMP_FD_OUT, LMP_FD_IN   the pipe on the way to it
 *    That process, the relay, double forks so that the program does not see it as a child, owns
 *    the terminal and the program's output until the program has ended, and runs the viewer as a
 *    child of its own: a viewer that crashes takes nothing with it.
 *
 * 2. `lmp run`. The command starts the program with
 *        LUA_INIT_5_4   package.loadlib(MODULE, "luaopen_luamemprofiler_run")(): the same of each
 *                       other version of Lua, with its module, if there is one
 *        LMP_USER_INIT_5_4   the user's own LUA_INIT_5_4 or LUA_INIT (unset when there is none),
 *                       run afterwards just as the interpreter would have; again of each version
 *        LMP_RUN        "FD:DEVICE:INODE OPTIONS": number of an inherited SOCK_SEQPACKET socket to
 *                       `lmp run`, which file it is (a descendant may have closed it and opened
 *                       another: then this variable says nothing), and the options of lmp.start as
 * text (start_options.h), and `follow` and each profiled state sends an LmpHandshake there with one
 * descriptor. `lmp run` prints the summaries: it alone is left when a program is killed. */
#ifndef LMP_LAUNCH_H
#define LMP_LAUNCH_H

#include <stdint.h>

enum {
    LMP_FD_STATE = 3,
    LMP_FD_MASTER = 4,
    LMP_FD_LINE = 5,
    LMP_FD_TTY = 6,
    LMP_FD_HOLD = 7,
    LMP_FD_SPOOL = 8,
    LMP_FD_DISK = 9,
    LMP_FD_OUT = 10,
    LMP_FD_IN = 11,
    LMP_FD_END /* one more than the last */
};

/* Bytes on LMP_FD_LINE. */
#define LMP_SAY_KEPT                                                                               \
    'K' /* `lmp run`, before there is a relay: it has all that LMP_HANDSHAKE_DISPLAY brings; or    \
           LMP_SAY_FAILED: too few descriptors */
#define LMP_SAY_READY 'R'  /* relay: the display is up, the program may go on */
#define LMP_SAY_FAILED 'F' /* relay: there will be no display; the streams go back */
#define LMP_SAY_END 'E'    /* module: state is FINISHED, our streams are the terminal again */
#define LMP_SAY_LAST                                                                               \
    'L' /* module, under `lmp run`: state is FINISHED, the program is about to end                 \
           and waits for nothing; its streams stay, its end is the line's */
#define LMP_SAY_DONE 'D' /* relay: display gone, output and summary written; the last word */

#define LMP_ENV_RUN "LMP_RUN"
#define LMP_ENV_START "LMP_START" /* options, for liblmp-preload.so (lua/host/preload.c) */
#define LMP_ENV_INIT "LUA_INIT_"  /* with 5_4 ... behind it; so, too: */
#define LMP_ENV_USER_INIT "LMP_USER_INIT_"
#define LMP_ENV_COMMAND "LMP_COMMAND"   /* path of the command lmp, where it cannot be found */
#define LMP_ENV_SUMMARY "LMP_SUMMARY"   /* where to, should `lmp run` be killed: as --summary= */
#define LMP_ENV_RECORD "LMP_RECORD"     /* set: `lmp run` records, unless it is killed too early */
#define LMP_ENV_BREAKS "LMP_BREAKS"     /* break conditions to begin with, one a line */
#define LMP_ENV_SNAPSHOT "LMP_SNAPSHOT" /* file for a snapshot of the heap at the end */
#define LMP_ENV_SNAPSHOT_PID                                                                       \
    "LMP_SNAPSHOT_PID" /* the process that it is meant for; others add their pid */
/* The versions of Lua that there are modules for, if they were built. */
enum { LMP_LUAS = 2 };
#define LMP_LUA_LIST                                                                               \
    { "5.4", "5.5" }
#define LMP_MODULE_FILE "luamemprofiler.so"
#define LMP_RUN_ENTRY "luaopen_luamemprofiler_run"

/* `lmp doctor` starts the interpreter in the same way, with a module of its own
 * (src/agent/doctor/doctor.c).
 */
#define LMP_DOCTOR_FILE "luamemprofiler_doctor.so"
#define LMP_DOCTOR_ENTRY "luaopen_luamemprofiler_doctor"
#define LMP_ENV_DOCTOR "LMP_DOCTOR"                 /* "FD from=N": the pipe, the first job to do */
#define LMP_ENV_DOCTOR_ONLY "LMP_DOCTOR_ONLY"       /* programs, separated by commas */
#define LMP_ENV_DOCTOR_MODES "LMP_DOCTOR_MODES"     /* modes, the same */
#define LMP_ENV_DOCTOR_PROGRAM "LMP_DOCTOR_PROGRAM" /* a file to play in place of all programs */
#define LMP_ENV_DOCTOR_PLANT "LMP_DOCTOR_PLANT"     /* for tests: what to get wrong on purpose */

/* What both take of the options. */
#define LMP_SAMPLE_MIN 1024u /* bytes; 0: every block */
#define LMP_SAMPLE_MAX (1ull << 40)
#define LMP_TOP_MAX 1000 /* rows of a table in the summary */
#define LMP_TOP_DEFAULT 10

enum {
    LMP_HANDSHAKE_STATE = 1, /* with the shared state; answered by one byte, LMP_LIVE_YES or _NO */
    LMP_HANDSHAKE_DISPLAY = 2, /* before the relay is started, with all that it gets, too
                              (LMP_FD_STATE and so on, in this order, those in `fds`), but with the
                              read end of the pipe, whose end tells that relay and viewer are done
                              or dead; answered on LMP_FD_LINE, LMP_SAY_KEPT */
    LMP_HANDSHAKE_FORKED = 4,  /* as STATE, of a forked child: never shows the display, and is not
                                  answered */
    LMP_HANDSHAKE_REFUSED = 3  /* a state that runs unprofiled, and has said why; not answered */
};
#define LMP_HANDSHAKE_FDS 9 /* most that come along */
#define LMP_HANDSHAKE_MAGIC 0x4f4c4548504d4cull
#define LMP_LIVE_YES 'L' /* this state may show the display (if its options say so) */
#define LMP_LIVE_NO '-'

typedef struct LmpHandshake {
    uint64_t magic;
    uint32_t what; /* LMP_HANDSHAKE_... */
    uint32_t pid, serial;
    uint32_t fds; /* LMP_HANDSHAKE_DISPLAY: bit N: LMP_FD_N comes along */
} LmpHandshake;

#endif
