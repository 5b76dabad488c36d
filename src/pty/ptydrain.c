/* ptydrain.c - reads until the master is empty for the moment, then writes a random word to the
 * slave and reads on until it comes; bytes that may be its beginning are held back. */
#include "pty/ptydrain.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <termios.h>
#include <unistd.h>

#include "base/io.h"
#include "base/os.h"
#include "base/own.h"

#define WORD 32u         /* bytes of the random word */
#define PATIENCE_MS 1000 /* without a byte coming: give up */

bool pty_sink_fd(void *context, const void *bytes, size_t size) {
    return io_write_all(*(const int *)context, bytes, size);
}

int pty_open_slave(int master, int flags) {
    flags |= O_RDWR | O_NOCTTY | O_CLOEXEC;
    int slave = ioctl(master, TIOCGPTPEER, flags);
    char path[64];
    if (slave < 0 && ptsname_r(master, path, sizeof path) == 0) slave = open(path, flags);
    return own_fd_lift(slave);
}

/* Letters only: they pass every output mode of the line discipline unchanged. */
static void make_word(char word[WORD]) {
    unsigned char random[WORD];
    if (getrandom(random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random) {
        uint64_t x = lmp_os->clock() ^ ((uint64_t)getpid() << 40);
        for (size_t i = 0; i < WORD; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            random[i] = (unsigned char)(x >> 56);
        }
    }
    for (size_t i = 0; i < WORD; i++)
        word[i] = (char)("abcdefghijklmnop"[random[i] & 15]);
}

/* Bytes that were read and not yet passed on: they may end with the beginning of the word. */
typedef struct Held {
    char bytes[8192];
    size_t used;
} Held;

/* Passes on all of `held` that cannot be part of the word any more. Returns true if the word was
 * there. */
static bool pass_on(Held *held, const char word[WORD], LmpSink sink, void *context) {
    char *found = memmem(held->bytes, held->used, word, WORD);
    if (found) {
        size_t before = (size_t)(found - held->bytes);
        size_t after = held->used - before - WORD;
        if (before > 0) sink(context, held->bytes, before);
        if (after > 0) sink(context, found + WORD, after);
        held->used = 0;
        return true;
    }
    size_t keep = held->used < WORD - 1 ? held->used : WORD - 1;
    while (keep > 0 && memcmp(held->bytes + held->used - keep, word, keep) != 0)
        keep--;
    size_t give = held->used - keep;
    if (give > 0) sink(context, held->bytes, give);
    memmove(held->bytes, held->bytes + give, keep);
    held->used = keep;
    return false;
}

bool pty_drain(int master, LmpSink sink, void *context) {
    char word[WORD];
    size_t said = 0;
    Held held = {.used = 0};
    bool found = false;
    int slave = pty_open_slave(master, O_NONBLOCK);
    make_word(word);
    for (;;) {
        ssize_t n = read(master, held.bytes + held.used, sizeof held.bytes - held.used);
        if (n > 0) {
            held.used += (size_t)n;
            found = pass_on(&held, word, sink, context);
            if (found) break;
            continue;
        }
        if (n < 0 && errno == EINTR) continue;
        if (n == 0 || errno != EAGAIN || slave < 0) break; /* EIO: every slave is closed */
        /* Empty for now, so there is room for the word, which is written in one piece. */
        if (said < WORD) {
            ssize_t w = write(slave, word + said, WORD - said);
            if (w > 0) said += (size_t)w;
            if (w < 0 && errno != EAGAIN && errno != EINTR) break;
        }
        struct pollfd p = {.fd = master, .events = POLLIN};
        if (poll(&p, 1, PATIENCE_MS) == 0) break;
    }
    if (held.used > 0) sink(context, held.bytes, held.used);
    if (slave >= 0) close(slave);
    return found;
}
