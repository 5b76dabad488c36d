/* profiler.c - wires shared state, hook, display and endings together.
 *
 * A running profile is found from its state through the registry: the key is the address of
 * `registry_key`, the value a userdata that holds the LmpProfile pointer and whose finalizer ends
 * the profile when the state is closed. It is made when the module is loaded: a state that is being
 * closed accepts no new finalizers, and a profile begun in one would never end. Profiles are also
 * in a list, for the end of the process and for fork. */
#include "agent/session/profiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <lauxlib.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "agent/charge/calls.h"
#include "agent/charge/counts.h"
#include "agent/charge/cycles.h"
#include "agent/charge/lines.h"
#include "agent/charge/names.h"
#include "agent/charge/sites.h"
#include "agent/charge/sources.h"
#include "agent/charge/tags.h"
#include "agent/charge/tree.h"
#include "agent/hook/before.h"
#include "agent/hook/break_check.h"
#include "agent/hook/foreign.h"
#include "agent/hook/hook.h"
#include "agent/hook/light.h"
#include "agent/hook/memory_told.h"
#include "agent/hook/sample.h"
#include "agent/hook/slow_path.h"
#include "agent/hook/snapshot.h"
#include "agent/hook/tick.h"
#include "agent/interp/collector.h"
#include "agent/interp/entry.h"
#include "agent/interp/learning.h"
#include "agent/interp/owner.h"
#include "agent/interp/parsing.h"
#include "agent/interp/safepoint.h"
#include "agent/interp/saved_regs.h"
#include "agent/map/shadow.h"
#include "agent/session/ending.h"
#include "agent/session/recorders.h"
#include "agent/session/resident.h"
#include "agent/session/session.h"
#include "agent/state/profile_pool.h"
#include "agent/state/state.h"
#include "base/fps.h"
#include "base/os.h"
#include "read/stats.h"
#include "shared/launch.h"

const LmpOptions profiler_defaults = {.live = false,
                                      .hold = true,
                                      .fps = LMP_FPS_DEFAULT,
                                      .summary = "-",
                                      .run_socket = -1,
                                      .lines = true,
                                      .top = LMP_TOP_DEFAULT};

static const char registry_key;

typedef struct Slot {
    LmpSafepoints of; /* with the profile, NULL: none is running */
    bool closed;      /* the state is being closed, and this is already finalized */
    LmpErr refused;   /* the script's last start, why; LMP_OK: it was not */
} Slot;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards these, and the places */
static LmpSession *sessions;
static uint32_t serials;
static atomic_bool prepared;
static pid_t process; /* of the profiles in the list */

/* ---- the list -------------------------------------------------------------------------------- */

static void list_add(LmpProfile *p) {
    pthread_mutex_lock(&lock);
    session_of(p)->next = sessions;
    sessions = session_of(p);
    pthread_mutex_unlock(&lock);
}

/* Returns false if the end of the process has taken it (at_exit). */
static bool list_remove(LmpProfile *p) {
    pthread_mutex_lock(&lock);
    for (LmpSession **at = &sessions; *at; at = &(*at)->next) {
        if (*at == session_of(p)) {
            *at = (*at)->next;
            break;
        }
    }
    bool ours = !session_of(p)->exited;
    pthread_mutex_unlock(&lock);
    return ours;
}

static bool fork_holds; /* learning (under the lock) */

static void before_fork(void) {
    bool holds = learning_hold_to_fork();
    pthread_mutex_lock(&lock);
    fork_holds = holds;
}

static void after_fork_in_parent(void) {
    bool holds = fork_holds;
    pthread_mutex_unlock(&lock);
    if (holds) learning_let();
}

/* A child shares the pages of the shared state with its parent: it must not write there. The states
 * have our allocator until they ask for a block (foreign.h). */
static void found_child(void) {
    learning_forked();
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    process = getpid();
    for (LmpSession *s = sessions; s; s = s->next) {
        foreign_forked(&s->profile);
        snapshot_forget(&s->profile);
        display_forget(&s->display);
        own_fd_close(&s->profile.file); /* its pages stay with the last who has them */
    }
    sessions = NULL;
    serials = 0;
    ending_forget();
}

