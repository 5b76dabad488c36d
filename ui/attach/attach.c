/* attach.c - the steps, and a sentence for whatever forbids one. What holds the threads is a
 * process of its own: with its end the system lets all of them go, whatever has happened. */
#include "attach/attach.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach/luastates.h"
#include "attach/stub.h"
#include "attach/target.h"
#include "attach/tracer.h"
#include "base/os.h"
#include "base/procfile.h"

enum { STACK_BYTES = 16 << 10, TRIES = 25 };
#define LATER_S 0.3

__attribute__((format(printf, 2, 3))) static bool refuse(AttachResult *r, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(r->why, sizeof r->why, format, args);
    va_end(args);
    return false;
}

static double seconds(void) {
    return (double)lmp_os->clock() * 1e-9;
}

/* ---- may it be done? ------------------------------------------------------------------------- */

/* Returns the number, of "State:" the letter, that follows a name in /proc/PID/status; -1: none
 * does. */
static long status_of(pid_t pid, const char *name) {
    char path[40], value[80];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    if (!procfile_line(path, name, value, sizeof value)) return -1;
    return isdigit((unsigned char)*value) ? strtol(value, NULL, 10) : *value;
}

static bool refuse_tracing(AttachResult *r, pid_t pid, int err) {
    char scope[8];
    procfile_line("/proc/sys/kernel/yama/ptrace_scope", "", scope, sizeof scope);
    long tracer = status_of(pid, "TracerPid:");
    if (err == EBUSY)
        return refuse(r, "a thread of process %d waits for a device; try again", (int)pid);
    if (tracer > 0)
        return refuse(r, "process %d is traced already, by process %ld (a debugger?)", (int)pid,
                      tracer);
    if (status_of(pid, "Uid:") != (long)getuid() && geteuid() != 0)
        return refuse(r, "process %d belongs to another user; do it as that user, or as root",
                      (int)pid);
    if (strtol(scope, NULL, 10) > 0 && geteuid() != 0)
        return refuse(r,
                      "the system lets a process trace only what it has started itself: as root, "
                      "or after sysctl kernel.yama.ptrace_scope=0");
    if (err == EPERM || err == EACCES)
        return refuse(r,
                      "not permitted to trace process %d (setuid, or without the capability "
                      "CAP_SYS_PTRACE in a container?)",
                      (int)pid);
    return refuse(r, "cannot trace process %d: %s", (int)pid, strerror(err));
}

/* Returns 0 if the program sees the same file under this name, EACCES if we may not look, else
 * ENOENT. */
static int sees(pid_t pid, const char *module) {
    char path[4500];
    struct stat here, there;
    snprintf(path, sizeof path, "/proc/%d/root%s", (int)pid, module);
    if (stat(path, &there)) return errno == EACCES ? EACCES : ENOENT;
    return stat(module, &here) == 0 && here.st_ino == there.st_ino && here.st_dev == there.st_dev
               ? 0
               : ENOENT;
}

static bool may(const AttachWish *wish, AttachResult *r) {
    pid_t pid = wish->pid;
    long state = status_of(pid, "State:");
    if (!ATTACH_CPU) return refuse(r, "lmp attaches to programs on x86-64 and aarch64 only");
    if (state < 0 || state == 'Z' || state == 'X')
        return refuse(r, "there is no process %d", (int)pid);
    if (state == 'T')
        return refuse(r, "process %d is stopped; let it go on first (kill -CONT)", (int)pid);
    if (status_of(pid, "Seccomp:") > 0)
        return refuse(
            r,
            "process %d runs under seccomp, which may kill it for loading a module; start "
            "it with lmp run",
            (int)pid);
    return true;
}

/* Takes the module of the program's version of Lua, if the program has the same file. */
static bool choose_module(const char *module, pid_t pid, LmpAttach *data, AttachResult *r) {
    int seen = sees(pid, module);
    if (seen == EACCES) return refuse_tracing(r, pid, EACCES);
    if (seen)
        return refuse(r,
                      "process %d has other files than lmp (a container?): install lmp there, and "
                      "attach from there",
                      (int)pid);
    if (strlen(module) >= sizeof data->module) return refuse(r, "names are too long");
    snprintf(data->module, sizeof data->module, "%s", module);
    return true;
}

