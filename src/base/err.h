/* err.h - the one table of errors: code, short name, message.
 *
 * Every fallible C function of lmp returns an LmpErr and gives its results by pointer. Lua sees
 * `nil, message, name`. Only ui/ prints messages or exits. */
#ifndef LMP_ERR_H
#define LMP_ERR_H

/* X(code, name, message). Numbers stay (lua/host/lmp.h): a new one comes last. Messages finish the
 * sentence "lmp: ..." and say what to do. */
#define LMP_ERR_TABLE(X)                                                                           \
    X(LMP_OK, "OK", "no error")                                                                    \
    X(LMP_E_NOMEM, "NOMEM", "no memory for the profiler's own state (a resource limit?)")          \
    X(LMP_E_INVAL, "INVAL",                                                                        \
      "the system maps no memory as lmp needs it (pages larger than 64 KiB?)")                     \
    X(LMP_E_MEMFD, "MEMFD", "cannot create the shared state (a limit of files or their size?)")    \
    X(LMP_E_FOREIGN, "FOREIGN", "this is not the shared state of a profiled program")              \
    X(LMP_E_VERSION, "VERSION", "the shared state was written by another version of lmp")          \
    X(LMP_E_DAMAGED, "DAMAGED", "the shared state is damaged")                                     \
    X(LMP_E_PERM, "PERM", "not permitted (the process belongs to another user?)")                  \
    X(LMP_E_NOPROC, "NOPROC", "there is no such profiled process")                                 \
    X(LMP_E_NOTTY, "NOTTY", "there is no terminal to show the display in")                         \
    X(LMP_E_NOVIEWER, "NOVIEWER", "the command lmp was not found (set LMP_COMMAND to its path)")   \
    X(LMP_E_VIEWER, "VIEWER", "the display could not start")                                       \
    X(LMP_E_PTY, "PTY", "cannot open a pseudo terminal for the program's output")                  \
    X(LMP_E_STARTED, "STARTED", "the profiler is already running in this state")                   \
    X(LMP_E_NOTSTARTED, "NOTSTARTED", "the profiler is not running in this state")                 \
    X(LMP_E_CLOSED, "CLOSED", "the Lua state is being closed")                                     \
    X(LMP_E_WRAPPED, "WRAPPED", "another allocator was put over the profiler's")                   \
    X(LMP_E_SECURE, "SECURE",                                                                      \
      "no display for a program with other rights than who started it (setuid)")                   \
    X(LMP_E_NOLINES, "NOLINES", "who made what is not kept")                                       \
    X(LMP_E_NOSTACKS, "NOSTACKS", "call paths are not kept")                                       \
    X(LMP_E_NOSAMPLE, "NOSAMPLE", "every block is accounted for, not samples")                     \
    X(LMP_E_NOCOUNTS, "NOCOUNTS", "calls, instructions or overrides are not counted")              \
    X(LMP_E_FILE, "FILE", "cannot write the file")                                                 \
    X(LMP_E_LAYOUT, "LAYOUT",                                                                      \
      "this interpreter does not keep its objects as other builds of Lua do: no snapshots")        \
    X(LMP_E_BUSY, "BUSY", "another snapshot is being written")                                     \
    X(LMP_E_CHILD, "CHILD", "the process that was writing the snapshot was killed, or crashed")    \
    X(LMP_E_STOPPED, "STOPPED", "it was stopped")                                                  \
    X(LMP_E_OPTION, "OPTION", "an option is not known, or its value does not fit")                 \
    X(LMP_E_NOMODULE, "NOMODULE", "the module luamemprofiler cannot be loaded")                    \
    X(LMP_E_THREAD, "THREAD",                                                                      \
      "this thread of the Lua state cannot run: it is suspended, or an error has ended it")        \
    X(LMP_E_RAISED, "RAISED", "an error of Lua was raised")

typedef enum LmpErr {
#define LMP_ERR_ENUM(code, name, message) code,
    LMP_ERR_TABLE(LMP_ERR_ENUM)
#undef LMP_ERR_ENUM
        LMP_ERRS
} LmpErr;

/* Returns the short name ("NOMEM") and the message of an error; never NULL, also for a foreign
 * code. */
const char *err_name(LmpErr err);
const char *err_message(LmpErr err);
/* Returns why a file could not be put in its place, in words: the system's error. */
const char *err_of_file(int error);

#endif
