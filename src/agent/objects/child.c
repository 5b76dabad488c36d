/* child.c - the child is cloned with all signals blocked and no exit signal; it beats by a counter
 * in shared memory and by setting its alarm again, and the program reaps it by its pid alone. */
#include "agent/objects/child.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/forkos.h"
#include "base/format.h"
#include "base/io.h"
#include "base/os.h"

#define LOOK_NS 20000000u  /* between two questions whether it is gone, where it has not said so */
#define NAP_NS 1000000u    /* while waiting for it */
#define MOST_NS 500000000u /* that count between two looks */
#define OOM_SCORE "1000"   /* where memory runs out it goes first */

/* ---- the child ------------------------------------------------------------------------------- */

typedef struct Start {
    void (*work)(void *of);
    void *of;
    int keep;
} Start;

static void set_alarm(void) {
    struct itimerval in = {.it_value = {.tv_sec = CHILD_QUIET_NS / 1000000000u}};
    setitimer(ITIMER_REAL, &in, NULL);
}

/* Our parent has blocked all signals. One that a fault of ours raises kills us all the same. */
static int child_main(void *of) {
    const Start *start = of;
    struct sigaction plain = {.sa_handler = SIG_DFL};
    struct rlimit none = {0, 0};
    sigset_t ours;
    if (start->keep > 0) io_close_range(0, (unsigned)start->keep - 1);
    io_close_range((unsigned)start->keep + 1, ~0u);
    prctl(PR_SET_NAME, "lmp-snapshot");
    setrlimit(RLIMIT_CORE, &none);
    sigaction(SIGALRM, &plain, NULL);
    sigemptyset(&ours);
    sigaddset(&ours, SIGALRM);
    set_alarm();
    sigprocmask(SIG_UNBLOCK, &ours, NULL);
    fork_os->set_text("/proc/self/oom_score_adj", OOM_SCORE);
    start->work(start->of);
    _exit(0);
}

void child_beat(LmpBeat *beat) {
    atomic_fetch_add(&beat->beats, 1);
    set_alarm();
}

/* ---- the program ----------------------------------------------------------------------------- */

int child_begin(LmpChild *c, const LmpBeat *beat, int keep, void (*work)(void *of), void *of,
                uint64_t now) {
    Start start = {work, of, keep};
    sigset_t all, before;
    *c = (LmpChild){.beat = beat, .looked = now};
    c->stack = lmp_os->map(CHILD_STACK, -1, 0, true);
    if (!c->stack) return ENOMEM;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int pid = fork_os->fork(child_main, (char *)c->stack + CHILD_STACK, &start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (pid > 0) {
        c->pid = pid;
        return 0;
    }
    child_forget(c);
    return -pid;
}

void child_forget(LmpChild *c) {
    if (c->stack) lmp_os->unmap(c->stack, CHILD_STACK);
    c->stack = NULL;
    c->pid = 0;
}

/* Only time in which the program looks is counted: both may have been stopped for a while. */
static void watch(LmpChild *c, uint64_t now) {
    uint64_t beats = atomic_load(&c->beat->beats), passed = now - c->looked;
    c->looked = now;
    c->quiet += passed < MOST_NS ? passed : MOST_NS;
    if (beats != c->beats) c->quiet = 0;
    c->beats = beats;
    if (c->quiet < CHILD_QUIET_NS || c->killed) return;
    c->killed = true;
    fork_os->kill(c->pid);
}

bool child_look(LmpChild *c, uint64_t now, ForkEnd *end) {
    bool done = atomic_load(&c->beat->phase) == LMP_BEAT_DONE;
    if (c->pid == 0 || (!done && now - c->looked < LOOK_NS)) return c->pid == 0;
    *end = fork_os->reap(c->pid, false);
    if (end->gone)
        child_forget(c);
    else
        watch(c, now);
    return end->gone;
}

ForkEnd child_wait(LmpChild *c) {
    ForkEnd end = {true, 0, 0};
    _Atomic uint32_t nap = 0;
    while (c->pid) {
        end = fork_os->reap(c->pid, false);
        if (end.gone) {
            child_forget(c);
        } else {
            watch(c, lmp_os->clock());
            lmp_os->futex_wait(&nap, 0, NAP_NS);
        }
    }
    return end;
}

/* ---- memory for a second copy ---------------------------------------------------------------- */

/* Reads the number behind `name` in a file of such lines. Returns false if it is not there. */
static bool number_of(const char *text, const char *name, uint64_t *out) {
    size_t n = strlen(name);
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        if (strncmp(line, name, n) != 0) continue;
        char *end;
        *out = strtoull(line + n, &end, 10);
        return end != line + n;
    }
    return false;
}

