/* stub_x86_64.h - the code of stub.c for x86-64. */
#ifndef LMP_ATTACH_STUB_X86_64_H
#define LMP_ATTACH_STUB_X86_64_H

#include <cpuid.h>

#define SAVE                                                                                       \
    "leaq -128(%rsp), %rsp\n"                                                                      \
    "pushfq\ncld\n"                                                                                \
    "pushq %rax\npushq %rcx\npushq %rdx\npushq %rbx\npushq %rbp\npushq %rsi\npushq %rdi\n"         \
    "pushq %r8\npushq %r9\npushq %r10\npushq %r11\npushq %r12\npushq %r13\n"
#define RESTORE                                                                                    \
    "popq %r13\npopq %r12\npopq %r11\npopq %r10\npopq %r9\npopq %r8\n"                             \
    "popq %rdi\npopq %rsi\npopq %rbp\npopq %rbx\npopq %rdx\npopq %rcx\npopq %rax\n"                \
    "popfq\n"                                                                                      \
    "leaq 128(%rsp), %rsp\n"

/* clang-format off */
__asm__(
    STUB_BEGINS

    "attach_stub_map:\n"
    SAVE
    "movl $9, %eax\n"
    "movq 1b(%rip), %rdi\n"
    "movl $16384, %esi\n"
    "movl $3, %edx\n"
    "movl $" TEXT(MAP_FLAGS) ", %r10d\n"
    "movq $-1, %r8\n"
    "xorl %r9d, %r9d\n"
    "syscall\n"
    RESTORE
    "jmpq *2b(%rip)\n"

    "attach_stub_hooks:\n"
    SAVE
    "movq %rsp, %rbp\n"
    "subq 4b(%rip), %rsp\n"
    "andq $-64, %rsp\n"
    "movq 3b(%rip), %rax\n"
    "testq %rax, %rax\n"
    "je 6f\n"
    "leaq 512(%rsp), %rdi\n" /* the header of what XSAVE writes is to be zero */
    "xorl %eax, %eax\n"
    "movl $8, %ecx\n"
    "rep stosq\n"
    "movl 3b(%rip), %eax\n"
    "xorl %edx, %edx\n"
    "xsave64 (%rsp)\n"
    "jmp 7f\n"
    "6: fxsave64 (%rsp)\n"
    "7: movq 1b(%rip), %rbx\n"
    "leaq " TEXT(AT_OF) "(%rbx), %r12\n"
    "movl " TEXT(AT_STATES) "(%rbx), %r13d\n"
    "8: testl %r13d, %r13d\n"
    "je 9f\n"
    "movq (%r12), %rdi\n"
    "callq *" TEXT(AT_GETHOOK) "(%rbx)\n"
    "cmpq " TEXT(AT_HOOK) "(%rbx), %rax\n" /* ours already */
    "je 10f\n"
    "movq %rax, 8(%r12)\n"
    "movq (%r12), %rdi\n"
    "callq *" TEXT(AT_GETMASK) "(%rbx)\n"
    "movl %eax, 16(%r12)\n"
    "movq (%r12), %rdi\n"
    "callq *" TEXT(AT_GETCOUNT) "(%rbx)\n"
    "movl %eax, 20(%r12)\n"
    "movq (%r12), %rdi\n"
    "movq " TEXT(AT_HOOK) "(%rbx), %rsi\n"
    "movl $15, %edx\n" /* all events: one that counts may lose our count to the thread's own */
    "movl $1, %ecx\n"
    "callq *" TEXT(AT_SETHOOK) "(%rbx)\n"
    "10: addq $24, %r12\n"
    "decl %r13d\n"
    "jmp 8b\n"
    "9: movl $1, " TEXT(AT_SET) "(%rbx)\n"
    "movq 3b(%rip), %rax\n"
    "testq %rax, %rax\n"
    "je 11f\n"
    "xorl %edx, %edx\n"
    "xrstor64 (%rsp)\n"
    "jmp 12f\n"
    "11: fxrstor64 (%rsp)\n"
    "12: movq %rbp, %rsp\n"
    RESTORE
    "jmpq *2b(%rip)\n"

    "attach_stub_hook:\n"
    "pushq %rbx\npushq %r12\npushq %r13\npushq %r14\n"
    "subq $8, %rsp\n"
    "movq %rdi, %rbx\n"
    "movq %rsi, %r14\n"
    "movq 1b(%rip), %r12\n"
    "leaq " TEXT(AT_OF) "(%r12), %r13\n"
    "movl " TEXT(AT_KNOWN) "(%r12), %ecx\n"
    "13: testl %ecx, %ecx\n"
    "je 14f\n"
    "cmpq %rbx, (%r13)\n"
    "je 15f\n"
    "addq $24, %r13\n"
    "decl %ecx\n"
    "jmp 13b\n"
    "14: leaq " TEXT(AT_OF) "(%r12), %r13\n"
    "15: movq 8(%r13), %rsi\n"
    "movl 16(%r13), %edx\n"
    "movl 20(%r13), %ecx\n"
    "callq *" TEXT(AT_SETHOOK) "(%r12)\n"
    "cmpl $0, " TEXT(AT_OVER) "(%r12)\n"
    "jne 19f\n"
    "leaq " TEXT(AT_LUA) "(%r12), %rdi\n"
    "cmpb $0, (%rdi)\n"
    "je 20f\n"
    "movl $0x106, %esi\n" /* RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL */
    "callq *" TEXT(AT_DLOPEN) "(%r12)\n"
    "20: leaq " TEXT(AT_MODULE) "(%r12), %rdi\n"
    "movl $2, %esi\n" /* RTLD_NOW */
    "callq *" TEXT(AT_DLOPEN) "(%r12)\n"
    "testq %rax, %rax\n"
    "je 18f\n"
    "movq %rax, %rdi\n"
    "leaq " TEXT(AT_SYMBOL) "(%r12), %rsi\n"
    "callq *" TEXT(AT_DLSYM) "(%r12)\n"
    "testq %rax, %rax\n"
    "je 18f\n"
    "movq %rbx, %rdi\n"
    "movq %r12, %rsi\n"
    "callq *%rax\n"
    "jmp 19f\n"
    "18: callq *" TEXT(AT_DLERROR) "(%r12)\n"
    "movq %rax, " TEXT(AT_ERROR) "(%r12)\n"
    "19: movl (%r14), %ecx\n" /* the event: LUA_HOOKCOUNT is 3, LUA_HOOKTAILCALL 4 */
    "cmpl $3, %ecx\n"
    "je 22f\n"
    "cmpl $4, %ecx\n"
    "jne 21f\n"
    "xorl %ecx, %ecx\n"
    "21: movl 16(%r13), %eax\n"
    "btl %ecx, %eax\n"
    "jnc 22f\n"
    "movq 8(%r13), %rax\n"
    "testq %rax, %rax\n"
    "je 22f\n"
    "movq %rbx, %rdi\n"
    "movq %r14, %rsi\n"
    "addq $8, %rsp\n"
    "popq %r14\npopq %r13\npopq %r12\npopq %rbx\n"
    "jmpq *%rax\n"
    "22: addq $8, %rsp\n"
    "popq %r14\npopq %r13\npopq %r12\npopq %rbx\n"
    "retq\n"
    STUB_ENDS);
/* clang-format on */

/* Legacy state, and what AVX and AVX-512 add: all that code between here and there may change. */
enum { KEPT = 0xe7 };

void attach_stub_registers(AttachStubHead *head) {
    unsigned a, b, c, d;
    head->registers_mask = 0;
    head->registers_size = 512 + 64;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return;
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if (!__get_cpuid_count(0xd, 0, &a, &b, &c, &d)) return;
    head->registers_mask = low & KEPT;
    head->registers_size = b + 64; /* of all that the system has switched on: enough */
}

#endif