/* Where no fork handler ran. */
static void look_for_child(void) {
    if (getpid() != process) found_child();
}

/* The state reads as FINISHED first; then the display ends, then the summary is written. `here`: no
 * other thread can be in the hook. */
static void finish(LmpProfile *p, const char *ending, bool here) {
    if (here) {
        snapshot_wait(p);
        tick_now(p);
        cycles_mode(p);
    } else {
        p->live->clock = lmp_os->clock() - p->start;
    }
    resident_note(p);
    atomic_store(&p->live->state, LMP_FINISHED);
    atomic_fetch_add(&p->live->changed, 1);
    lmp_os->futex_wake(&p->live->changed);
    ending_finish(p, ending);
}

/* exit() without lua_close: figures and display end here; the allocator stays (threads may still be
 * running), and so does the memory, whoever ends the profile now. What a state in another thread
 * asks for from now on is passed on. */
static void at_exit(void) {
    look_for_child();
    for (;;) {
        pthread_mutex_lock(&lock);
        LmpSession *s = sessions;
        if (s) sessions = s->next;
        if (s) s->exited = true;
        pthread_mutex_unlock(&lock);
        if (!s) return;
        LmpProfile *p = &s->profile;
        bool here = !foreign_elsewhere(p);
        if (here) { /* a state that was closed behind our back has freed all that it had */
            if (p->counters->live_bytes > 0) snapshot_at_end(p);
            collector_detach(p);
        } else {
            foreign_end(p);
        }
        finish(p, "exited", here);
    }
}

/* When the module is loaded: a fork that is under way while handlers are added does without, so
 * that moment is to be long before a lock is held. */
__attribute__((constructor)) static void handle_forks(void) {
    pthread_atfork(before_fork, after_fork_in_parent, found_child);
}

static LmpSafepoints *find_safepoints(lua_State *L);

/* Once per process: stay loaded whatever closes the module (frees come late), get notified at exit.
 * The loader is called without the lock: a thread that forks may have the loader's own. */