/* ---- which Lua? ------------------------------------------------------------------------------ */

/* What tells one version from the next, the newest first: a function that came with it. */
static const struct {
    const char *symbol, *version;
} versions[] = {
    {"luaJIT_setmode", "LuaJIT"}, {"lua_pushexternalstring", "Lua 5.5"},
    {"lua_setwarnf", "Lua 5.4"},  {"lua_isyieldable", "Lua 5.3"},
    {"lua_callk", "Lua 5.2"},     {"lua_pcall", "Lua 5.1"},
};

static const char *version_of(const Target *t, const TargetObject *lua) {
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (target_symbol(t, lua, versions[i].symbol)) return versions[i].version;
    return "";
}

/* lua_sethook of a Lua that was compiled as C++. */
#define CXX_SETHOOK "_Z11lua_sethookP9lua_StatePFvS0_P9lua_DebugEii"

/* Finds all functions that are needed, and the module. */
static bool find_functions(const Target *t, const AttachWish *wish, LmpAttach *data, bool *newer,
                           AttachResult *r) {
    static const char *const luas[LMP_LUAS] = LMP_LUA_LIST;
    const TargetObject *lua = NULL;
    data->sethook = target_find(t, "lua_sethook", &lua);
    if (!data->sethook)
        return refuse(r,
                      target_find(t, CXX_SETHOOK, &lua)
                          ? "process %d has a Lua that was compiled as C++, whose functions have "
                            "other names: lmp needs those of C"
                          : "process %d has no functions of Lua (or it is linked statically, and "
                            "hides them)",
                      (int)t->pid);
    const char *version = version_of(t, lua);
    int which = 0;
    while (which < LMP_LUAS && strcmp(version + (*version ? 4 : 0), luas[which]))
        which++;
    if (which == LMP_LUAS)
        return refuse(r, "process %d runs %s; lmp is for Lua 5.4 and 5.5", (int)t->pid, version);
    if (!wish->module[which][0])
        return refuse(
            r, "process %d runs %s, and lmp has no module for it: build lmp with its headers",
            (int)t->pid, version);
    *newer = which > 0;
    if (!choose_module(wish->module[which], t->pid, data, r)) return false;
    if (lua != &t->object[0]) snprintf(data->lua, sizeof data->lua, "%s", lua->path);
    data->gethook = target_symbol(t, lua, "lua_gethook");
    data->gethookmask = target_symbol(t, lua, "lua_gethookmask");
    data->gethookcount = target_symbol(t, lua, "lua_gethookcount");
    data->dlopen = target_find(t, "dlopen", NULL);
    data->dlsym = target_find(t, "dlsym", NULL);
    data->dlerror = target_find(t, "dlerror", NULL);
    if (!data->gethook || !data->gethookmask || !data->gethookcount || !data->dlopen ||
        !data->dlsym || !data->dlerror)
        return refuse(r, "process %d cannot load modules (linked statically?)", (int)t->pid);
    return true;
}

/* ---- while the threads stand ----------------------------------------------------------------- */

typedef struct Held {
    Target *target;
    Tracer tracer;
    LmpAttach *data;
    LuaStates looked; /* before any thread was held */
    AttachStubHead head;
    uint64_t cave;
    AttachResult *result;
    bool newer; /* Lua 5.5 */
    bool busy;  /* no thread was where it can be used: soon one is */
} Held;

/* What an earlier command has left: the stub, with its memory. */
static bool left_before(const Held *h, const TargetObject *o, AttachStubHead *head) {
    char code[2048];
    uint64_t magic = 0, at = offsetof(LmpAttach, magic);
    size_t size = attach_stub_size();
    return o->cave_size >= size && size <= sizeof code &&
           target_read(h->target, o->cave, code, size) &&
           !memcmp(code + sizeof *head, attach_stub_begin + sizeof *head, size - sizeof *head) &&
           target_read(h->target, o->cave, head, sizeof *head) &&
           target_read(h->target, head->data + at, &magic, sizeof magic) &&
           magic == LMP_ATTACH_MAGIC;
}

