/* entry.h - the entry points of our allocators that capture their caller's saved registers (cpu.h).
 *
 * C has no way to see the registers that calls preserve, so this is assembly: here for x86-64, in
 * entry_aarch64.h for that. Elsewhere there is none, and LMP_HAS_ENTRY is 0. Each macro defines a
 * lua_Alloc `name`; what it calls is C:
 *
 * LMP_ENTRY_STUDY(name, request, release): stores those registers beside the return address and
 * calls void *request(void *ud, void *ptr, size_t osize, size_t nsize, LmpSavedRegs regs). The
 * registers are restored from `regs` afterwards, so the caller goes on with whatever request() has
 * changed there. Frees go to release(ud, ptr, osize, nsize) by a jump.
 *
 * LMP_ENTRY_SAMPLED(name, request, plain, release, whole): the same, but the registers are restored
 * unchanged; and what fits into ud's sample_left jumps to plain(), which does the whole operation:
 * only the operation that uses it up goes to request(). Where ud's `whole` is set, all others and
 * frees jump to whole().
 *
 * LMP_ENTRY_LINES(name, find, made, release): the three steps of making a block. uint64_t find(ud,
 * ptr, osize, nsize, regs) says who makes it, or does the whole operation: then it returns the
 * result with bit 63 set. Else ud's allocator is called, and made(ud, result, nsize, alloc context)
 * enters the block, by a jump, and returns the result. So neither of them spans a call or has to
 * save registers: that is already done here. Frees go to release(ud, ptr, osize, nsize) by a jump.
 */
#ifndef LMP_ENTRY_H
#define LMP_ENTRY_H

#include "agent/interp/cpu.h"

#define LMP_AT_SAMPLE_LEFT 72 /* offsets in LmpProfile */
#define LMP_AT_WHOLE 80

#if LMP_HAS_ENTRY && defined __aarch64__
#include "agent/interp/entry_aarch64.h"
#elif LMP_HAS_ENTRY
#define LMP_ENTRY_SAMPLED(name, request, plain, release, whole)                                    \
    LMP_ENTRY_AFTER(name, request,                                                                 \
                    "testq %rcx, %rcx\n"                                                           \
                    "je 1f\n"                                                                      \
                    "subq %rcx, 72(%rdi)\n"                                                        \
                    "js 2f\n"                                                                      \
                    "cmpb $0, 80(%rdi)\n"                                                          \
                    "jne " #whole "\n"                                                             \
                    "jmp " #plain "\n"                                                             \
                    "1: cmpb $0, 80(%rdi)\n"                                                       \
                    "jne " #whole "\n"                                                             \
                    "jmp " #release "\n"                                                           \
                    "2:\n")

#define LMP_ENTRY_BEGINS(name)                                                                     \
    ".text\n"                                                                                      \
    ".p2align 4\n"                                                                                 \
    ".globl " #name "\n"                                                                           \
    ".hidden " #name "\n"                                                                          \
    ".type " #name ", @function\n" #name ":\n"                                                     \
    ".cfi_startproc\n"                                                                             \
    "endbr64\n"
/* The callee-saved registers go below the return address: `regs` begins there. */
#define LMP_ENTRY_REGS                                                                             \
    "pushq %r15\n"                                                                                 \
    "pushq %r14\n"                                                                                 \
    "pushq %r13\n"                                                                                 \
    "pushq %r12\n"                                                                                 \
    "pushq %rbp\n"                                                                                 \
    "pushq %rbx\n"                                                                                 \
    ".cfi_adjust_cfa_offset 48\n"                                                                  \
    "movq %rsp, %r8\n"
#define LMP_ENTRY_ENDS(name)                                                                       \
    ".cfi_endproc\n"                                                                               \
    ".size " #name ", . - " #name "\n"

