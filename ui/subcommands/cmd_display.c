/* cmd_display.c - `lmp display`: how the module starts the relay (launch.h). Internal. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fps.h"
#include "relay/pty_relay.h"
#include "shared/launch.h"
#include "subcommands/subcommands.h"

static const Option options[] = {
    {"fps", "N", NULL},    {"hold", NULL, NULL},      {"no-hold", NULL, NULL},
    {"input", NULL, NULL}, {"summary", "FILE", NULL}, {0},
};

static int run(Parse *p) {
    PtyRelayOptions relay = {.hold = true, .summary = ""};
    const Option *o;
    while ((o = options_next(p))) {
        if (strcmp(o->name, "fps") == 0 && !parse_number(p->value, 0, LMP_FPS_MAX, &relay.fps))
            relay.fps = 0;
        if (strcmp(o->name, "hold") == 0) relay.hold = true;
        if (strcmp(o->name, "no-hold") == 0) relay.hold = false;
        if (strcmp(o->name, "input") == 0) relay.input = true;
        if (strcmp(o->name, "summary") == 0) relay.summary = p->value;
    }
    if (p->over) return EXIT_USAGE;
    if (fcntl(LMP_FD_STATE, F_GETFD) < 0 || fcntl(LMP_FD_LINE, F_GETFD) < 0)
        return command_wrong(p, "is started by the module, not by hand");
    /* The program waits for this process only: the relay itself is orphaned. */
    pid_t pid = fork();
    if (pid != 0) _exit(pid < 0);
    return pty_relay_run(&relay);
}

const Command cmd_display = {
    .name = "display",
    .usage = {"OPTIONS"},
    .help = "Shows the display for the program that started it",
    .options = options,
    .run = run,
    .internal = true,
};
