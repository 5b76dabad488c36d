/* registers.h - the registers of a held thread, and the system call that it waits in: what differs
 * between processors, but for the stub. */
#ifndef LMP_ATTACH_REGISTERS_H
#define LMP_ATTACH_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/target.h"

/* ATTACH_CPU: lmp can attach on this processor. Of the words that ptrace gives for a thread: how
 * many there are, how many of them (the first) are for any use, and which are the stack pointer and
 * the program counter. */
#if defined __x86_64__ && defined __LP64__
#define ATTACH_CPU 1
enum { REGISTERS_ALL = 27, REGISTERS_GENERAL = 15, REGISTERS_SP = 19, REGISTERS_PC = 16 };
#elif defined __aarch64__ && defined __LP64__ && !defined __AARCH64EB__
#define ATTACH_CPU 1
enum { REGISTERS_ALL = 34, REGISTERS_GENERAL = 31, REGISTERS_SP = 31, REGISTERS_PC = 32 };
#else
#define ATTACH_CPU 0
enum { REGISTERS_ALL = 34, REGISTERS_GENERAL = 0, REGISTERS_SP = 0, REGISTERS_PC = 0 };
#endif

typedef struct Registers {
    uint64_t word[REGISTERS_ALL];
} Registers;

static inline uint64_t registers_sp(const Registers *r) {
    return r->word[REGISTERS_SP];
}
static inline uint64_t registers_pc(const Registers *r) {
    return r->word[REGISTERS_PC];
}

/* Returns true if the thread waits in a system call. */
bool registers_wait(const Registers *r, const Target *target);

/* Returns true if what the thread waits in may be a sleep, of which the system says how much is
 * left only to a thread that has been interrupted there twice. */
bool registers_sleep(const Registers *r, const Target *target);

/* Returns where the thread goes on, once it has been sent elsewhere. */
uint64_t registers_resume(const Registers *r);

/* Sends the thread to `entry`, so that it goes on at registers_resume() as the system would have
 * let it. */
void registers_send(Registers *r, uint64_t entry);

#endif