/* One instruction per line. */
/* clang-format off */
#define LMP_ENTRY_AFTER(name, request, first)                                                      \
    __asm__(LMP_ENTRY_BEGINS(name)                                                                 \
            first                                                                                  \
            LMP_ENTRY_REGS                                                                        \
            "subq $8, %rsp\n"                                                                      \
            ".cfi_adjust_cfa_offset 8\n"                                                           \
            "call " #request "\n"                                                                  \
            "addq $56, %rsp\n"                                                                     \
            ".cfi_adjust_cfa_offset -56\n"                                                         \
            "ret\n"                                                                                \
            LMP_ENTRY_ENDS(name))
/* Each push tells the unwind tables where its register is. */
#define LMP_ENTRY_PUSH(register)                                                                   \
    "pushq %" #register "\n"                                                                       \
    ".cfi_adjust_cfa_offset 8\n"                                                                   \
    ".cfi_rel_offset " #register ", 0\n"
#define LMP_ENTRY_POP(register)                                                                    \
    "popq %" #register "\n"                                                                        \
    ".cfi_adjust_cfa_offset -8\n"                                                                  \
    ".cfi_restore " #register "\n"
#define LMP_ENTRY_STUDY(name, request, release)                                                    \
    __asm__(LMP_ENTRY_BEGINS(name)                                                                 \
            "testq %rcx, %rcx\n"                                                                   \
            "je " #release "\n"                                                                    \
            LMP_ENTRY_PUSH(r15) LMP_ENTRY_PUSH(r14) LMP_ENTRY_PUSH(r13)                            \
            LMP_ENTRY_PUSH(r12) LMP_ENTRY_PUSH(rbp) LMP_ENTRY_PUSH(rbx)                            \
            "movq %rsp, %r8\n"                                                                     \
            "subq $8, %rsp\n"                                                                      \
            ".cfi_adjust_cfa_offset 8\n"                                                           \
            "call " #request "\n"                                                                  \
            "addq $8, %rsp\n"                                                                      \
            ".cfi_adjust_cfa_offset -8\n"                                                          \
            LMP_ENTRY_POP(rbx) LMP_ENTRY_POP(rbp) LMP_ENTRY_POP(r12)                               \
            LMP_ENTRY_POP(r13) LMP_ENTRY_POP(r14) LMP_ENTRY_POP(r15)                               \
            "ret\n"                                                                                \
            LMP_ENTRY_ENDS(name))
#define LMP_ENTRY_LINES(name, find, made, release)                                                 \
    __asm__(LMP_ENTRY_BEGINS(name)                                                                 \
            "testq %rcx, %rcx\n"                                                                   \
            "je " #release "\n"                                                                    \
            LMP_ENTRY_REGS                                                                        \
            "pushq %rcx\n"                                                                         \
            "pushq %rdx\n"                                                                         \
            "pushq %rdi\n"                                                                         \
            ".cfi_adjust_cfa_offset 24\n"                                                          \
            "call " #find "\n"                                                                     \
            "testq %rax, %rax\n"                                                                   \
            "js 1f\n"                                                                              \
            "movq 8(%rsp), %rdx\n"                                                                 \
            "movq %rax, 8(%rsp)\n"                                                                 \
            "movq (%rsp), %rax\n"                                                                  \
            "movq 16(%rsp), %rcx\n"                                                                \
            "xorl %esi, %esi\n"                                                                    \
            "movq 16(%rax), %rdi\n" /* the allocator and its ud, in a profile */                   \
            "call *8(%rax)\n"                                                                      \
            "movq (%rsp), %rdi\n"                                                                  \
            "movq %rax, %rsi\n"                                                                    \
            "movq 16(%rsp), %rdx\n"                                                                \
            "movq 8(%rsp), %rcx\n"                                                                 \
            "addq $72, %rsp\n"                                                                     \
            ".cfi_adjust_cfa_offset -72\n"                                                         \
            "jmp " #made "\n"                                                                      \
            ".cfi_adjust_cfa_offset 72\n"                                                          \
            "1: btrq $63, %rax\n"                                                                  \
            "addq $72, %rsp\n"                                                                     \
            ".cfi_adjust_cfa_offset -72\n"                                                         \
            "ret\n"                                                                                \
            LMP_ENTRY_ENDS(name))
/* clang-format on */
#endif

#endif
