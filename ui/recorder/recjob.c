/* recjob.c - a loop that sleeps until something happens (signal, message, change, timeout), then
 * takes a tick of the recorder and the program's output (spool.h). A thread turns LmpLive.changed,
 * a futex, into an event for poll. The process is started by a double fork, so it is nobody's
 * child. */
#include "recorder/recjob.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/os.h"
#include "pty/spool.h"
#include "recording/writer/recorder.h"
#include "shared/recnote.h"

#define MS 1000000ull
#define OUTPUT_NS (50 * MS)     /* between two looks at what the program prints */
#define FILE_NS (1000 * MS)     /* between two looks at the file's name */
#define ASKED_NS (250 * MS)     /* at most until somebody's wish is seen */
#define WORD_NS (5000 * MS)     /* for `lmp run` to say how the program ended */
#define ENDED_NS (100 * MS)     /* the same if nobody has promised to say so */
#define ALIVE_NS (2000 * MS)    /* for a program to end whose profile is over */
#define DRAIN_NS (1000 * MS)    /* for the relay to get the last words */
#define WOKEN_NS (2 * MS)       /* between two wake-ups by the program, at least */
#define OUTPUT_MOST (16u << 20) /* bytes of output in one recording */
#define PIECE (1u << 16)        /* ... read at once */
#define PIECES 16               /* at a time */

enum { FD_STATE = 3, FD_LINE, FD_OUTPUT, FD_END }; /* in a started process */

/* A thread that sleeps on LmpLive.changed, as poll cannot: marks, peaks, pauses and the end are
 * seen at once, without polling. */
typedef struct Waker {
    pthread_t thread;
    bool runs;
    int fd; /* an event for each change; -1: none, and changes are seen later */
    _Atomic bool stop, stopped;
} Waker;

/* The spool of what the program prints. */
typedef struct RecOutput {
    int fd;                     /* the spool, opened anew: a position of our own; -1: none */
    uint64_t at;                /* bytes of the output looked at so far */
    uint64_t kept;              /* of these, recorded */
    const LmpRelayState *relay; /* NULL: none */
} RecOutput;

typedef struct Recording {
    const RecJob *job;
    LmpRecorder *recorder;
    LmpRecNote *note;
    RecOutput output;
    Waker waker;
    int lock, signals, line, process; /* -1: not there (any more) */
    uint32_t pid;
    uint32_t state;        /* of the program, at the last look */
    uint64_t over;         /* when the profile, or the program, was seen to be over; 0: not yet */
    uint64_t dead;         /* when the process was seen to be gone; 0: not yet */
    uint64_t look_at_file; /* when to look again whether the file is still there */
    int number;            /* the error if the file is gone */
    bool asked;            /* to stop */
    bool said_ended;       /* on the line */
} Recording;

static LmpView view; /* large */

/* ---- what the program prints ----------------------------------------------------------------- */

/* The spool's memory file, which display and relay fill anyway, is read from where that stopped, in
 * pieces of 64 KiB; the relay's own messages are skipped. Nobody waits for the recorder: output
 * that is gone from the file (SEEK_DATA) is left out. */

static void output_close(RecOutput *output) {
    if (output->relay) lmp_os->unmap((void *)(uintptr_t)output->relay, SPOOL_AT);
    output->relay = NULL;
    io_close(&output->fd);
}

/* `memory`: a spool's memory file, which stays the caller's; -1: none. */
static void output_open(RecOutput *output, int memory) {
    char path[64];
    *output = (RecOutput){.fd = -1};
    if (memory < 0) return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    output->fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (output->fd < 0 || fstat(output->fd, &st) != 0 || st.st_size < (off_t)SPOOL_AT) return;
    output->relay = lmp_os->map(SPOOL_AT, output->fd, 0, false);
    if (output->relay && output->relay->magic == LMP_RELAY_STATE_MAGIC) return;
    output_close(output);
}

/* Returns where bytes begin that are still there, from `at` on; the file's end if there are
 * none. */
static off_t data_from(int fd, off_t at, off_t end) {
    off_t data = lseek(fd, at, SEEK_DATA);
    return data >= 0 ? data : errno == ENXIO ? end : at;
}

