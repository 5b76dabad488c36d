/* kill_process.h - the processes of a round of kill_rounds.c, by what /proc says. */
#ifndef LMP_KILL_PROCESS_H
#define LMP_KILL_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "kill_plan.h"

typedef struct Process {
    pid_t pid, parent, session;
    char state, name[32];
} Process;

/* All processes of a session, and recorders of the round, `room` at most. Returns how many. */
size_t process_list(pid_t session, Process *out, size_t room);
bool process_is_zombie(const Process *p);
/* The process that plays a part now, 0: none does. */
pid_t process_find(const Plan *p, int victim, pid_t session, pid_t job);

#endif