/* Returns what is never unloaded and has a cave of `size`: the C library, the loader (each by a
 * symbol of it), or the program itself. Returns NULL if none has. */
static const TargetObject *find_lasting(const Target *t, size_t size) {
    static const char *const symbols[] = {"dlopen", "__tls_get_addr"};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        const TargetObject *o = NULL;
        if (target_find(t, symbols[i], &o) && o->cave_size >= size) return o;
    }
    return t->object[0].cave_size >= size ? &t->object[0] : NULL;
}

/* Finds a place for the stub: where one is already, else where it may stay. */
static bool find_cave(Held *h, bool *before) {
    const Target *t = h->target;
    for (size_t i = 0; i < t->objects; i++) {
        const TargetObject *o = &t->object[i];
        *before = left_before(h, o, &h->head);
        if (*before) {
            h->cave = o->cave;
            return true;
        }
    }
    h->head = (AttachStubHead){0};
    const TargetObject *place = find_lasting(t, attach_stub_size() + ATTACH_LANDING);
    h->cave = place ? place->cave : 0;
    return place;
}

static bool write_head(const Held *h) {
    return target_write(h->target, h->cave, &h->head, sizeof h->head);
}

enum { SETHOOK_BYTES = 512 }; /* more than that function has */

/* Returns what the stub has to jump to so that the thread goes on: where the thread stands, or a
 * landing, which is to be written to the end of a cave. Returns 0 if no cave is near enough. */
static uint64_t find_landing(const Held *h, const TracedThread *thread, uint32_t *landing) {
    uint64_t resume = registers_resume(&thread->regs);
    if (!ATTACH_LANDING) return resume;
    for (size_t i = 0; i < h->target->objects; i++) {
        const TargetObject *o = &h->target->object[i];
        uint64_t at = o->cave + o->cave_size - ATTACH_LANDING;
        if (o->cave_size && attach_stub_land(landing, at, resume)) return at;
    }
    return 0;
}

static bool write_landing(Held *h, const TracedThread *thread) {
    uint32_t landing[4];
    h->head.resume = find_landing(h, thread, landing);
    return h->head.resume &&
           (!ATTACH_LANDING || target_write(h->target, h->head.resume, landing, ATTACH_LANDING));
}

/* Returns true if a thread is not through with what an earlier command has sent it to. */
static bool half_done(const Held *h, const TracedThread *thread) {
    bool is = tracer_is_in(thread, h->data->sethook, SETHOOK_BYTES);
    for (size_t i = 0; i < h->target->objects && !is; i++)
        is = tracer_is_in(thread, h->target->object[i].cave, h->target->object[i].cave_size);
    return is;
}

static TracedThread *choose_thread(Held *h) {
    uint32_t landing[4];
    TracedThread *best = NULL;
    for (uint32_t i = 0; i < h->tracer.threads; i++) {
        TracedThread *thread = &h->tracer.thread[i];
        if (half_done(h, thread)) return NULL;
        tracer_settle(&h->tracer, thread);
        if (!tracer_can_run(&h->tracer, thread, h->head.registers_size + STACK_BYTES)) continue;
        if (!find_landing(h, thread, landing)) continue;
        bool waits = registers_wait(&thread->regs, h->target);
        if (!best || !waits) best = thread;
        if (!waits) break;
    }
    return best;
}

static bool run_stub(Held *h, TracedThread *thread, const char *entry, uint64_t done,
                     uint64_t mapped) {
    TracerRun run = {.entry = h->cave + (uint64_t)(entry - attach_stub_begin),
                     .from = h->cave,
                     .to = h->cave + attach_stub_size(),
                     .resume = h->head.resume,
                     .done = done,
                     .mapped = mapped};
    return tracer_run(&h->tracer, thread, &run);
}