/* Records what has come since, a bounded piece at a time, as of `clock`. *more: there is more. */
static LmpErr output_take(RecOutput *output, LmpRecorder *recorder, uint64_t clock, bool *more) {
    static char piece[PIECE];
    struct stat st;
    *more = false;
    if (output->fd < 0 || output->kept >= OUTPUT_MOST || fstat(output->fd, &st) != 0) return LMP_OK;
    off_t at = (off_t)(SPOOL_AT + output->at), end = st.st_size;
    if (at > end) at = end; /* a message was taken back */
    for (int i = 0; i < PIECES && at < end; i++) {
        uint64_t to = (uint64_t)end - SPOOL_AT;
        at = (off_t)(SPOOL_AT + spool_own(output->relay, (uint64_t)at - SPOOL_AT, to, &to));
        off_t own_end = (off_t)(SPOOL_AT + to);
        if (at >= own_end) break; /* a message is being written */
        off_t data = data_from(output->fd, at, own_end);
        size_t most = own_end - data < PIECE ? (size_t)(own_end - data) : PIECE;
        if (most > OUTPUT_MOST - output->kept) most = OUTPUT_MOST - output->kept;
        ssize_t n = most > 0 ? pread(output->fd, piece, most, data) : 0;
        at = data;
        if (data == own_end) continue;
        if (n <= 0) break;
        at += n;
        /* bytes that were given back to the system meanwhile were read as zeroes */
        if (data_from(output->fd, data, end) != data) continue;
        output->kept += (uint64_t)n;
        LmpErr err = recorder_output(recorder, clock, piece, (size_t)n);
        if (err) return err;
    }
    output->at = (uint64_t)at - SPOOL_AT;
    *more = at < end && output->kept < OUTPUT_MOST;
    return LMP_OK;
}

/* Returns true if the relay has everything that the program has written, or if there is no
 * relay. */
static bool output_whole(const RecOutput *output) {
    return !output->relay || atomic_load((_Atomic uint32_t *)(uintptr_t)&output->relay->end) != 0;
}

/* ---- what there is to hear ------------------------------------------------------------------- */

