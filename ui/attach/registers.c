/* registers.c - a thread that is held in a system call starts it again. x86-64 leaves that to us
 * (the registers say what is to be done); on aarch64 the system has put the thread back to the
 * instruction of the call before we see it. */
#include "attach/registers.h"

#if defined __x86_64__ && defined __LP64__

/* What the system notes of a call that it will start again (linux/errno.h). */
enum { RESTARTSYS = 512, RESTARTNOINTR = 513, RESTARTNOHAND = 514, RESTART_BLOCK = 516 };
enum { SYSCALL_BYTES = 2, RESTART_SYSCALL = 219, RAX = 10, ORIG_RAX = 15 };

bool registers_wait(const Registers *r, const Target *target) {
    (void)target;
    return (int64_t)r->word[ORIG_RAX] >= 0;
}

bool registers_sleep(const Registers *r, const Target *target) {
    (void)r, (void)target;
    return false; /* it says so at once */
}

/* Returns true if the thread waits in a system call that will be started again. */
static bool restarts(const Registers *r) {
    if (!registers_wait(r, NULL)) return false;
    int64_t result = (int64_t)r->word[RAX];
    return result == -RESTARTSYS || result == -RESTARTNOINTR || result == -RESTARTNOHAND ||
           result == -RESTART_BLOCK;
}

uint64_t registers_resume(const Registers *r) {
    return registers_pc(r) - (restarts(r) ? SYSCALL_BYTES : 0);
}

void registers_send(Registers *r, uint64_t entry) {
    if (restarts(r))
        r->word[RAX] =
            (int64_t)r->word[RAX] == -RESTART_BLOCK ? RESTART_SYSCALL : r->word[ORIG_RAX];
    r->word[ORIG_RAX] = UINT64_MAX; /* nothing is to be started again but by the instruction */
    r->word[REGISTERS_PC] = entry;
}

#else

enum { NUMBER = 8, NANOSLEEP = 101, CLOCK_NANOSLEEP = 115 }; /* the register, and calls in it */
#define SYSCALL_CODE 0xd4000001u /* svc #0 */

bool registers_wait(const Registers *r, const Target *target) {
    uint32_t code;
    return target_read(target, registers_pc(r), &code, sizeof code) && code == SYSCALL_CODE;
}

bool registers_sleep(const Registers *r, const Target *target) {
    uint64_t call = r->word[NUMBER];
    return (call == NANOSLEEP || call == CLOCK_NANOSLEEP) && registers_wait(r, target);
}

uint64_t registers_resume(const Registers *r) {
    return registers_pc(r);
}

void registers_send(Registers *r, uint64_t entry) {
    r->word[REGISTERS_PC] = entry;
}
#endif
