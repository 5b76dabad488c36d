/* regs_study.c - the study's allocator: at each request it strikes out the saved words that do not
 * hold what they should, for each asking call site and each way from the loop; in the rehearsal it
 * compares the plan instead. */
#include "agent/interp/regs_study.h"

#include <stdlib.h>

#include "agent/interp/entry.h"

#if LMP_HAS_ENTRY

enum { MOST_REFUSALS = 15 };

const int32_t regs_study_ahead[LMP_AHEAD] = {0, 4, -4, 8, -8};

static void set_bit(LmpRegsSet *set, int32_t i) {
    set->bits[i / 64] |= 1ull << (i % 64);
}

static void clear_bit(LmpRegsSet *set, int32_t i) {
    set->bits[i / 64] &= ~(1ull << (i % 64));
}

/* Removes all indexes that hold anything else. */
LMP_READS_REGS static void keep_right(LmpRegsSet *set, LmpSavedRegs regs, uintptr_t right) {
    for (size_t i = 0; i < LMP_REGS_SEEN / 64; i++)
        for (uint64_t left = set->bits[i]; left; left &= left - 1)
            if (regs[i * 64 + (size_t)__builtin_ctzll(left)] != right)
                set->bits[i] &= ~(left & -left);
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Collects the words that are the asking function's own: registers that it has saved, since it uses
 * them, and the slots between its call and its return address, but for the registers saved
 * there. */
static void own_regs(LmpRegsSet *set, const LmpUnwindRow *u) {
    for (int r = 0; r < LMP_REGISTERS; r++)
        if (u->own[r] >= 0 && u->own[r] < LMP_REGISTERS && u->callers[r] >= 0 &&
            u->own[r] != u->callers[r])
            set_bit(set, u->own[r]);
    for (int32_t i = u->frame[0]; i < u->frame[1]; i++)
        set_bit(set, i);
    clear_bit(set, u->at[1]);
    for (int r = 0; r < LMP_REGISTERS; r++)
        if (u->callers[r] >= LMP_REGISTERS) clear_bit(set, u->callers[r]);
}

static LmpAskerStudy *find_asker(LmpRegsStudy *study, LmpSavedRegs regs) {
    for (uint32_t i = 0; i < study->askers; i++)
        if (study->asker[i].ret == regs[LMP_REGS_RET]) return &study->asker[i];
    return NULL;
}

static void note_asker(LmpRegsStudy *study, LmpSavedRegs regs, bool object, bool resizes) {
    LmpAskerStudy *asker = find_asker(study, regs);
    if (!asker && study->askers == LMP_ASKERS) return;
    if (!asker) {
        LmpUnwindRow u;
        asker = &study->asker[study->askers++];
        *asker = (LmpAskerStudy){.ret = regs[LMP_REGS_RET], .first = study->running};
        if (unwind_regs(&u, regs)) own_regs(&asker->right, &u);
    }
    asker->seen++;
    if (study->running != asker->first) asker->others++;
    asker->object = asker->object || object;
    asker->resizes = asker->resizes || resizes;
    asker->first_try = asker->first_try || !study->refused;
    keep_right(&asker->right, regs, (uintptr_t)study->running);
}

/* ---- program counters ------------------------------------------------------------------------ */

/* Finds the loop: the innermost function that is also among those above a C function that was
 * called by Lua code. 0: it begins the walk, which is no way of its own; LMP_UNWIND_ROWS: none
 * is. */
static uint32_t find_loop(const LmpRegsStudy *study, const LmpUnwindRow *u) {
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t k = 0; k < study->probe.count; k++)
            if (u->function[i] && u->function[i] == study->probe.function[k]) return i;
    return LMP_UNWIND_ROWS;
}

LMP_READS_REGS static LmpWayStudy *find_way(LmpRegsStudy *study, LmpSavedRegs regs, bool object,
                                            bool add) {
    for (uint32_t i = 0; i < study->ways; i++) {
        LmpWayStudy *way = &study->way[i];
        if (way->ret == regs[LMP_REGS_RET] && way->object == object &&
            way->loop == cpu_address(regs[way->at_loop]))
            return way;
    }
    LmpUnwindRow u;
    if (!add) return NULL;
    uint32_t loop = unwind_regs(&u, regs) ? find_loop(study, &u) : LMP_UNWIND_ROWS;
    if (study->ways == LMP_WAYS || loop + 1 >= u.count || u.at[loop] < 0 || u.frame[loop + 1] < 0) {
        study->lost_ways++;
        return NULL;
    }
    LmpWayStudy *way = &study->way[study->ways++];
    *way = (LmpWayStudy){.ret = u.ip[0],
                         .loop = u.ip[loop],
                         .at_loop = u.at[loop],
                         .end = u.frame[loop + 1],
                         .object = object,
                         .refused = study->refuse,
                         .shape = -1};
    for (int a = 0; a < LMP_AHEAD; a++)
        for (int32_t i = 0; i < way->end; i++)
            if (i != LMP_REGS_RET && i != way->at_loop) set_bit(&way->right[a], i);
    return way;
}

