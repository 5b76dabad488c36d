/* entry_aarch64.h - the entry points of entry.h for aarch64. The return address is in x30 when we
 * are entered; it is saved as the last of the registers, right below the caller's stack.
 *
 * Jumps to C are unconditional: a conditional one reaches no further than 1 MiB. */
#ifndef LMP_ENTRY_AARCH64_H
#define LMP_ENTRY_AARCH64_H

/* hint #34: a branch may lead here, where the processor asks (BTI). */
#define LMP_ENTRY_BEGINS(name)                                                                     \
    ".text\n"                                                                                      \
    ".p2align 4\n"                                                                                 \
    ".globl " #name "\n"                                                                           \
    ".hidden " #name "\n"                                                                          \
    ".type " #name ", %function\n" #name ":\n"                                                     \
    ".cfi_startproc\n"                                                                             \
    "hint #34\n"
#define LMP_ENTRY_ENDS(name)                                                                       \
    ".cfi_endproc\n"                                                                               \
    ".size " #name ", . - " #name "\n"

/* One instruction per line. */
/* clang-format off */
#define LMP_ENTRY_REGS                                                                             \
    "stp x19, x20, [sp, #-96]!\n"                                                                  \
    ".cfi_adjust_cfa_offset 96\n"                                                                  \
    ".cfi_rel_offset x19, 0\n"                                                                     \
    ".cfi_rel_offset x20, 8\n"                                                                     \
    "stp x21, x22, [sp, #16]\n"                                                                    \
    ".cfi_rel_offset x21, 16\n"                                                                    \
    ".cfi_rel_offset x22, 24\n"                                                                    \
    "stp x23, x24, [sp, #32]\n"                                                                    \
    ".cfi_rel_offset x23, 32\n"                                                                    \
    ".cfi_rel_offset x24, 40\n"                                                                    \
    "stp x25, x26, [sp, #48]\n"                                                                    \
    ".cfi_rel_offset x25, 48\n"                                                                    \
    ".cfi_rel_offset x26, 56\n"                                                                    \
    "stp x27, x28, [sp, #64]\n"                                                                    \
    ".cfi_rel_offset x27, 64\n"                                                                    \
    ".cfi_rel_offset x28, 72\n"                                                                    \
    "stp x29, x30, [sp, #80]\n"                                                                    \
    ".cfi_rel_offset x29, 80\n"                                                                    \
    ".cfi_rel_offset x30, 88\n"                                                                    \
    "mov x4, sp\n"
/* Leaves with what is still in its register. */
#define LMP_ENTRY_LEAVES                                                                           \
    "add sp, sp, #96\n"                                                                            \
    ".cfi_def_cfa_offset 0\n"

#define LMP_ENTRY_AFTER(name, request, first)                                                      \
    __asm__(LMP_ENTRY_BEGINS(name)                                                                 \
            first                                                                                  \
            LMP_ENTRY_REGS                                                                         \
            "bl " #request "\n"                                                                    \
            "ldr x30, [sp, #88]\n"                                                                 \
            ".cfi_restore x30\n"                                                                   \
            LMP_ENTRY_LEAVES                                                                       \
            "ret\n"                                                                                \
            LMP_ENTRY_ENDS(name))
#define LMP_ENTRY_SAMPLED(name, request, plain, release, whole)                                    \
    LMP_ENTRY_AFTER(name, request,                                                                 \
                    "ldrb w6, [x0, #80]\n"                                                         \
                    "cbz x3, 2f\n"                                                                 \
                    "ldr x5, [x0, #72]\n"                                                          \
                    "subs x5, x5, x3\n"                                                            \
                    "str x5, [x0, #72]\n"                                                          \
                    "b.mi 4f\n"                                                                    \
                    "cbnz w6, 1f\n"                                                                \
                    "b " #plain "\n"                                                               \
                    "1: b " #whole "\n"                                                            \
                    "2: cbnz w6, 3f\n"                                                             \
                    "b " #release "\n"                                                             \
                    "3: b " #whole "\n"                                                            \
                    "4:\n")
