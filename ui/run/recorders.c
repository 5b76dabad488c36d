/* recorders.c - starts one recorder process (recjob.h) for each state that comes, names its
 * file, and hears on a socket how the recording ended. */
#include "run/recorders.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/io.h"
#include "base/os.h"
#include "base/outfile.h"
#include "command/command.h"

#define WAIT_NS                                                                                    \
    20000000000ull /* for all recorders: the last tables of a large heap take a while              \
                    */
#define SAID 8     /* recordings that get a line of their own */

bool recorders_writable(const Recorders *r, const char **file) {
    static char here[RECNAME_MOST];
    *file = r->given;
    if (!r->wanted || r->given) return !r->wanted || outfile_replaceable(r->given);
    *file = "lmp-PID.lmprec";
    if (!recname_choose(here, sizeof here, NULL, 0)) return false; /* errno says why */
    return outfile_replaceable(here);
}

/* Reads what the recorder has said at its end. A recorder that was killed says nothing. */
static void hear(RecorderOf *one) {
    RecEnd end;
    if (one->line < 0) return;
    ssize_t n = recv(one->line, &end, sizeof end, MSG_DONTWAIT);
    /* The recorder has left something of ours unread; what it said before can be read all the
     * same. */
    if (n < 0 && errno == ECONNRESET) n = recv(one->line, &end, sizeof end, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    one->known = n == (ssize_t)sizeof end;
    if (one->known) one->end = end;
    io_close(&one->line);
}

/* Makes FILE, then FILE.2 for the program's next state; FILE.PID, FILE.PID.2 for its children's. */
static char *name_of(Recorders *r, uint32_t pid) {
    char *name = malloc(RECNAME_MOST + 32);
    unsigned before = 0;
    if (!r->file[0] && !recname_choose(r->file, sizeof r->file, r->given, r->main))
        snprintf(r->file, sizeof r->file, "%s", r->given ? r->given : "lmp.lmprec");
    for (size_t i = 0; i < r->count; i++)
        before += r->of[i].pid == pid;
    if (!name) return NULL;
    int n = snprintf(name, RECNAME_MOST + 32, "%s", r->file);
    if (pid != r->main) n += snprintf(name + n, 16, ".%u", pid);
    if (before > 0) snprintf(name + n, 16, ".%u", before + 1);
    return name;
}

void recorders_state(Recorders *r, int fd, uint32_t pid) {
    struct stat st;
    if (!r->wanted || fstat(fd, &st) != 0) return;
    for (size_t i = 0; i < r->count; i++) /* a build may run a thousand programs */
        hear(&r->of[i]);
    if (!array_room(&r->of, &r->room, r->count + 1)) {
        r->lost++;
        return;
    }
    RecorderOf one = {.pid = pid, .inode = st.st_ino, .line = -1, .file = name_of(r, pid)};
    RecJob job = {.state = fd,
                  .pid = pid,
                  .file = one.file,
                  .limit = r->limit,
                  .again = pid == r->main ? r->again : NULL,
                  .output = -1,
                  .last_word = pid == r->main};
    if (one.file) one.line = recjob_start(&job);
    if (one.line < 0) {
        free(one.file);
        r->lost++;
        return;
    }
    r->of[r->count++] = one;
}

bool recorders_busy(Recorders *r, uint64_t inode) {
    for (size_t i = 0; i < r->count; i++) {
        if (r->of[i].inode != inode) continue;
        hear(&r->of[i]);
        return r->of[i].line >= 0;
    }
    return false;
}

void recorders_output(Recorders *r, int state, int spool) {
    struct stat st;
    if (spool < 0 || state < 0 || fstat(state, &st) != 0) return;
    for (size_t i = 0; i < r->count; i++)
        if (r->of[i].line >= 0 && r->of[i].inode == st.st_ino)
            recjob_give_output(r->of[i].line, spool);
}

void recorders_ended(Recorders *r) {
    char word = RECJOB_SAY_ENDED;
    for (size_t i = 0; i < r->count; i++)
        if (r->of[i].line >= 0 && r->of[i].pid == r->main)
            (void)!send(r->of[i].line, &word, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Returns true if the program goes on without us: its recording goes on, too. */
static bool goes_on(const Recorders *r, const RecorderOf *one) {
    return one->pid != r->main && one->pid && lmp_os->alive(one->pid);
}

static void wait_for(const Recorders *r, RecorderOf *one, uint64_t until) {
    for (;;) {
        hear(one);
        uint64_t now = lmp_os->clock();
        if (one->line < 0 || now >= until || goes_on(r, one)) return;
        struct pollfd p = {.fd = one->line, .events = POLLIN};
        poll(&p, 1, 50);
    }
}

static void say(const Recorders *r, const RecorderOf *one) {
    char line[2 * RECNAME_MOST + 200];
    const char *name = recname_short(one->file);
    if (one->known)
        command_say("%s", recname_say(line, sizeof line, one->file, &one->end));
    else if (one->line < 0)
        command_say("recording in %s: its process was killed; what it had written is there", name);
    else if (goes_on(r, one))
        command_say("recording goes on: %s (until process %u ends)", name, one->pid);
    else
        command_say("recording in %s is still being completed", name);
}

void recorders_say(Recorders *r) {
    uint64_t until = lmp_os->clock() + WAIT_NS;
    size_t said = 0;
    for (size_t i = 0; i < r->count; i++) {
        RecorderOf *one = &r->of[i];
        wait_for(r, one, until);
        bool fine = one->known && one->end.why != RECJOB_FAILED;
        if (fine && said == SAID) continue;
        said += fine;
        say(r, one);
    }
    if (r->count > said && said == SAID)
        command_say("there are recordings of %zu processes in all: %s.*", r->count,
                    recname_short(r->file));
    if (r->wanted && r->count + r->lost == 0) command_say("no recording: nothing was profiled");
    if (r->lost > 0) command_say("%zu Lua states could not be recorded", r->lost);
}

void recorders_close(Recorders *r) {
    for (size_t i = 0; i < r->count; i++) {
        io_close(&r->of[i].line);
        free(r->of[i].file);
    }
    free(r->of);
    r->of = NULL;
    r->count = 0;
    r->room = 0;
}
