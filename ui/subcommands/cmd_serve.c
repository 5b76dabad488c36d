/* cmd_serve.c - `lmp serve`: the figures of a profiled program over HTTP. */
#include <stdlib.h>

#include "command/operands.h"
#include "read/discover.h"
#include "serve/serve.h"
#include "subcommands/subcommands.h"

enum { O_PROMETHEUS, O_CONTROL };

static const Option options[] = {
    [O_PROMETHEUS] = {"prometheus", "ADDRESS",
                      "listen there: PORT, HOST:PORT or [HOST]:PORT, where HOST is an IP address "
                      "(default 127.0.0.1:0); port 0 is any free one, and is printed"},
    [O_CONTROL] = {"control", "[FILE]",
                   "let who has the token pause the program, collect and mark; the token is the "
                   "first line of FILE, or is made and printed"},
    {0},
};

static const Example examples[] = {
    {"lmp serve 4711 --prometheus=9100", "a page at http://127.0.0.1:9100/, and /metrics"},
    {"lmp serve 4711 --prometheus=0.0.0.0:9100", "for all who reach this machine"},
    {"lmp serve --control 4711", "on any free port; with buttons to pause, collect and mark"},
    {0},
};

#ifdef LMP_SERVES

static LmpView view; /* large */

/* Finds the one program that is profiled. Returns false if there is none, or another one; a line
 * has said so. */
static bool find_only(uint32_t *pid, uint32_t *serial) {
    LmpFound *list = NULL;
    size_t count = 0;
    LmpErr err = discover_list(&list, &count);
    if (err)
        command_say("%s", err_message(err));
    else if (count == 0)
        command_say("no profiled program is running (start one with: lmp run SCRIPT.lua)");
    else if (count > 1)
        command_say("which of the %zu profiled programs? See: lmp top --list", count);
    if (!err && count == 1) {
        *pid = list->pid;
        *serial = list->serial;
    }
    free(list);
    return !err && count == 1;
}

static int run(Parse *p) {
    const Option *o;
    const char *operand = NULL;
    ServeWish wish = {.view = &view};
    uint32_t pid, serial;
    address_parse("0", &wish.address);
    while (options_mixed(p, &o)) {
        if (!o && operand) return command_wrong(p, "takes one process at a time");
        if (!o) operand = p->value;
        if (o == &options[O_CONTROL]) {
            wish.control = true;
            wish.token_file = p->value;
        }
        if (o == &options[O_PROMETHEUS] &&
            option_check(p, address_parse(p->value, &wish.address),
                         "PORT, HOST:PORT or [HOST]:PORT was expected, HOST being an IP address"))
            return EXIT_USAGE;
    }
    if (p->over) return p->status;
    if (operand && !operand_parse_state(operand, &pid, &serial))
        return command_wrong(p, "%s is not a process: PID or PID:SERIAL was expected", operand);
    if (!operand && !find_only(&pid, &serial)) return 1;
    if (!operand_state(pid, serial, &view)) return 1;
    int status = serve_run(&wish);
    view_close(&view);
    return status;
}

#else

static int run(Parse *p) {
    const Option *o;
    while (options_mixed(p, &o)) {
    }
    if (p->over) return p->status;
    command_say(
        "this lmp was built without libmicrohttpd, which serve needs: build it where that is, "
        "and without LMP_STATIC");
    return 1;
}

#endif

const Command cmd_serve = {
    .name = "serve",
    .usage = {"[OPTIONS] [PID[:SERIAL]]"},
    .help = "Serves the figures of a profiled program to Prometheus and browsers",
    .details =
        "At the address there are /metrics (OpenMetrics text) and a page with the heap over time "
        "and by\naddress, the flame graph and the lines, anew each second. The program pays "
        "nothing, however many\nlook. Without PID it is the profiled program, if there is one. "
        "The command ends with the program,\nor by ctrl-C. Only this machine can ask, unless "
        "ADDRESS says otherwise; all on it can, whoever they\nare.",
    .options = options,
    .examples = examples,
    .run = run,
    .takes = TAKES_STATE,
};
