/* closed_line.h - says why the program's end of the line closed without a message: the program
 * ends, has exec'd another one, or only closed a descriptor that it did not know. */
#ifndef LMP_CLOSED_LINE_H
#define LMP_CLOSED_LINE_H

#include <sys/types.h>

typedef enum ClosedLine {
    LINE_OF_DEAD, /* the process is dead or dying: its descriptors close some time before its end */
    LINE_OF_EXEC, /* the process lives without a trace of the profile: another program */
    LINE_OF_PROFILED, /* the process lives, and has the shared state as before */
} ClosedLine;

/* Says why the line is closed. `process`: a pidfd, -1: there is none; `state`: a descriptor of the
 * shared state. */
ClosedLine closed_line_why(pid_t pid, int process, int state);

#endif