static void take_signals(Recording *r) {
    static const int ignored[] = {SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2, SIGTTOU};
    static const int not_ours[] = {SIGINT, SIGHUP, SIGQUIT, SIGTSTP};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    if (r->job->foreground) {
        sigaddset(&set, SIGINT);
        sigaddset(&set, SIGHUP);
    } else {
        for (size_t i = 0; i < sizeof not_ours / sizeof *not_ours; i++)
            signal(not_ours[i], SIG_IGN);
    }
    sigprocmask(SIG_SETMASK, &set, NULL);
    r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Receives one message; a descriptor that comes with it is the program's output. Returns false if
 * there is none. */
static bool hear(Recording *r) {
    char word = 0;
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec io = {&word, 1};
    struct msghdr message = {.msg_iov = &io,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    if (r->line < 0) return false;
    ssize_t n = recvmsg(r->line, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0) return errno == EINTR;
    if (n == 0) { /* nobody waits for us any more: no reason to end */
        io_close(&r->line);
        return false;
    }
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
        int fd;
        memcpy(&fd, CMSG_DATA(c), sizeof fd);
        if (r->output.fd < 0) output_open(&r->output, fd);
        close(fd);
    }
    if (word == RECJOB_SAY_ENDED) r->said_ended = true;
    return true;
}

static void look(Recording *r, uint64_t now) {
    struct signalfd_siginfo info;
    struct pollfd process = {.fd = r->process, .events = POLLIN};
    while (hear(r))
        ;
    while (read(r->signals, &info, sizeof info) == sizeof info)
        r->asked = true;
    uint64_t woken;
    if (r->waker.fd >= 0) (void)!read(r->waker.fd, &woken, sizeof woken);
    if (atomic_load(&r->note->stop)) r->asked = true;
    if (r->dead) return;
    bool gone = r->process >= 0 ? poll(&process, 1, 0) > 0 : r->pid && !lmp_os->alive(r->pid);
    if (gone || r->said_ended) r->dead = now;
}

static void *sleep_and_tell(void *of) {
    Waker *w = of;
    static const uint32_t nap;
    uint64_t one = 1;
    while (!atomic_load(&w->stop)) {
        uint32_t changed = atomic_load(&view.live->changed);
        (void)!write(w->fd, &one, sizeof one);
        lmp_os->futex_wait(&nap, 0, WOKEN_NS);
        lmp_os->futex_wait(&view.live->changed, changed, FILE_NS);
    }
    atomic_store(&w->stopped, true);
    return NULL;
}

static void waker_open(Waker *w) {
    w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    w->runs = w->fd >= 0 && pthread_create(&w->thread, NULL, sleep_and_tell, w) == 0;
}

static void waker_close(Waker *w) {
    static const uint32_t nap;
    atomic_store(&view.control->peak_wake, 0);
    atomic_store(&w->stop, true);
    while (w->runs && !atomic_load(&w->stopped)) { /* the thread may be about to sleep */
        lmp_os->futex_wake(&view.live->changed);
        lmp_os->futex_wait(&nap, 0, MS / 5);
    }
    if (w->runs) pthread_join(w->thread, NULL);
    io_close(&w->fd);
}

/* ---- when it is over ------------------------------------------------------------------------- */

/* Returns true if nothing changes any more, and how the run ended is known or never will be. */
static bool is_over(Recording *r, uint64_t now) {
    bool finished = r->state == LMP_FINISHED, word = r->job->last_word && r->line >= 0;
    if (!r->dead && !finished) return false;
    if (!r->over) r->over = now;
    if (r->said_ended || atomic_load(&view.control->ended) != 0)
        return output_whole(&r->output) || now - r->over > DRAIN_NS;
    if (r->dead) return now - r->dead > (word ? WORD_NS : ENDED_NS);
    return !word && now - r->over > ALIVE_NS;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Takes what is due. A pause and the end stand still, so these moments are kept whole. */
static LmpErr take(Recording *r, uint64_t now, uint64_t *next) {
    uint32_t state = atomic_load(&view.live->state);
    bool still = state != r->state && (state == LMP_PAUSED || state == LMP_FINISHED);
    LmpErr err = LMP_OK;
    r->state = state;
    view_refresh(&view);
    if (still) err = recorder_frame(r->recorder, &view, now);
    if (!err) err = recorder_tick(r->recorder, &view, now, next);
    if (!err) atomic_store(&view.control->peak_wake, recorder_peak(r->recorder, now));
    return err;
}

static void wait_until(const Recording *r, uint64_t now, uint64_t next) {
    struct pollfd p[] = {{.fd = r->signals, .events = POLLIN},
                         {.fd = r->line, .events = POLLIN},
                         {.fd = r->waker.fd, .events = POLLIN},
                         {.fd = r->dead ? -1 : r->process, .events = POLLIN}};
    uint64_t most = r->over ? 20 * MS : r->output.fd >= 0 ? OUTPUT_NS : ASKED_NS;
    uint64_t wait = next > now ? next - now : 0;
    if (wait > most) wait = most;
    struct timespec t = {(time_t)(wait / 1000000000u), (long)(wait % 1000000000u)};
    ppoll(p, sizeof p / sizeof *p, &t, NULL);
}

/* Somebody may have removed the file, or its folder: then nobody could read what is written on.
 * Returns true if the file is there; *bytes is its size. */
static bool is_there(const char *file, uint64_t *bytes) {
    struct stat st;
    if (stat(file, &st) != 0) return false;
    *bytes = (uint64_t)st.st_size;
    return true;
}

static LmpErr follow(Recording *r) {
    uint64_t next = 0;
    for (;;) {
        bool more;
        uint64_t now = lmp_os->clock();
        look(r, now);
        LmpErr err = take(r, now, &next);
        uint64_t start = view.header->start_clock, clock = now > start ? now - start : 0;
        if (!err) err = output_take(&r->output, r->recorder, clock, &more);
        atomic_store(&r->note->bytes, recorder_size(r->recorder));
        if (!err && now >= r->look_at_file) {
            uint64_t bytes;
            r->look_at_file = now + FILE_NS;
            r->number = is_there(r->job->file, &bytes) ? 0 : errno;
            if (r->number) err = LMP_E_FILE;
        }
        if (err) return err;
        if (more) continue;
        if (r->asked || is_over(r, now)) return LMP_OK;
        wait_until(r, now, next);
    }
}

/* ---- begin and end --------------------------------------------------------------------------- */

/* Takes the state's lock, so that one process records it at a time; the lock dies with us. A lock
 * belongs to an open file, so the state is opened anew. */
static bool hold(Recording *r) {
    char path[64];
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)LMP_RECORD_LOCK, .l_len = 1};
    snprintf(path, sizeof path, "/proc/self/fd/%d", view.fd);
    r->lock = open(path, O_RDWR | O_CLOEXEC);
    return r->lock < 0 || fcntl(r->lock, F_OFD_SETLK, &lock) == 0;
}

static void note_begun(Recording *r) {
    const char *slash = strrchr(r->job->file, '/');
    r->note = recnote_at(view.control);
    atomic_store(&r->note->stop, 0);
    atomic_store(&r->note->bytes, 0);
    atomic_store(&r->note->begun, lmp_os->clock());
    r->note->number = 0;
    snprintf(r->note->name, sizeof r->note->name, "%s", slash ? slash + 1 : r->job->file);
    atomic_fetch_add(&r->note->count, 1);
    atomic_store(&r->note->state, LMP_RECORD_RUNS);
}

static RecEnd failed(LmpErr err, int number) {
    return (RecEnd){.why = RECJOB_FAILED, .err = err, .number = err == LMP_E_FILE ? number : 0};
}