/* The memory that a child would have twice: the program's own, without files and shared memory. */
static bool own_memory(uint64_t *bytes) {
    char text[256];
    unsigned long long whole, resident, shared;
    if (fork_os->text("/proc/self/statm", text, sizeof text) <= 0 ||
        sscanf(text, "%llu %llu %llu", &whole, &resident, &shared) != 3 || shared > resident)
        return false;
    *bytes = (resident - shared) * lmp_os->page();
    return true;
}

/* ---- the memory cgroup ----------------------------------------------------------------------- */

static const struct Version {
    const char *list, *root, *most, *now, *files; /* its line in /proc/self/cgroup begins so */
} versions[] = {
    {"0::", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "},
    {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file "},
};

static int read_in(const struct Version *v, const char *group, const char *name, char *out,
                   size_t size) {
    char path[1024];
    int n = snprintf(path, sizeof path, "%s%s/%s", v->root, group, name);
    return n > 0 && (size_t)n < sizeof path ? fork_os->text(path, out, size) : -1;
}

/* What one group still allows, files that can be given up not counted as used. */
static bool left_in(const struct Version *v, const char *group, uint64_t *left) {
    char text[4096];
    char *end;
    if (read_in(v, group, v->most, text, sizeof text) <= 0) return false;
    uint64_t most = strtoull(text, &end, 10);
    if (end == text) return false; /* "max" */
    if (read_in(v, group, v->now, text, sizeof text) <= 0) return false;
    uint64_t now = strtoull(text, NULL, 10), files = 0;
    if (read_in(v, group, "memory.stat", text, sizeof text) > 0) number_of(text, v->files, &files);
    now -= files < now ? files : now;
    *left = most > now ? most - now : 0;
    return true;
}

/* The least that the program's group and those above it allow. */
static bool left_in_groups(const struct Version *v, const char *list, uint64_t *least) {
    char group[512];
    bool known = false;
    const char *line = strncmp(list, v->list, strlen(v->list)) == 0 ? list : strstr(list, v->list);
    if (!line) return false;
    line += strlen(v->list);
    size_t n = strcspn(line, "\n");
    if (n >= sizeof group) return false;
    memcpy(group, line, n);
    group[n] = 0;
    for (;;) {
        uint64_t left = 0;
        if (strcmp(group, "/") == 0) group[0] = 0;
        if (left_in(v, group, &left) && (!known || left < *least)) {
            *least = left;
            known = true;
        }
        char *slash = strrchr(group, '/');
        if (!slash) return known;
        *slash = 0;
    }
}

bool child_fits_twice(char *why, size_t size) {
    char text[4096], need[LMP_NUM], have[LMP_NUM];
    uint64_t own, available = 0, left = 0;
    why[0] = 0;
    if (!own_memory(&own)) return true;
    bool known = fork_os->text("/proc/meminfo", text, sizeof text) > 0 &&
                 number_of(text, "MemAvailable:", &available);
    if (known && available * 1024 < own) {
        snprintf(why, size, "%s may be needed twice, %s are available", format_bytes(need, own),
                 format_bytes(have, available * 1024));
        return false;
    }
    if (fork_os->text("/proc/self/cgroup", text, sizeof text) <= 0) return true;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        if (!left_in_groups(&versions[i], text, &left) || left >= own) continue;
        snprintf(why, size, "%s may be needed twice, the cgroup allows %s more",
                 format_bytes(need, own), format_bytes(have, left));
        return false;
    }
    return true;
}
