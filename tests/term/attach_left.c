/* attach_left.c - stands for a command that was killed: sends a program's first thread to where lmp
 * attach sends one, and leaves it there until the input ends: attach_left PID cave|sethook. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "attach/tracer.h"

#ifdef __aarch64__
static const uint32_t loop[] = {0x14000000};
#else
static const uint8_t loop[] = {0xeb, 0xfe};
#endif

/* Holds the program, has its first thread go on with these registers, and notes what it had in
 * *were (may be NULL). */
static bool send(const Target *t, Registers *regs, Registers *were, uint64_t to) {
    Tracer tracer;
    if (tracer_hold(&tracer, t)) return false;
    if (were) {
        *regs = *were = tracer.thread[0].regs;
        registers_send(regs, to);
    }
    struct iovec all = {regs, sizeof *regs};
    bool set = !ptrace(PTRACE_SETREGSET, tracer.thread[0].tid, (void *)NT_PRSTATUS, &all);
    tracer_let_go(&tracer);
    return set;
}

int main(int argc, char **argv) {
    Target t;
    Registers regs, were;
    const TargetObject *library = NULL;
    uint8_t code[sizeof loop];
    if (argc < 3 || !target_open(&t, atoi(argv[1])) || !target_find(&t, "dlopen", &library))
        return 2;
    uint64_t at = strcmp(argv[2], "cave") ? target_find(&t, argv[2], NULL) : library->cave;
    if (!target_read(&t, at, code, sizeof code) || !target_write(&t, at, loop, sizeof loop) ||
        !send(&t, &regs, &were, at))
        return 1;
    puts("sent");
    fflush(stdout);
    getchar();
    bool back = send(&t, &were, NULL, 0) && target_write(&t, at, code, sizeof code);
    target_close(&t);
    return !back;
}
