/* serve.c - the loop: looks at the program four times a second, and makes an event each second for
 * who listens, less often where making one takes long. When the program has ended, those who listen
 * have its last figures before the command ends. */
#include "serve/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "command/command.h"
#include "serve/control.h"
#include "serve/events.h"
#include "serve/figures.h"
#include "serve/http.h"
#include "serve/livemap.h"

#define SECOND 1000000000ull
#define LAST_WORDS (5 * SECOND)
enum { TURN_MS = 250 };

static volatile sig_atomic_t told;

static void on_signal(int number) {
    (void)number;
    told = 1;
}

static void catch_signals(void) {
    struct sigaction act = {.sa_handler = on_signal};
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGHUP, &act, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* Returns when the next may be said. Without memory there is none this time. */
static uint64_t say_event(bool last) {
    size_t size;
    uint64_t next;
    char *data = figures_make(FIGURES_DATA, &size, &next);
    if (data) events_say(data, size, last);
    free(data);
    http_wake();
    return next;
}

static void serve_until_the_end(void) {
    uint64_t next = 0, now = lmp_os->clock();
    while (!told && figures_look(now)) {
        if (http_listeners() > 0 && now >= next) next = say_event(false);
        http_run(TURN_MS);
        now = lmp_os->clock();
    }
}

static void say_last_figures(void) {
    uint64_t end = lmp_os->clock() + LAST_WORDS;
    say_event(true);
    while (!told && http_listeners() > 0 && lmp_os->clock() < end)
        http_run(TURN_MS);
}

/* A program that had ended before has all the time that somebody wants to look at it. */
static void serve_what_was(void) {
    say_event(true);
    while (!told)
        http_run(TURN_MS);
}

static bool say_where(const ServeWish *wish, const Address *address) {
    char where[ADDRESS_TEXT];
    address_text(where, address);
    printf("%s\nhttp://%s/ is its page, http://%s/metrics for Prometheus; until ctrl-C\n",
           figures_say(), where, where);
    if (wish->control && wish->token_file)
        printf("to pause, collect and mark: http://%s/#, and what the file of the token says\n",
               where);
    else if (wish->control)
        printf("to pause, collect and mark: http://%s/#%s\n", where, control_token());
    if (!address_is_loopback(address))
        printf("whoever reaches this address can read the figures\n");
    return fflush(stdout) == 0;
}

int serve_run(const ServeWish *wish) {
    char where[ADDRESS_TEXT];
    Address address = wish->address;
    const char *wrong = wish->control ? control_begin(wish->view, wish->token_file) : NULL;
    if (wrong) {
        command_say("no token: %s", wrong);
        return 1;
    }
    catch_signals();
    bool runs = figures_begin(wish->view);
    if (!http_begin(&address)) {
        command_say("cannot listen at %s: %s", address_text(where, &address), strerror(errno));
        return 1;
    }
    say_where(wish, &address);
    serve_until_the_end();
    if (!told && runs)
        say_last_figures();
    else if (!told)
        serve_what_was();
    http_end();
    events_end();
    livemap_end();
    printf("%s\n", figures_say());
    return 0;
}
