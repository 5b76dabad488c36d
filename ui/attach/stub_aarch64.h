/* stub_aarch64.h - the code of stub.c for aarch64. Each hint says, for processors that ask, that a
 * branch may lead there (BTI). */
#ifndef LMP_ATTACH_STUB_AARCH64_H
#define LMP_ATTACH_STUB_AARCH64_H

#include <sys/auxv.h>

#ifndef HWCAP_SVE
#define HWCAP_SVE (1 << 22)
#endif

/* Below the stack pointer: x16 and x17, where the landing finds them; the other registers by their
 * numbers, with those of flags where 16, 17 and 31 would be; the vector registers. */
#define SAVE                                                                                       \
    "hint #38\n"                                                                                   \
    "stp x16, x17, [sp, #-16]!\n"                                                                  \
    "sub sp, sp, #256\n"                                                                           \
    "str x30, [sp, #240]\n"                                                                        \
    "bl 30f\n"
#define CALL(function) "ldr x16, [x19, #" TEXT(function) "]\nblr x16\n"
/* clang-format off */
#define X_REGISTERS(does)                                                                          \
    does " x0, x1, [sp]\n" does " x2, x3, [sp, #16]\n" does " x4, x5, [sp, #32]\n"                 \
    does " x6, x7, [sp, #48]\n" does " x8, x9, [sp, #64]\n" does " x10, x11, [sp, #80]\n"          \
    does " x12, x13, [sp, #96]\n" does " x14, x15, [sp, #112]\n" does " x18, x19, [sp, #144]\n"    \
    does " x20, x21, [sp, #160]\n" does " x22, x23, [sp, #176]\n" does " x24, x25, [sp, #192]\n"   \
    does " x26, x27, [sp, #208]\n" does " x28, x29, [sp, #224]\n"
#define V_REGISTERS(does)                                                                          \
    does " {v0.2d-v3.2d}, [x0], #64\n" does " {v4.2d-v7.2d}, [x0], #64\n"                          \
    does " {v8.2d-v11.2d}, [x0], #64\n" does " {v12.2d-v15.2d}, [x0], #64\n"                       \
    does " {v16.2d-v19.2d}, [x0], #64\n" does " {v20.2d-v23.2d}, [x0], #64\n"                      \
    does " {v24.2d-v27.2d}, [x0], #64\n" does " {v28.2d-v31.2d}, [x0], #64\n"
#define TO_15 "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
#define TO_31 TO_15 ",16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
#define EACH(numbers, does) ".irp n, " numbers "\n" does "\n.endr\n"

