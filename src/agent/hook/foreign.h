/* foreign.h - who else calls the allocator that we gave to one state: other states that were made
 * with what lua_getallocf answered, programs that have kept it, and other threads.
 *
 * A state that is made with our allocator first requests one block, of a size that nothing else
 * requests under this type tag, and then sets itself up. At the next request of the same thread it
 * is in place and is given the allocator below: it is counted nowhere, and never calls us again.
 * Behind an allocator of its own (a wrapper) it cannot be told from the state that is profiled, and
 * is counted with it.
 *
 * A request in another thread than the one that runs the profiled state is passed on and touches
 * nothing of the profile, unless it can be shown that the state itself has moved there: its global
 * state is in a register or on the stack just above us (all of Lua's own functions that call an
 * allocator keep it for when it returns). The same when the profile is over. If the state requests
 * in its former thread while this is looked at, two threads are in it at once, which Lua does not
 * allow.
 *
 * Each kind is counted (LmpStrange).
 *
 * In a forked child the profile is over (pass_over), and the state gets the allocator below with
 * its first new block: then it is certain that the state is there and in order, whatever thread or
 * call has forked. */
#ifndef LMP_FOREIGN_H
#define LMP_FOREIGN_H

#include <pthread.h>

#include "agent/interp/frames.h"
#include "agent/state/profile.h"

/* Returns the running thread: a number that no other thread that lives has, and that costs
 * nothing. */
static ALWAYS_INLINE uintptr_t foreign_thread(void) {
#if defined __x86_64__ && defined __LP64__
    uintptr_t here;
    __asm__("movq %%fs:0, %0" : "=r"(here));
    return here;
#elif defined __aarch64__ || defined __riscv
    return (uintptr_t)__builtin_thread_pointer();
#else
    return (uintptr_t)pthread_self();
#endif
}

/* Returns true if this is not the thread that runs the profiled state, or the profile is over. */
static ALWAYS_INLINE bool foreign_elsewhere(const LmpProfile *p) {
    uintptr_t thread = atomic_load_explicit(&p->pass.thread, memory_order_relaxed);
#if defined __x86_64__ && defined __LP64__
    bool elsewhere; /* compared where it is: an instruction less in every operation */
    __asm__("cmpq %%fs:0, %1" : "=@ccne"(elsewhere) : "r"(thread));
    return elsewhere;
#else
    return foreign_thread() != thread;
#endif
}

/* Call when the state L is profiled from now on; it runs in this thread. */
void foreign_begin(LmpProfile *p, lua_State *L);
/* Call when the state is known to run in this thread: it has called us. */
void foreign_moved(LmpProfile *p);
/* Passes every request on from now on. */
void foreign_end(LmpProfile *p);
/* Does the same in a forked child, where the state still has our allocator. */
void foreign_forked(LmpProfile *p);
/* Sets what is called in a child, once or more often, where no fork handler runs. */
void foreign_prepare(void (*found_child)(void));
/* Forgets what is counted. */
void foreign_clear(LmpProfile *p);

typedef struct LmpRequested {
    void *ptr;
    size_t osize, nsize;
} LmpRequested;

/* Passes a request in another thread on, with the result in *r. Returns false if it is a request of
 * the profiled state, which has moved to this thread. `above`: the stack pointer of whoever called
 * us; `regs` may be NULL. *mixed, if it is set: the block of a newborn that cannot be told apart,
 * which the caller is to count with ours. */
bool foreign_pass(LmpProfile *p, const LmpRequested *q, const char *above, LmpSavedRegs regs,
                  void **r, void **mixed);

/* Returns true if a request (not of a block that is there already) is the birth of a state. */
bool foreign_is_birth(size_t type_tag, size_t nsize);
/* Gives a newborn state that is not profiled its block. Called where the profiled state runs, after
 * foreign_is_birth. */
void *foreign_birth(LmpProfile *p, size_t nsize);
/* Judges the request after a birth (p->expecting). Returns true if it was the newborn's, and is to
 * be passed on. *mixed as above. */
bool foreign_settle(LmpProfile *p, void **mixed);

/* Returns true if L calls us for this profile. */
bool foreign_has(LmpProfile *p, lua_State *L);

/* Brings live->strange up to date, where the profiled state runs. */
void foreign_tell(LmpProfile *p);

#endif
