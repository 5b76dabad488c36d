/* exit_on_signal.c - to be preloaded: a process that is sent SIGRTMIN+5 exits with status 3, as one
 * does that ends with an error of its own, in which no signal has a part. */
#include <signal.h>
#include <unistd.h>

static void leave(int signal) {
    (void)signal;
    _exit(3);
}

__attribute__((constructor)) static void prepare(void) {
    signal(SIGRTMIN + 5, leave);
}