#define LMP_ENTRY_STUDY(name, request, release)                                                    \
    __asm__(LMP_ENTRY_BEGINS(name)                                                                 \
            "cbnz x3, 1f\n"                                                                        \
            "b " #release "\n"                                                                     \
            "1:\n"                                                                                 \
            LMP_ENTRY_REGS                                                                         \
            "bl " #request "\n"                                                                    \
            "ldp x21, x22, [sp, #16]\n"                                                            \
            "ldp x23, x24, [sp, #32]\n"                                                            \
            "ldp x25, x26, [sp, #48]\n"                                                            \
            "ldp x27, x28, [sp, #64]\n"                                                            \
            "ldp x29, x30, [sp, #80]\n"                                                            \
            "ldp x19, x20, [sp], #96\n"                                                            \
            ".cfi_def_cfa_offset 0\n"                                                              \
            ".cfi_restore x19\n"                                                                   \
            ".cfi_restore x20\n"                                                                   \
            ".cfi_restore x21\n"                                                                   \
            ".cfi_restore x22\n"                                                                   \
            ".cfi_restore x23\n"                                                                   \
            ".cfi_restore x24\n"                                                                   \
            ".cfi_restore x25\n"                                                                   \
            ".cfi_restore x26\n"                                                                   \
            ".cfi_restore x27\n"                                                                   \
            ".cfi_restore x28\n"                                                                   \
            ".cfi_restore x29\n"                                                                   \
            ".cfi_restore x30\n"                                                                   \
            "ret\n"                                                                                \
            LMP_ENTRY_ENDS(name))
/* What is needed between the steps stands in registers that are saved anyway: ud, nsize, osize, then
 * the alloc context. */
#define LMP_ENTRY_LINES(name, find, made, release)                                                 \
    __asm__(LMP_ENTRY_BEGINS(name)                                                                 \
            "cbz x3, 2f\n"                                                                         \
            LMP_ENTRY_REGS                                                                         \
            "mov x19, x0\n"                                                                        \
            "mov x20, x3\n"                                                                        \
            "mov x21, x2\n"                                                                        \
            "bl " #find "\n"                                                                       \
            "tbnz x0, #63, 1f\n"                                                                   \
            "mov x2, x21\n"                                                                        \
            "mov x21, x0\n"                                                                        \
            "ldp x4, x0, [x19, #8]\n" /* the allocator and its ud, in a profile */                 \
            "mov x1, #0\n"                                                                         \
            "mov x3, x20\n"                                                                        \
            "blr x4\n"                                                                             \
            "mov x1, x0\n"                                                                         \
            "mov x0, x19\n"                                                                        \
            "mov x2, x20\n"                                                                        \
            "mov x3, x21\n"                                                                        \
            "ldr x21, [sp, #16]\n"                                                                 \
            "ldr x30, [sp, #88]\n"                                                                 \
            "ldp x19, x20, [sp], #96\n"                                                            \
            ".cfi_remember_state\n"                                                                \
            ".cfi_def_cfa_offset 0\n"                                                              \
            ".cfi_restore x19\n"                                                                   \
            ".cfi_restore x20\n"                                                                   \
            ".cfi_restore x21\n"                                                                   \
            ".cfi_restore x30\n"                                                                   \
            "b " #made "\n"                                                                        \
            "1: .cfi_restore_state\n"                                                              \
            "and x0, x0, #0x7fffffffffffffff\n"                                                    \
            "ldr x21, [sp, #16]\n"                                                                 \
            "ldr x30, [sp, #88]\n"                                                                 \
            "ldp x19, x20, [sp], #96\n"                                                            \
            ".cfi_def_cfa_offset 0\n"                                                              \
            ".cfi_restore x19\n"                                                                   \
            ".cfi_restore x20\n"                                                                   \
            ".cfi_restore x21\n"                                                                   \
            ".cfi_restore x30\n"                                                                   \
            "ret\n"                                                                                \
            "2: b " #release "\n"                                                                  \
            LMP_ENTRY_ENDS(name))
/* clang-format on */

#endif