/* Has the thread map memory for the data, in which nothing is noted yet. */
static bool make_room(Held *h, TracedThread *thread) {
    uint64_t magic = LMP_ATTACH_MAGIC;
    attach_stub_registers(&h->head);
    h->head.data = target_gap(h->target, LMP_ATTACH_BYTES);
    return h->head.data && write_landing(h, thread) &&
           target_write(h->target, h->cave, attach_stub_begin, attach_stub_size()) &&
           write_head(h) && run_stub(h, thread, attach_stub_map, 0, h->head.data) &&
           target_write(h->target, h->head.data + offsetof(LmpAttach, magic), &magic, sizeof magic);
}

/* What an earlier command has noted of hooks is still true where they stand, and needed where one
 * has not been called yet. */
static void keep_noted(LmpAttach *data, const LmpAttach *before) {
    data->known = data->states;
    for (uint32_t i = 0; i < before->known && i < LMP_ATTACH_STATES; i++) {
        uint32_t at = 0;
        while (at < data->states && data->of[at].L != before->of[i].L)
            at++;
        if (at == data->states && data->known < LMP_ATTACH_STATES) at = data->known++;
        if (at < data->known) data->of[at] = before->of[i];
    }
}

/* Finds all states and sets their hooks. What was found is gone, perhaps, once a thread has run: if
 * memory had to be mapped first, all is to be done again. */
static bool set_hooks(Held *h) {
    bool before;
    LmpAttach old = {0}, *data = h->data;
    LuaStates found = h->looked;
    uint32_t pid = (uint32_t)h->target->pid;
    if (!find_cave(h, &before))
        return refuse(h->result, "process %u has no room for lmp's code", pid);
    if (!before) attach_stub_registers(&h->head);
    TracedThread *thread = choose_thread(h);
    h->busy = !thread;
    if (h->busy) return refuse(h->result, "no thread of process %u could be used; try again", pid);
    luastates_find(&found, &h->tracer, h->newer);
    if (!found.globals) return refuse(h->result, "no Lua state was found in process %u", pid);
    if (!before) {
        h->busy = make_room(h, thread);
        return refuse(h->result, "process %u does not give lmp memory", pid);
    }
    h->result->globals = data->globals = found.globals;
    h->result->more = found.more;
    data->states = data->known = found.states;
    for (uint32_t i = 0; i < found.states; i++)
        data->of[i] = (LmpAttachState){.L = found.L[i]};
    if (target_read(h->target, h->head.data, &old, sizeof old)) keep_noted(data, &old);
    for (uint32_t i = 0; i < found.globals; i++)
        data->global[i].main = found.main[i];
    data->hook = h->cave + (uint64_t)(attach_stub_hook - attach_stub_begin);
    bool set = write_landing(h, thread) &&
               target_write(h->target, h->head.data, data, sizeof *data) && write_head(h) &&
               run_stub(h, thread, attach_stub_hooks, h->head.data + offsetof(LmpAttach, set), 0);
    return set || refuse(h->result, "process %u did not do what it was sent to do", pid);
}

static bool hold_once(Held *h) {
    double begun = seconds();
    int err = tracer_hold(&h->tracer, h->target);
    if (err) return refuse_tracing(h->result, h->target->pid, err);
    h->busy = false;
    bool set = target_read_maps(h->target)
                   ? set_hooks(h)
                   : refuse(h->result, "there is no process %d", (int)h->target->pid);
    tracer_let_go(&h->tracer);
    h->result->held += seconds() - begun;
    return set;
}

/* In a process of its own. */
static bool hold_and_set(Target *target, bool newer, LmpAttach *data, AttachResult *result,
                         uint64_t *at) {
    Held h = {.target = target, .data = data, .result = result, .newer = newer};
    struct timespec moment = {.tv_nsec = 20000000};
    luastates_look(&h.looked, target, newer);
    bool set = hold_once(&h);
    for (int i = 1; !set && h.busy && i < TRIES; i++) {
        nanosleep(&moment, NULL);
        set = hold_once(&h);
    }
    if (set) result->why[0] = 0;
    *at = h.head.data;
    return set;
}