static void prepare_process(void) {
    Dl_info info;
    if (!atomic_load(&prepared) && dladdr(&registry_key, &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    pthread_mutex_lock(&lock);
    if (!prepared) {
        ending_at_exit(at_exit);
        safepoint_prepare(find_safepoints);
        foreign_prepare(look_for_child);
        process = getpid();
        prepared = true;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- finding --------------------------------------------------------------------------------- */

/* Returns the slot in the registry: NULL when there is none. Allocates nothing. */
static Slot *find_slot(lua_State *L) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &registry_key);
    Slot *slot = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return slot;
}

static LmpSafepoints *find_safepoints(lua_State *L) {
    Slot *slot = find_slot(L);
    return slot && !slot->closed ? &slot->of : NULL;
}

LmpProfile *session_find(lua_State *L) {
    Slot *slot = find_slot(L);
    LmpProfile *p = slot ? slot->of.profile : NULL;
    if (!p || pass_over(&p->pass)) return NULL;
    foreign_moved(p);
    return p;
}

void profiler_note_refusal(lua_State *L, LmpErr err) {
    Slot *slot = find_slot(L);
    if (slot) slot->refused = err;
}

LmpErr session_not_running(lua_State *L) {
    const Slot *slot = find_slot(L);
    return slot && slot->refused ? slot->refused : LMP_E_NOTSTARTED;
}

/* ---- stopping -------------------------------------------------------------------------------- */

/* Gives the allocator back. Returns false if another allocator covers it: then ours stays, passing
 * through for ever. */
static bool unhook(lua_State *L, LmpProfile *p) {
    void *ud;
    if (foreign_has(p, L)) lua_setallocf(L, p->pass.alloc, p->pass.ud);
    foreign_end(p);
    return lua_getallocf(L, &ud) == p->pass.alloc && ud == p->pass.ud;
}

/* What hook_choose goes by. */
static unsigned way_of(const LmpOptions *o) {
    return o->sample > 0 ? 3 : o->stacks ? 2 : o->lines || o->counts;
}

static LmpProfile *take_place(lua_State *L, const LmpOptions *options) {
    void *ud;
    lua_Alloc alloc = lua_getallocf(L, &ud);
    pthread_mutex_lock(&lock);
    LmpProfile *p = profile_pool_take(alloc, ud, way_of(options), sizeof(LmpSession));
    if (p) p->serial = ++serials;
    pthread_mutex_unlock(&lock);
    if (!p) return NULL;
    session_join(session_of(p));
    session_of(p)->intervals = NULL;
    session_of(p)->life = LIFE_WHOLE;
    foreign_clear(p);
    return p;
}

static void leave_place(LmpProfile *p) {
    pthread_mutex_lock(&lock);
    profile_pool_leave(p);
    pthread_mutex_unlock(&lock);
}

static void end_lines(LmpProfile *p) {
    names_close(p);
    tags_close(p);
    light_close(p);
    sample_close(p);
    tree_close(p);
    counts_close(p);
    lines_close(p);
    sites_close(p);
}

static LmpErr end_profile(lua_State *L, LmpProfile *p, const char *ending, LmpStats *last) {
    bool forked = pass_over(&p->pass);
    calls_end(p, p->closing ? NULL : L);
    if (!forked) foreign_tell(p); /* while our allocator should be there */
    bool unhooked = unhook(L, p), ours = list_remove(p);
    if (!forked && ours) {
        names_pass(p, L);
        snapshot_at_end(p);
        names_close(p); /* not safe for a pass from here on */
        finish(p, ending, true);
    }
    if (last) stats_derive(p->live, p->live->clock, last);
    if (!ours) return LMP_OK;
    end_lines(p);
    snapshot_forget(p);
    state_release(p);
    if (!unhooked) return LMP_E_WRAPPED; /* it keeps its place */
    leave_place(p);
    return LMP_OK;
}

/* Finalizer of the registry's userdata: the state is being closed. The debug library can call it
 * with anything. */
static int state_closes(lua_State *L) {
    Slot *slot = lua_touserdata(L, 1);
    if (!slot || !lua_getmetatable(L, 1) || lua_rawgetp(L, -1, &registry_key) != LUA_TBOOLEAN)
        return 0;
    LmpProfile *p = slot->of.profile;
    slot->of.profile = NULL;
    slot->closed = true;
    safepoint_close(&slot->of);
    if (!p) return 0;
    foreign_moved(p); /* what the thread that ran it asks for meanwhile is not the state's */
    p->closing = true;
    end_profile(L, p, "ended", NULL);
    return 0;
}

void profiler_lacks(lua_State *L, LmpErr *display, LmpErr *recording) {
    const LmpSession *s = session_of(session_find(L));
    *display = s->no_display;
    *recording = s->no_recording;
}

LmpErr profiler_stop(lua_State *L, LmpStats *last) {
    Slot *slot = find_slot(L);
    LmpProfile *p = session_find(L);
    LmpErr err = p ? LMP_OK : session_not_running(L);
    if (slot) slot->refused = LMP_OK;
    if (err) return err;
    slot->of.profile = NULL;
    return end_profile(L, p, "stopped", last);
}

/* In a forked child: ends what is left of its parent's profile. Returns the parent's pid, 0: there
 * was no profile. */
static uint32_t leave_parents(lua_State *L, Slot *slot) {
    LmpProfile *p = slot->of.profile;
    uint32_t pid = p ? p->header->pid : 0;
    slot->of.profile = NULL;
    if (p) end_profile(L, p, NULL, NULL);
    return pid;
}

/* A child that is to be followed calls start() before its first instruction after a block. */
static void follow_fork(lua_State *L) {
    Slot *slot = find_slot(L);
    if (!slot || !slot->of.profile || !pass_over(&slot->of.profile->pass)) return;
    void (*again)(lua_State *) = slot->of.again;
    slot->of.again = NULL;
    if (again) again(L);
}

/* Returns what Lua counts, in bytes. */
static uint64_t bytes_of(lua_State *L) {
    return (uint64_t)lua_gc(L, LUA_GCCOUNT) << 10 | (uint64_t)lua_gc(L, LUA_GCCOUNTB);
}

/* ---- starting -------------------------------------------------------------------------------- */

static LmpBetween *const steps[] = {names_answer, safepoint_collect, snapshot_between,
                                    limit_between, NULL};

/* Its metatable, which only we can have made, bears the same key. */
void profiler_prepare(lua_State *L) {
    if (find_slot(L)) return;
    Slot *slot = lua_newuserdatauv(L, sizeof *slot, 0);
    *slot = (Slot){.of.steps = steps};
    lua_createtable(L, 0, 2);
    lua_pushboolean(L, 1);
    lua_rawsetp(L, -2, &registry_key);
    lua_pushcfunction(L, state_closes);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &registry_key);
}

static lua_State *main_thread(lua_State *L) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
    lua_State *main = lua_tothread(L, -1);
    lua_pop(L, 1);
    return main;
}