__asm__(
    ".arch_extension sve\n"
    STUB_BEGINS

    "attach_stub_map:\n"
    SAVE
    "mov x8, #222\n"
    "ldr x0, 1b\n"
    "mov x1, #16384\n"
    "mov x2, #3\n"
    "ldr w3, 5f\n"
    "mov x4, #-1\n"
    "mov x5, #0\n"
    "svc #0\n"
    "b 31f\n"
    "5: .word " TEXT(MAP_FLAGS) "\n"

    "attach_stub_hooks:\n"
    SAVE
    "ldr x19, 1b\n"
    "add x20, x19, #" TEXT(AT_OF) "\n"
    "ldr w21, [x19, #" TEXT(AT_STATES) "]\n"
    "8: cbz w21, 9f\n"
    "ldr x0, [x20]\n"
    CALL(AT_GETHOOK)
    "ldr x1, [x19, #" TEXT(AT_HOOK) "]\n"
    "cmp x0, x1\n" /* ours already */
    "b.eq 10f\n"
    "str x0, [x20, #8]\n"
    "ldr x0, [x20]\n"
    CALL(AT_GETMASK)
    "str w0, [x20, #16]\n"
    "ldr x0, [x20]\n"
    CALL(AT_GETCOUNT)
    "str w0, [x20, #20]\n"
    "ldr x0, [x20]\n"
    "ldr x1, [x19, #" TEXT(AT_HOOK) "]\n"
    "mov w2, #15\n" /* all events: one that counts may lose our count to the thread's own */
    "mov w3, #1\n"
    CALL(AT_SETHOOK)
    "10: add x20, x20, #24\n"
    "sub w21, w21, #1\n"
    "b 8b\n"
    "9: mov w0, #1\n"
    "str w0, [x19, #" TEXT(AT_SET) "]\n"

    /* Restores all, from what x29 points to, but x16, which the landing pops. */
    "31: mov x0, sp\n"
    "ldr x1, 3b\n"
    "cbnz x1, 32f\n"
    V_REGISTERS("ld1")
    "b 33f\n"
    "32: addvl x1, x0, #31\n"
    "ldr p0, [x1, #24, mul vl]\n"
    "wrffr p0.b\n"
    EACH(TO_15, "ldr p\\n, [x1, #8 + \\n, mul vl]")
    EACH(TO_31, "ldr z\\n, [x0, #\\n, mul vl]")
    "33: mov sp, x29\n"
    "ldp x0, x1, [sp, #128]\n"
    "msr nzcv, x0\n"
    "msr fpsr, x1\n"
    "ldr x0, [sp, #248]\n"
    "msr fpcr, x0\n"
    X_REGISTERS("ldp")
    "ldr x30, [sp, #240]\n"
    "add sp, sp, #256\n"
    "ldr x17, [sp, #8]\n"
    "ldr x16, 2b\n"
    "br x16\n"
    /* The rest of SAVE. */
    "30:\n"
    X_REGISTERS("stp")
    "mrs x0, nzcv\n"
    "mrs x1, fpsr\n"
    "stp x0, x1, [sp, #128]\n"
    "mrs x0, fpcr\n"
    "str x0, [sp, #248]\n"
    "mov x29, sp\n"
    "ldr x1, 4b\n"
    "sub sp, sp, x1\n"
    "mov x0, sp\n"
    "ldr x1, 3b\n"
    "cbnz x1, 34f\n"
    V_REGISTERS("st1")
    "ret\n"
    "34: addvl x1, x0, #31\n"
    EACH(TO_15, "str p\\n, [x1, #8 + \\n, mul vl]")
    "rdffr p0.b\n"
    "str p0, [x1, #24, mul vl]\n"
    EACH(TO_31, "str z\\n, [x0, #\\n, mul vl]")
    "ret\n"

    "attach_stub_hook:\n"
    "hint #34\n"
    "stp x29, x30, [sp, #-48]!\n"
    "mov x29, sp\n"
    "stp x19, x20, [sp, #16]\n"
    "stp x21, x22, [sp, #32]\n"
    "mov x21, x0\n"
    "mov x22, x1\n"
    "ldr x19, 1b\n"
    "add x20, x19, #" TEXT(AT_OF) "\n"
    "ldr w2, [x19, #" TEXT(AT_KNOWN) "]\n"
    "13: cbz w2, 14f\n"
    "ldr x1, [x20]\n"
    "cmp x1, x21\n"
    "b.eq 15f\n"
    "add x20, x20, #24\n"
    "sub w2, w2, #1\n"
    "b 13b\n"
    "14: add x20, x19, #" TEXT(AT_OF) "\n"
    "15: ldr x1, [x20, #8]\n"
    "ldp w2, w3, [x20, #16]\n"
    CALL(AT_SETHOOK)
    "ldr w0, [x19, #" TEXT(AT_OVER) "]\n"
    "cbnz w0, 19f\n"
    "add x0, x19, #" TEXT(AT_LUA) "\n"
    "ldrb w1, [x0]\n"
    "cbz w1, 20f\n"
    "mov w1, #0x106\n" /* RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL */
    CALL(AT_DLOPEN)
    "20: add x0, x19, #" TEXT(AT_MODULE) "\n"
    "mov w1, #2\n" /* RTLD_NOW */
    CALL(AT_DLOPEN)
    "cbz x0, 18f\n"
    "add x1, x19, #" TEXT(AT_SYMBOL) "\n"
    CALL(AT_DLSYM)
    "cbz x0, 18f\n"
    "mov x16, x0\n"
    "mov x0, x21\n"
    "mov x1, x19\n"
    "blr x16\n"
    "b 19f\n"
    "18: \n"
    CALL(AT_DLERROR)
    "str x0, [x19, #" TEXT(AT_ERROR) "]\n"
    "19: mov x0, x21\n"
    "mov x1, x22\n"
    "ldr w2, [x22]\n" /* the event: LUA_HOOKCOUNT is 3, LUA_HOOKTAILCALL 4 */
    "ldr w3, [x20, #16]\n"
    "ldr x16, [x20, #8]\n"
    "ldp x19, x20, [sp, #16]\n"
    "ldp x21, x22, [sp, #32]\n"
    "ldp x29, x30, [sp], #48\n"
    "cmp w2, #4\n"
    "csel w2, wzr, w2, eq\n"
    "lsr w3, w3, w2\n"
    "tbz w3, #0, 22f\n"
    "cmp w2, #3\n"
    "b.eq 22f\n"
    "cbz x16, 22f\n"
    "br x16\n"
    "22: ret\n"
    STUB_ENDS
    ".arch_extension nosve\n");
/* clang-format on */

void attach_stub_registers(AttachStubHead *head) {
    enum { Z_MOST = 256, REGISTERS = 32 }; /* bytes that one of SVE has */
    head->registers_mask = getauxval(AT_HWCAP) & HWCAP_SVE ? 1 : 0;
    head->registers_size = head->registers_mask ? Z_MOST * (REGISTERS + 3) : 16 * REGISTERS;
}

/* It pops what the stub could not, and branches to `resume`, which is at most 128 MiB away. */
bool attach_stub_land(uint32_t landing[4], uint64_t at, uint64_t resume) {
    enum { JUMP_AT = 8, JUMP_MOST = 128 << 20 };
    int64_t away = (int64_t)(resume - (at + JUMP_AT));
    landing[0] = 0xd503249f;                                      /* bti j */
    landing[1] = 0xf84107f0;                                      /* ldr x16, [sp], #16 */
    landing[2] = 0x14000000 | ((uint64_t)away >> 2 & 0x03ffffff); /* b resume */
    landing[3] = 0xd503201f;                                      /* nop */
    return away >= -JUMP_MOST && away < JUMP_MOST;
}

#endif