/* ---- all of it ------------------------------------------------------------------------------- */

typedef struct Said {
    bool set;
    uint64_t at;
    AttachResult result;
} Said;

static bool hold_in_child(Target *target, bool newer, LmpAttach *data, AttachResult *result,
                          uint64_t *at) {
    int pipes[2];
    static Said said;
    size_t got = 0;
    if (pipe2(pipes, O_CLOEXEC)) return refuse(result, "no pipe: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        said.set = hold_and_set(target, newer, data, &said.result, &said.at);
        ssize_t n = write(pipes[1], &said, sizeof said);
        _exit(n == sizeof said ? 0 : 1);
    }
    close(pipes[1]);
    while (child > 0 && got < sizeof said) {
        ssize_t n = read(pipes[0], (char *)&said + got, sizeof said - got);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        got += (size_t)n;
    }
    close(pipes[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    if (got < sizeof said)
        return refuse(result, "what was to hold process %d was killed", (int)target->pid);
    *result = said.result;
    *at = said.at;
    return said.set;
}

/* Waits until a hook was called in each state, or the time is over. */
static bool wait_for(const Target *t, uint64_t at, const AttachWish *wish, LmpAttach *data,
                     AttachResult *r) {
    struct timespec moment = {.tv_nsec = 5000000};
    double until = seconds() + wish->wait;
    for (;; nanosleep(&moment, NULL)) {
        uint32_t refused = 0;
        r->done = 0;
        if (!target_read(t, at, data, sizeof *data))
            return refuse(r, "process %d has ended", (int)t->pid);
        for (uint32_t i = 0; i < data->globals && i < LMP_ATTACH_GLOBALS; i++) {
            uint32_t state = atomic_load(&data->global[i].state);
            if (state == LMP_ATTACH_DONE && !r->done++) r->serial = data->global[i].serial;
            refused += state == LMP_ATTACH_REFUSED;
        }
        if (r->done + refused >= data->globals || data->error) break;
        double now = seconds();
        if (r->done && until > now + LATER_S) until = now + LATER_S;
        if (now > until) break;
    }
    uint32_t over = 1;
    r->held += data->began_us / 1e6;
    target_write(t, at + offsetof(LmpAttach, over), &over, sizeof over);
    if (data->error) {
        char text[1024] = "";
        target_read_text(t, data->error, text, sizeof text);
        return refuse(r, "process %d cannot load lmp's module: %s", (int)t->pid, text);
    }
    data->why[sizeof data->why - 1] = 0;
    if (data->why[0]) refuse(r, "%s", data->why);
    if (r->done || data->why[0]) return r->done > 0;
    return refuse(
        r,
        "in %.3g s process %d has not run an instruction of Lua (it waits, or works in C): "
        "try again with a longer --wait",
        wish->wait, (int)t->pid);
}

bool attach_run(const AttachWish *wish, AttachResult *result) {
    static LmpAttach data; /* large */
    Target target;
    uint64_t at = 0;
    bool newer = false;
    *result = (AttachResult){0};
    data = (LmpAttach){.magic = LMP_ATTACH_MAGIC};
    if (!may(wish, result)) return false;
    if (strlen(wish->options) >= sizeof data.options) return refuse(result, "names are too long");
    snprintf(data.entry, sizeof data.entry, "%s", LMP_ATTACH_ENTRY);
    snprintf(data.options, sizeof data.options, "%s", wish->options);
    bool done = target_open(&target, wish->pid);
    if (!done) {
        if (target.maps)
            refuse(result, "process %d is no program of 64 bits", (int)wish->pid);
        else
            refuse_tracing(result, wish->pid, errno ? errno : EPERM);
    } else {
        done = find_functions(&target, wish, &data, &newer, result) &&
               hold_in_child(&target, newer, &data, result, &at) &&
               wait_for(&target, at, wish, &data, result);
    }
    target_close(&target);
    return done;
}