/* Returns the name to show: the option, or the script that lua.c runs, or the program's own. */
static const char *program_name(lua_State *L, const char *wanted) {
    if (wanted) {
        lua_pushstring(L, wanted);
    } else { /* raw: a program may have made access to missing globals an error */
        lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
        lua_pushliteral(L, "arg");
        lua_rawget(L, -2);
        lua_remove(L, -2);
        if (lua_type(L, -1) == LUA_TTABLE) {
            lua_rawgeti(L, -1, 0);
            lua_remove(L, -2);
        }
    }
    if (lua_type(L, -1) != LUA_TSTRING) {
        lua_pop(L, 1);
        lua_pushstring(L, program_invocation_short_name);
    }
    return lua_tostring(L, -1); /* stays on the stack */
}

/* "Lua 5.4.4" of the interpreter that runs, not of the headers: from its identification string
 * ("$LuaVersion: Lua 5.4.4  Copyright ..."), else just LUA_VERSION. */
static void running_release(char *out, size_t size) {
    const char *ident = dlsym(RTLD_DEFAULT, "lua_ident");
    const char *lua = ident ? strstr(ident, LUA_VERSION) : NULL;
    size_t length = lua ? strcspn(lua + 4, " ") + 4 : 0;
    snprintf(out, size, "%.*s", length ? (int)length : (int)strlen(LUA_VERSION),
             length ? lua : LUA_VERSION);
}

/* Looks now and then whether the display is still there. */
static void look_at_display(LmpProfile *p) {
    display_check(&session_of(p)->display);
}

static LmpErr start_display(LmpProfile *p, const LmpOptions *options) {
    LmpDisplayOptions wanted = {options->hold, options->fps, options->summary, options->run_socket};
    char command[4096];
    /* With raised privileges, whoever is at the terminal could use them through our command, an
     * editor or a picture. */
    if (getauxval(AT_SECURE)) return LMP_E_SECURE;
    if (options->run_socket >= 0) wanted.summary = "";
    LmpErr err = ending_find_command(command, sizeof command);
    return err ? err : display_start(&session_of(p)->display, p->file.fd, command, &wanted);
}

/* Starts the tables of who makes what. Without memory for them the profile goes on without:
 * tables.lines says so. */
static void start_lines(LmpProfile *p, lua_State *L, const LmpOptions *options) {
    bool samples = options->sample > 0; /* so few that their call paths cost nothing */
    LmpTablesUsed *tables = &p->live->tables;
    if (!options->lines && !options->stacks && !samples && !options->counts) return;
    tables->counts = options->counts; /* memory for them is reserved with the rest */
    tables->why = LMP_WHY_MEMORY;
    tables->stacks_why = options->stacks ? LMP_WHY_MEMORY : LMP_WHY_NOT;
    tables->sample_why = samples ? LMP_WHY_MEMORY : LMP_WHY_NOT;
    tables->counts_why = options->counts ? LMP_WHY_MEMORY : LMP_WHY_NOT;
    if (sites_open(p)) {
        tables->counts = 0;
        return;
    }
    parsing_prepare();
    sources_prepare();
    if (lines_open(p, L)) {
        sites_close(p);
        tables->counts = 0;
        return;
    }
    if (options->stacks && !p->framed) tables->stacks_why = LMP_WHY_FRAMES;
    if ((options->stacks || samples) && p->framed && tree_open(p) == LMP_OK) tables->stacks = 1;
    /* Sampling begins in the entry point; where there is none, every block is accounted for. */
    bool entry = LMP_HAS_ENTRY && !saved_regs_none();
    if (samples && !entry) tables->sample_why = LMP_WHY_ENTRY;
    p->exact = !samples || !entry || sample_open(p, options->sample) != LMP_OK;
    names_open(p);
    names_pass(p, L);
    if (options->counts) counts_open(p, options->counts);
}

