/* closed_line.h - the program's end of the line closed without a message: is the program ending,
 * has it exec'd another one, or did it only close a descriptor that it did not know? */
#ifndef LMP_CLOSED_LINE_H
#define LMP_CLOSED_LINE_H

#include <sys/types.h>

typedef enum ClosedLine {
    LINE_OF_DEAD,     /* the process is dead or dying: its descriptors close some time before it */
    LINE_OF_EXEC,     /* it lives and has no trace of the profile any more: another program */
    LINE_OF_PROFILED, /* it lives, and has the shared state as before */
} ClosedLine;

/* `process` is a pidfd, -1: there is none; `state` a descriptor of the shared state. */
ClosedLine closed_line_why(pid_t pid, int process, int state);

#endif