/* A request of the constructor under way. */
LMP_READS_REGS static void note_newtable(LmpRegsStudy *study, LmpSavedRegs regs, bool object) {
    const LmpConstructing *c = &study->constructing;
    uintptr_t pc = c->table[c->at].pc;
    LmpWayStudy *way = find_way(study, regs, object, !study->trying);
    if (!way) return;
    if (study->trying == way) {
        for (uint32_t i = 0; i < study->tries && c->at + 1 == c->count; i++) {
            uintptr_t *word = (uintptr_t *)regs + study->tried[i].at; /* NOLINT: the point of it */
            *word = c->elsewhere + (uintptr_t)(intptr_t)study->tried[i].ahead;
        }
    } else if (!study->trying) {
        way->seen++;
        if (c->at + 1 == c->count) way->shape = c->shape;
        for (int a = 0; a < LMP_AHEAD; a++)
            keep_right(&way->right[a], regs, pc + (uintptr_t)(intptr_t)regs_study_ahead[a]);
    }
}

/* ---- the rehearsal --------------------------------------------------------------------------- */

/* The pc is saved at each instruction: then it stands before the extra argument of OP_NEWTABLE. */
LMP_READS_REGS static void check_plan(LmpRegsStudy *study, LmpSavedRegs regs, bool object) {
    const LmpAsker *asker = saved_regs_asker(study->plan, regs[LMP_REGS_RET]);
    const LmpCallInfo *ci = frames_top(study->running);
    if (asker) {
        study->checked++;
        if (regs[asker->at_thread] != (uintptr_t)study->running) study->differed++;
    }
    if (!object || frames_status(ci) & frames_bits.c_or_hooked) return;
    uintptr_t pc = saved_regs_newtable(study->plan, regs, true);
    study->checked++;
    if (pc && pc != frames_pc(ci) + LMP_INSTRUCTION) study->differed++;
}

/* ---- the allocator --------------------------------------------------------------------------- */

/* A study that the system refuses memory has not seen everything. */
static void *request_memory(LmpRegsStudy *study, void *ptr, size_t size) {
    void *block = realloc(ptr, size);
    if (!block) study->broken = true;
    return block;
}

static void *study_request(void *ud, void *ptr, size_t osize, size_t nsize, LmpSavedRegs regs)
    __attribute__((used));
static void *study_release(void *ud, void *ptr, size_t osize, size_t nsize) __attribute__((used));
LMP_ENTRY_STUDY(regs_study_alloc, study_request, study_release);

static void *study_release(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpRegsStudy *study = ud;
    (void)osize, (void)nsize;
    if (ptr && !study->refuse && (study->running || study->free_callers.collecting))
        free_callers_note(&study->free_callers, (uintptr_t)__builtin_dwarf_cfa(),
                          (uintptr_t)__builtin_return_address(0));
    free(ptr);
    return NULL;
}

/* A request of the constructor under way is granted. */
static void advance(LmpConstructing *c, bool object) {
    if (object) {
        c->parts_left = c->table[c->at].parts;
    } else {
        c->parts_left--;
    }
    if (!c->parts_left) c->at++;
}

/* A refusal costs a whole collection: a call site is refused a few times by each thread, a
 * constructor each time. */
static bool refuses(LmpRegsStudy *study, LmpSavedRegs regs, bool made) {
    LmpAskerStudy *asker = find_asker(study, regs);
    if (made || !asker) return made;
    if (asker->refuser == study->running) return false;
    asker->refuser = study->running;
    return asker->refusals++ < MOST_REFUSALS;
}

static void *study_request(void *ud, void *ptr, size_t osize, size_t nsize, LmpSavedRegs regs) {
    LmpRegsStudy *study = ud;
    LmpConstructing *c = &study->constructing;
    if (!study->running) return request_memory(study, ptr, nsize);
    if (study->plan) {
        check_plan(study, regs, !ptr && osize == LUA_TTABLE);
    } else {
        note_asker(study, regs, !ptr && osize != 0, ptr != NULL);
    }
    bool object = !ptr && osize == LUA_TTABLE, part = !ptr && !osize && c->parts_left;
    bool made = c->now && c->at < c->count && (object || part);
    if (made) note_newtable(study, regs, object);
    bool grows = !ptr || nsize > osize;
    study->refused = grows && study->refuse && !study->refused && refuses(study, regs, made);
    if (study->refused) return NULL;
    if (made) advance(c, object);
    return request_memory(study, ptr, nsize);
}

#endif
