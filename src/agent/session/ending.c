/* ending.c - the summary is made in memory and written to its descriptor in one go, never through
 * the program's own streams; what the end of the profile cannot wait for is left to the end of the
 * process (struct Late). */
#include "agent/session/ending.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/session/session.h"
#include "base/format.h"
#include "base/own.h"
#include "read/view.h"
#include "report/report.h"
#include "shared/launch.h"
#include "shared/recnote.h"
#include "shared/run_handshake.h"

enum {
    ANSWER_MS = 2000,
    READER_MS = 1000, /* for a reader to make room */
};

static void (*exit_function)(void);
static void end_late(void);
static bool no_stderr; /* at the start: later its number is the program's own file */

/* Runs at exit() and when the (pinned) module goes: after the host's own atexit functions. */
__attribute__((destructor)) static void run_exit_function(void) {
    void (*f)(void) = exit_function;
    exit_function = NULL;
    if (f) f();
    end_late();
}

void ending_at_exit(void (*f)(void)) {
    exit_function = f;
}

void ending_prepare(LmpProfile *p, const LmpOptions *options) {
    LmpSession *s = session_of(p);
    struct stat st;
    const char *to = options->summary;
    s->run_socket = options->run_socket;
    if (s->run_socket >= 0) { /* to be written only if `lmp run` was killed */
        to = getenv(LMP_ENV_SUMMARY);
        if (!to) to = "";
        s->run_inode = fstat(s->run_socket, &st) == 0 ? st.st_ino : 0;
    }
    no_stderr = fcntl(STDERR_FILENO, F_GETFD) < 0;
    if (no_stderr && strcmp(to, "-") == 0) to = "";
    snprintf(s->summary, sizeof s->summary, "%s", to);
    if (*to && *to != '-' && *to != '/') { /* the program may change its directory */
        char here[sizeof s->summary];
        if (getcwd(here, sizeof here) && strlen(here) + strlen(to) + 2 < sizeof here) {
            size_t n = strlen(here);
            snprintf(here + n, sizeof here - n, "/%s", to);
            memcpy(s->summary, here, sizeof here);
        }
    }
}

/* Writes all of the text. A reader that has gone, or a limit on file sizes, must not change how the
 * program ends: SIGPIPE and SIGXFSZ are swallowed. A reader that does not read is not waited
 * for. */
static bool write_all(int fd, const char *text, size_t size) {
    sigset_t ours, before, pending;
    struct timespec now = {0, 0};
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    sigemptyset(&ours);
    sigaddset(&ours, SIGPIPE);
    sigaddset(&ours, SIGXFSZ);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &ours, &before);
    int raised = 0;
    while (size > 0) {
        ssize_t n = write(fd, text, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN && poll(&room, 1, READER_MS) == 1) continue;
        raised = n >= 0 ? 0 : errno == EPIPE ? SIGPIPE : errno == EFBIG ? SIGXFSZ : 0;
        if (n <= 0) break;
        text += n;
        size -= (size_t)n;
    }
    if (raised && sigismember(&pending, raised) != 1) {
        sigemptyset(&ours);
        sigaddset(&ours, raised);
        sigtimedwait(&ours, NULL, &now);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return size == 0;
}

/* Writes to a file, which may be a FIFO without a reader: we do not wait for one. */
static bool write_file(const char *path, const char *text, size_t size) {
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK;
    int fd = own_fd_lift(open(path, flags, 0666));
    bool written = fd >= 0 && write_all(fd, text, size);
    if (fd >= 0) close(fd);
    return written;
}

static void write_summary(const char *place, const LmpHeader *header, const LmpLive *live,
                          const LmpTables *tables, const char *ending) {
    char *text = NULL;
    size_t size = 0;
    LmpReport *report = calloc(1, sizeof *report);
    FILE *memory = report ? open_memstream(&text, &size) : NULL;
    if (memory) {
        report_fill(report, header, live, tables, live->clock, ending);
        report_summary(report, memory);
        report_close(report);
        fclose(memory);
    }
    free(report);
    bool file = strcmp(place, "-") != 0;
    bool written =
        !text || (file ? write_file(place, text, size) : write_all(STDERR_FILENO, text, size));
    if (!written && file && !no_stderr) {
        char line[4096 + 80];
        int n = snprintf(line, sizeof line, "lmp: %s: %s\n", place, err_message(LMP_E_FILE));
        if (n > 0) write_all(STDERR_FILENO, line, (size_t)n);
    }
    free(text);
}

/* Returns true if the other end of the socket is closed. The number may be another file's by
 * now. */