static RecEnd record(Recording *r) {
    LmpRecShort shortage = {0};
    const LmpRecorderOptions options = {.file = r->job->file,
                                        .fd = -1,
                                        .limit = r->job->limit,
                                        .again = r->job->again,
                                        .shortage = &shortage};
    note_begun(r);
    r->pid = r->job->pid ? r->job->pid : view.pid;
    r->process = r->pid ? (int)syscall(SYS_pidfd_open, (pid_t)r->pid, 0) : -1;
    if (r->process < 0 && (errno == ESRCH || !r->pid)) r->dead = lmp_os->clock();
    output_open(&r->output, r->job->output);
    errno = 0;
    LmpErr err = recorder_open(&r->recorder, &view, &options);
    RecEnd end = {.why = RECJOB_ENDED};
    if (err) {
        end = failed(err, errno);
    } else {
        waker_open(&r->waker);
        err = follow(r);
        waker_close(&r->waker);
        end.why = r->over ? RECJOB_ENDED : RECJOB_ASKED;
        if (err) end = failed(err, r->number ? r->number : recorder_errno(r->recorder));
        end.bytes = recorder_size(r->recorder);
        errno = 0;
        LmpErr last =
            recorder_close(r->recorder, err ? NULL : &view, atomic_load(&view.control->ended));
        if (last && !err) end = failed(last, errno);
        if (!is_there(r->job->file, &end.bytes)) {
            end = failed(LMP_E_FILE, errno);
            end.bytes = 0;
        }
    }
    uint64_t now = lmp_os->clock(), start = view.header->start_clock;
    end.clock = now > start ? now - start : 0;
    end.shortage = shortage;
    output_close(&r->output);
    io_close(&r->process);
    return end;
}

RecEnd recjob_run(const RecJob *job, int line) {
    Recording r = {
        .job = job, .line = line, .lock = -1, .output.fd = -1, .process = -1, .waker.fd = -1};
    take_signals(&r);
    int state = fcntl(job->state, F_DUPFD_CLOEXEC, FD_END);
    LmpErr err = state < 0 ? LMP_E_MEMFD : view_open(&view, state);
    RecEnd end = err ? failed(err, 0) : (RecEnd){.why = RECJOB_TAKEN};
    if (!err && hold(&r)) {
        end = record(&r);
        r.note->number = end.number;
        atomic_store(&r.note->bytes, end.bytes);
        atomic_store(&r.note->state,
                     end.why == RECJOB_FAILED ? LMP_RECORD_FAILED : LMP_RECORD_CLOSED);
    }
    io_close(&r.lock);
    view_close(&view);
    io_close(&r.signals);
    if (r.line >= 0) (void)!send(r.line, &end, sizeof end, MSG_NOSIGNAL);
    return end;
}

/* ---- a process of its own -------------------------------------------------------------------- */

/* Closes every descriptor of the process that started us: others wait for the end of these
 * files. */
static _Noreturn void be_recorder(const RecJob *wanted, int line) {
    RecJob job = *wanted;
    int from[FD_END] = {[FD_STATE] = wanted->state, [FD_LINE] = line, [FD_OUTPUT] = wanted->output};
    int high[FD_END] = {-1, -1, -1, -1, -1, -1};
    setsid();
    prctl(PR_SET_NAME, "recorder");
    for (int i = FD_STATE; i < FD_END; i++)
        high[i] = from[i] >= 0 ? fcntl(from[i], F_DUPFD_CLOEXEC, FD_END) : -1;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; i < FD_STATE; i++)
        if (null < 0 || dup2(null, i) < 0) close(i);
    for (int i = FD_STATE; i < FD_END; i++)
        if (high[i] < 0 || dup3(high[i], i, O_CLOEXEC) < 0) close(i);
    io_close_range(FD_END, ~0u);
    job.state = FD_STATE;
    job.output = high[FD_OUTPUT] >= 0 ? FD_OUTPUT : -1;
    recjob_run(&job, FD_LINE);
    _exit(0);
}

int recjob_start(const RecJob *job) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return -1;
    pid_t pid = fork();
    if (pid == 0) {
        pid_t own = fork(); /* nobody's child: the starting process need not wait for it */
        if (own == 0) be_recorder(job, pair[1]);
        _exit(own < 0);
    }
    int status = 1;
    if (pid > 0 && waitpid(pid, &status, 0) < 0) status = 0; /* SIGCHLD may be ignored */
    close(pair[1]);
    if (status == 0) return pair[0];
    close(pair[0]);
    return -1;
}

void recjob_give_output(int line, int output) {
    char word = RECJOB_SAY_OUTPUT;
    io_send_fds(line, &word, 1, &output, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

const char *recjob_problem(const RecEnd *end) {
    if (end->why == RECJOB_TAKEN) return "it is being recorded already";
    if (end->err >= LMP_ERRS) return "not known";
    return end->number ? err_of_file(end->number) : err_message((LmpErr)end->err);
}
