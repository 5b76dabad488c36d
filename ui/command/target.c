/* target.c - parses PID and PID:SERIAL, and the operands of the commands that take a state. */
#include "command/target.h"

#include <stdio.h>
#include <string.h>

bool target_parse(const char *text, uint32_t *pid, uint32_t *serial) {
    unsigned p = 0, s = 0;
    int used = 0;
    *serial = 0;
    if (sscanf(text, "%9u%n:%9u%n", &p, &used, &s, &used) < 1 || text[used] || p == 0) return false;
    if (strchr(text, ':') && s == 0) return false;
    *pid = p;
    *serial = s;
    return true;
}

int target_operands(const Parse *p, uint32_t *pid, uint32_t *serial, const char **file) {
    int operands = p->argc - p->at;
    if (p->help || p->failed) return p->failed ? EXIT_USAGE : 0;
    if (operands < 1 || operands > 2)
        return command_wrong(p->command,
                             "of which process? PID or PID:SERIAL, and a file if wanted");
    if (!target_parse(p->argv[p->at], pid, serial))
        return command_wrong(p->command, "%s is not a process: PID or PID:SERIAL was expected",
                             p->argv[p->at]);
    *file = operands > 1 ? p->argv[p->at + 1] : NULL;
    return TARGET_THERE;
}