static bool run_killed(int socket, ino_t inode) {
    struct stat st;
    struct pollfd other = {.fd = socket};
    return fstat(socket, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_ino == inode &&
           poll(&other, 1, 0) == 1 && (other.revents & POLLHUP);
}

/* Says what a recording lacks that `lmp run` was to make. */
static void say_lack(const LmpControl *control) {
    const char *line = recnote_lack(control);
    if (!no_stderr) write_all(STDERR_FILENO, line, strlen(line));
}

/* A display of `lmp run` that the end of the profile has not waited for: should all of lmp's
 * processes be killed yet, the end of this process does what is left to do. */
static struct Late {
    bool there;
    LmpDisplay display;
    LmpOwnFd state;
    char summary[4096];
    int run_socket;
    ino_t run_inode;
} late;

static bool leave_to_late(LmpProfile *p) {
    LmpSession *s = session_of(p);
    if (late.there || !display_leave(&s->display)) return false;
    late = (struct Late){.there = true,
                         .display = s->display,
                         .state = own_fd_take(dup(own_fd_get(&p->file))),
                         .run_socket = s->run_socket,
                         .run_inode = s->run_inode};
    memcpy(late.summary, s->summary, sizeof late.summary);
    s->display = DISPLAY_NONE;
    return true;
}

static void end_late(void) {
    static LmpView view; /* large */
    if (!late.there) return;
    late.there = false;
    fflush(stdout);
    bool alive = display_check(&late.display);
    bool said = alive || display_said(&late.display);
    display_forget(&late.display);
    int state = own_fd_get(&late.state);
    if (said || state < 0 || !run_killed(late.run_socket, late.run_inode)) return;
    if (view_open(&view, state)) return;
    if (*late.summary) write_summary(late.summary, view.header, view.live, &view.tables, "ended");
    say_lack(view.control);
    view_close(&view);
}

void ending_forget(void) {
    if (!late.there) return;
    late.there = false;
    display_forget(&late.display);
    own_fd_close(&late.state);
}

/* Names the recording: the recorder has no terminal to do so. It may still be writing the last
 * frame. */
static void say_recording(const LmpSession *s) {
    LmpRecNote note = recnote_copy(s->profile.control);
    char file[sizeof s->folder + LMP_RECORD_NAME], name[sizeof file], line[2 * sizeof name + 200];
    if (!s->recorded || !note.name[0]) return;
    snprintf(file, sizeof file, "%s%s", s->folder, note.name);
    format_text(name, sizeof name, file, 0);
    bool failed = atomic_load(&note.state) == LMP_RECORD_FAILED;
    bool typed = strcmp(name, file) == 0 && !strchr(name, '\''); /* as a shell takes it */
    const char *quote = format_plain_word(name) ? "" : "'";
    int n = failed ? snprintf(line, sizeof line, "lmp: the recording %s ended by an error: %s\n",
                              name, strerror(note.number))
            : typed
                ? snprintf(line, sizeof line, "lmp: recording: %s; watch it: lmp replay %s%s%s\n",
                           name, quote, name, quote)
                : snprintf(line, sizeof line, "lmp: recording: %s\n", name);
    if (n > 0 && (size_t)n < sizeof line) write_all(STDERR_FILENO, line, (size_t)n);
}

void ending_finish(LmpProfile *p, const char *ending) {
    LmpSession *s = session_of(p);
    bool wanted = *s->summary && s->run_socket < 0;
    if (wanted) fflush(stdout); /* the program's output comes before it */
    /* `lmp run` waits for the display, and knows how the program ended only when it has. */
    if (s->run_socket >= 0 && strcmp(ending, "stopped") != 0 && leave_to_late(p)) return;
    bool written = display_end(&s->display); /* the relay writes the summary then */
    bool killed = !written && run_killed(s->run_socket, s->run_inode);
    if (!wanted) wanted = *s->summary && killed;
    if (!written && wanted) write_summary(s->summary, p->header, p->live, &p->tables, ending);
    if (killed) say_lack(p->control);
    if (!written && wanted && strcmp(s->summary, "-") == 0) say_recording(s);
}

bool ending_handshake(const LmpProfile *p, int socket) {
    bool forked = p->header->forked_from != 0;
    uint32_t what = forked ? LMP_HANDSHAKE_FORKED : LMP_HANDSHAKE_STATE;
    if (!handshake_send(socket, what, p->header->serial, p->file.fd) || forked) return false;
    struct pollfd wait = {.fd = socket, .events = POLLIN};
    char answer = LMP_LIVE_NO;
    if (poll(&wait, 1, ANSWER_MS) != 1 || recv(socket, &answer, 1, MSG_DONTWAIT) != 1) return false;
    return answer == LMP_LIVE_YES;
}

void ending_refused(int socket) {
    handshake_send(socket, LMP_HANDSHAKE_REFUSED, 0, -1);
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool usable(char *out, size_t size, const char *directory, size_t length, const char *name) {
    int n = snprintf(out, size, "%.*s%s", (int)length, directory, name);
    return n > 0 && (size_t)n < size && access(out, X_OK) == 0;
}

LmpErr ending_find_command(char *out, size_t size) {
    /* A command named by the environment is not run with rights that its author may not have. */
    const char *named = secure_getenv(LMP_ENV_COMMAND);
    if (named && *named)
        return usable(out, size, named, strlen(named), "") ? LMP_OK : LMP_E_NOVIEWER;
    Dl_info info;
    if (dladdr((void *)&exit_function, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        size_t length = slash ? (size_t)(slash - info.dli_fname) : 0;
        if (slash && (usable(out, size, info.dli_fname, length, "/lmp") ||
                      usable(out, size, info.dli_fname, length, "/../../../bin/lmp")))
            return LMP_OK;
    }
    for (const char *path = secure_getenv("PATH"); path && *path;) {
        size_t length = strcspn(path, ":");
        if (length && usable(out, size, path, length, "/lmp")) return LMP_OK;
        path += length + (path[length] == ':');
    }
    return LMP_E_NOVIEWER;
}
