/* safepoint.c - lends the hook of each thread that may run next: notes it, sets ours with a count
 * of one, and gives all of them back when ours is first called; then does what was requested. */
#include "agent/interp/safepoint.h"

#include "agent/interp/stack.h"
#include "base/os.h"

enum { LENT_MOST = 2 * LMP_CHAIN };
#define ASK_AGAIN_NS 50000000u /* time between two attempts */

/* The program's hook of a thread. */
typedef struct Lent {
    lua_State *L; /* may be gone */
    lua_Hook hook;
    int mask, count;
} Lent;

struct LmpLent {
    uint32_t n, next; /* in use; the one to overwrite when all are */
    Lent last;        /* of the thread that ran when we came: new ones inherit it */
    Lent of[LENT_MOST];
};

static LmpFindSafepoints *find_of;

static void between(lua_State *L, lua_Debug *ar);

void safepoint_prepare(LmpFindSafepoints *find) {
    find_of = find;
}

bool safepoint_same(lua_State *L, const LmpProfile *p, uint64_t begun) {
    const LmpSafepoints *of = find_of(L);
    return of && of->profile == p && p->slot.begun == begun;
}

void safepoint_hold_signals(sigset_t *before) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

/* ---- lending --------------------------------------------------------------------------------- */

static Lent *find(LmpLent *lent, const lua_State *L) {
    for (uint32_t i = 0; i < lent->n; i++)
        if (lent->of[i].L == L) return &lent->of[i];
    return NULL;
}

static void note(LmpLent *lent, const Lent *one) {
    Lent *at = find(lent, one->L);
    if (!at && lent->n < LENT_MOST) at = &lent->of[lent->n++];
    if (!at) at = &lent->of[lent->next++ % LENT_MOST];
    *at = *one;
    lent->last = *one;
}

static LmpLent *open_lent(LmpProfile *p) {
    LmpSafepoints *of = p->safepoints;
    if (!of->lent) of->lent = lmp_os->map(sizeof *of->lent, -1, 0, true);
    return of->lent;
}

/* Lets the request be served at the next instruction of L; may be called from anywhere. Returns
 * false if there is no memory to note L's hook. */
static bool safepoint_request(LmpProfile *p, lua_State *L) {
    LmpLent *lent = open_lent(p);
    sigset_t before;
    if (!lent) return false;
    safepoint_hold_signals(&before);
    Lent one = {L, lua_gethook(L), lua_gethookmask(L), lua_gethookcount(L)};
    if (one.hook != between) {
        if (!one.hook) one.mask = one.count = 0;
        note(lent, &one);
        lua_sethook(L, between, one.mask | LUA_MASKCOUNT, 1);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return true;
}

bool safepoint_request_all(LmpProfile *p) {
    lua_State *chain[LMP_CHAIN];
    bool ok = true;
    int n = stack_chain(p->main, chain);
    for (int i = 0; i < n; i++) /* the one that runs comes last */
        ok = safepoint_request(p, chain[i]) && ok;
    lua_State *running = p->lines ? (lua_State *)p->running : NULL; /* NOLINT */
    if (running) ok = safepoint_request(p, running) && ok;          /* C code may have resumed it */
    return ok;
}

void safepoint_request_seen(LmpProfile *p) {
    lua_State *running = p->lines ? (lua_State *)p->running : NULL; /* NOLINT */
    safepoint_request(p, p->main);
    if (running && running != p->main) safepoint_request(p, running);
}

/* That of the last tick may be long past. */
static uint64_t clock_now(const LmpProfile *p) {
    return lmp_os->clock() - p->start;
}

void safepoint_ask(LmpProfile *p, LmpErrand *errand) {
    *errand = (LmpErrand){.due = p->whole, .waits = !p->whole, .asked = clock_now(p)};
    if (p->whole) {
        atomic_store(&p->control->trap, 1);
    } else {
        safepoint_request_seen(p);
    }
}

void safepoint_serve(LmpProfile *p, LmpErrand *errand, bool stack_safe) {
    if (!errand->due) return;
    errand->waits = stack_safe && safepoint_request_all(p);
    errand->due = !errand->waits;
    errand->asked = clock_now(p);
    if (errand->due) atomic_store(&p->control->trap, 1);
}

void safepoint_tick(LmpProfile *p, LmpErrand *errand) {
    if (!errand->waits || p->live->clock - errand->asked < ASK_AGAIN_NS) return;
    *errand = (LmpErrand){.due = true};
    atomic_store(&p->control->trap, 1);
}

/* ---- giving back ----------------------------------------------------------------------------- */

/* Returns the program's hook of a thread where ours stands. */
static Lent hook_of(LmpLent *lent, lua_State *L) {
    Lent none = {L, NULL, 0, 0};
    Lent *one = lent ? find(lent, L) : NULL;
    return one ? *one : lent ? lent->last : none;
}

static void give_back(LmpLent *lent, lua_State *L) {
    sigset_t before;
    safepoint_hold_signals(&before);
    if (lua_gethook(L) == between) {
        Lent one = hook_of(lent, L);
        lua_sethook(L, one.hook, one.mask, one.count);
    }
    Lent *noted = lent ? find(lent, L) : NULL;
    if (noted) *noted = lent->of[--lent->n];
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- what is done ---------------------------------------------------------------------------- */

/* Finalizers may do anything: end the profile, even begin the next. */
void safepoint_collect(LmpProfile *p, lua_State *L) {
    uint64_t begun = p->slot.begun;
    uint32_t wanted = atomic_load(&p->control->collect);
    if (!p->collect.waits) return;
    p->collect.waits = false;
    if (atomic_load(&p->live->collect_done) == wanted) return; /* withdrawn */
    lua_gc(L, LUA_GCCOLLECT);
    if (safepoint_same(L, p, begun)) atomic_store(&p->live->collect_done, wanted);
}

static void serve_requests(lua_State *L) {
    LmpSafepoints *of = find_of(L);
    LmpProfile *p = of ? of->profile : NULL;
    if (!p || p->closing) return;
    if (pass_over(&p->pass)) {
        void (*again)(lua_State *) = of->again;
        of->again = NULL;
        if (again) again(L);
        return;
    }
    uint64_t begun = p->slot.begun;
    for (LmpBetween *const *step = of->steps; *step && safepoint_same(L, p, begun); step++)
        (*step)(p, L);
}

/* Our debug hook. Calls the program's own for the events that it has asked for. */
static void between(lua_State *L, lua_Debug *ar) {
    LmpSafepoints *of = find_of(L);
    Lent own = hook_of(of ? of->lent : NULL, L);
    if (ar->event == LUA_HOOKCOUNT) {
        LmpLent *lent = of ? of->lent : NULL;
        give_back(lent, L);
        if (of && of->profile) { /* others need not wait any more */
            lua_State *chain[LMP_CHAIN];
            int n = stack_chain(of->profile->main, chain);
            for (int i = 0; i < n; i++)
                if (lua_gethook(chain[i]) == between) give_back(lent, chain[i]);
        }
        serve_requests(L);
        bool each = own.mask & LUA_MASKCOUNT && own.count == 1;
        if (!each || lua_gethook(L) != own.hook) return;
    } else if (ar->event != LUA_HOOKTAILCALL && !(own.mask & 1 << ar->event)) {
        return;
    }
    if (own.hook) own.hook(L, ar);
}

bool safepoint_stands(lua_State *L) {
    return lua_gethook(L) == between;
}

void safepoint_close(LmpSafepoints *of) {
    if (of->lent) lmp_os->unmap(of->lent, sizeof *of->lent);
    of->lent = NULL;
}