/* The first of the requested options that is not available. */
static LmpErr first_lack(const LmpProfile *p) {
    LmpStats s;
    stats_derive(p->live, 0, &s);
    if (s.lines == LMP_LINES_OFF && s.why) return LMP_E_NOLINES;
    return s.stacks_why                 ? LMP_E_NOSTACKS
           : s.sample_why               ? LMP_E_NOSAMPLE
           : p->live->tables.counts_why ? LMP_E_NOCOUNTS
                                        : LMP_OK;
}

/* The program ran before: what lives already. */
static void enter_before(LmpProfile *p) {
    uint64_t entered = before_enter(p), all = p->header->before;
    p->header->before = all > entered ? all - entered : 0;
}

LmpErr profiler_start(lua_State *L, const LmpOptions *options, LmpErr *lack) {
    *lack = LMP_OK;
    follow_fork(L);
    LmpProfile *running = session_find(L);
    LmpSession *of = running ? session_of(running) : NULL;
    if (of && of->life == LIFE_ADOPTABLE) { /* the script means this profile */
        of->life = LIFE_WHOLE;
        return LMP_OK;
    }
    if (of && of->life == LIFE_KEPT && !of->intervals) {
        profiler_stop(L, NULL);
    } else if (of) {
        return LMP_E_STARTED;
    }
    if (options->record && recorders_possible(options->record)) return LMP_E_FILE;
    prepare_process();
    profiler_prepare(L);
    Slot *slot = find_slot(L);
    if (slot->closed) return LMP_E_CLOSED;
    uint32_t parent = leave_parents(L, slot);
    const char *name = program_name(L, options->name);
    char release[32];
    running_release(release, sizeof release);
    if (session_find(L)) return LMP_E_STARTED; /* by a finalizer, just now */
    LmpProfile *p = take_place(L, options);
    LmpErr err = p ? LMP_OK : LMP_E_NOMEM;
    if (p) {
        p->file = OWN_FD_NONE;
        session_of(p)->display = DISPLAY_NONE;
        LmpIdentity identity = {
            name,         release, (uint32_t)getpid(), p->serial, (uint32_t)(1e6 / options->fps),
            options->top, parent,  bytes_of(L)};
        err = state_create(p, &identity);
    }
    lua_pop(L, 1);
    if (err) {
        if (p) leave_place(p);
        if (options->run_socket >= 0) ending_refused(options->run_socket);
        return err;
    }
    snapshot_attach(p, options->snapshot, options->snapshot_child);
    break_check_own(p, options->breaks);
    p->main = main_thread(L);
    p->safepoints = &slot->of;
    p->at_look = look_at_display;
    p->skew = shadow_usual_skew(L);
    p->tick_ops = 16;
    p->owners = owner_classes();
    start_lines(p, L, options);
    slow_path_route(p);
    p->live->owners_known = p->owners != NULL;
    ending_prepare(p, options);
    bool live = options->live;
    if (options->run_socket >= 0) session_of(p)->life = LIFE_ADOPTABLE;
    slot->of.again = options->again;
    if (options->run_socket >= 0) live = ending_handshake(p, options->run_socket) && live;
    LmpSession *s = session_of(p);
    s->no_display = live ? start_display(p, options) : LMP_OK;
    s->no_recording = options->record ? recorders_start(s, options->record) : LMP_OK;
    *lack = s->no_display ? s->no_display : s->no_recording ? s->no_recording : first_lack(p);
    collector_attach(p, L, p->pass.alloc, p->pass.ud);
    cycles_mode(p);
    foreign_begin(p, L);
    list_add(p);
    slot->of.profile = p;
    if (options->attached) enter_before(p);
    tick_now(p);
    atomic_store(&p->live->state, LMP_RUNNING);
    calls_begin(p, L);
    memory_told_begin(p, L);
    light_prepare(p, live);
    lua_setallocf(L, hook_choose(p), p);
    return LMP_OK;
}
