/* attached.c - starts the display in a child process (viewer_supervisor.h), turns deadly signals
 * into a request to end it, waits for its end, and prints how it ended. */
#include "command/attached.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/err.h"
#include "command/command.h"

static Supervisor supervisor;

static void told(int sig) {
    (void)sig;
    supervisor_tell(&supervisor); /* closes a descriptor: safe in a handler */
}

/* ctrl-C is only for this command, like everything else typed here. */
static void catch_signals(void) {
    struct sigaction act = {.sa_handler = told};
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGHUP, &act, NULL);
    sigaction(SIGINT, &act, NULL);
    signal(SIGTTOU, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
}

bool attached_possible(void) {
    if (isatty(STDOUT_FILENO) && isatty(STDIN_FILENO)) return true;
    command_say("%s", err_message(LMP_E_NOTTY));
    return false;
}

int attached_show(ViewerOptions *viewer, const char *then, const ViewerResult **result) {
    *result = NULL;
    viewer->tty = STDOUT_FILENO;
    viewer->hold = true;
    viewer->spool = viewer->input = -1;
    catch_signals();
    if (!supervisor_start(&supervisor, viewer, NULL, NULL)) {
        command_say("%s", err_message(LMP_E_NOMEM));
        return 1;
    }
    struct pollfd p = {.fd = supervisor.life, .events = POLLIN};
    while (supervisor.notify >= 0 && poll(&p, 1, -1) <= 0)
        ;
    SupervisorEnd end = supervisor_end(&supervisor);
    *result = supervisor.result;
    bool failed = end == SUPERVISOR_CRASHED || supervisor.result->end == VIEWER_NO_TTY;
    if (end == SUPERVISOR_CRASHED && supervisor.signal)
        command_say("the display crashed (signal %d)%s", supervisor.signal, then);
    else if (end == SUPERVISOR_CRASHED)
        command_say("the display ended with an error%s", then);
    else if (failed)
        command_say("%s",
                    supervisor.result->problem[0] ? supervisor.result->problem : "no terminal");
    if (supervisor.result->saved[0]) command_say("picture saved as %s", supervisor.result->saved);
    if (supervisor.result->recorded[0]) command_say("%s", supervisor.result->recorded);
    return failed ? 1 : 0;
}
