/* entry.h - the way into an allocator of ours that sees the words of its caller (frames.h).
 *
 * LMP_ENTRY(name, request, release) defines a lua_Alloc `name` that stores the registers which
 * calls preserve beside the return address and then calls void *request(void *ud, void *ptr, size_t
 * osize, size_t nsize, LmpWords words) Frees go to release(ud, ptr, osize, nsize) by a jump: nobody
 * asks who frees. C has no way to see these registers, so this is the one piece of assembly;
 * elsewhere than on x86-64 there is none, and LMP_HAS_ENTRY is 0. */
#ifndef LMP_ENTRY_H
#define LMP_ENTRY_H

#define LMP_AT_SAMPLE_LEFT 72 /* offset in LmpProfile */

#if defined __x86_64__ && defined __ELF__ && defined __LP64__
#define LMP_HAS_ENTRY 1
/* The same for a profile that samples: what fits into ud's sample_left goes to plain(), which does
 * the whole operation, by a jump; only the operation that uses it up goes to request(). */
#define LMP_ENTRY_SAMPLED(name, request, plain)                                                    \
    LMP_ENTRY_AFTER(name, request,                                                                 \
                    "subq %rcx, 72(%rdi)\n"                                                        \
                    "jns " #plain "\n"                                                             \
                    "testq %rcx, %rcx\n"                                                           \
                    "je " #plain "\n")
#define LMP_ENTRY(name, request, release)                                                          \
    LMP_ENTRY_AFTER(name, request,                                                                 \
                    "testq %rcx, %rcx\n"                                                           \
                    "je " #release "\n")
#define LMP_ENTRY_AFTER(name, request, first)                                                      \
    __asm__(".text\n"                                                                              \
            ".p2align 4\n"                                                                         \
            ".globl " #name "\n"                                                                   \
            ".hidden " #name "\n"                                                                  \
            ".type " #name ", @function\n" #name ":\n"                                             \
            ".cfi_startproc\n"                                                                     \
            "endbr64\n" first "pushq %r15\n"                                                       \
            "pushq %r14\n"                                                                         \
            "pushq %r13\n"                                                                         \
            "pushq %r12\n"                                                                         \
            "pushq %rbp\n"                                                                         \
            "pushq %rbx\n"                                                                         \
            ".cfi_adjust_cfa_offset 48\n"                                                          \
            "movq %rsp, %r8\n"                                                                     \
            "subq $8, %rsp\n"                                                                      \
            ".cfi_adjust_cfa_offset 8\n"                                                           \
            "call " #request "\n"                                                                  \
            "addq $56, %rsp\n"                                                                     \
            ".cfi_adjust_cfa_offset -56\n"                                                         \
            "ret\n"                                                                                \
            ".cfi_endproc\n"                                                                       \
            ".size " #name ", . - " #name "\n")
#else
#define LMP_HAS_ENTRY 0
#endif

#endif
