/* stub.c - the code for a program to be attached to, as bytes to be copied; nothing here is called
 * in our own process. Offsets in LmpAttach are those of shared/attach.h. */
#include "attach/stub.h"

#include <sys/mman.h>

#include "attach/registers.h"
#include "shared/attach.h"

#if ATTACH_CPU
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
/* Offsets in LmpAttach. */
#define AT_DLOPEN 0
#define AT_DLSYM 8
#define AT_DLERROR 16
#define AT_SETHOOK 24
#define AT_GETHOOK 32
#define AT_GETMASK 40
#define AT_GETCOUNT 48
#define AT_HOOK 56
#define AT_ERROR 64
#define AT_SET 72
#define AT_OVER 76
#define AT_STATES 80
#define AT_KNOWN 84
#define AT_OF 88
#define AT_MODULE 2152
#define AT_SYMBOL 3176
#define AT_LUA 3208
_Static_assert(offsetof(LmpAttach, dlsym) == AT_DLSYM && offsetof(LmpAttach, dlerror) == AT_DLERROR,
               "");
_Static_assert(offsetof(LmpAttach, sethook) == AT_SETHOOK &&
                   offsetof(LmpAttach, gethook) == AT_GETHOOK &&
                   offsetof(LmpAttach, gethookmask) == AT_GETMASK &&
                   offsetof(LmpAttach, gethookcount) == AT_GETCOUNT,
               "");
_Static_assert(offsetof(LmpAttach, hook) == AT_HOOK && offsetof(LmpAttach, error) == AT_ERROR &&
                   offsetof(LmpAttach, set) == AT_SET && offsetof(LmpAttach, over) == AT_OVER &&
                   offsetof(LmpAttach, states) == AT_STATES &&
                   offsetof(LmpAttach, known) == AT_KNOWN && offsetof(LmpAttach, of) == AT_OF,
               "");
_Static_assert(offsetof(LmpAttach, module) == AT_MODULE &&
                   offsetof(LmpAttach, entry) == AT_SYMBOL && offsetof(LmpAttach, lua) == AT_LUA,
               "");
_Static_assert(sizeof(LmpAttachState) == 24 && offsetof(LmpAttachState, hook) == 8 &&
                   offsetof(LmpAttachState, mask) == 16 && offsetof(LmpAttachState, count) == 20,
               "");

/* mmap's number and arguments; the masks of all hooks, RTLD_NOW. */
#define MAP_FLAGS 0x100022 /* MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE */
_Static_assert((MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE) == MAP_FLAGS, "");
_Static_assert(LMP_ATTACH_BYTES == 16384, "");

/* Labels 1 to 4 are the fields of AttachStubHead. */
#define STUB_BEGINS                                                                                \
    ".pushsection .rodata.attach_stub, \"a\"\n"                                                    \
    ".p2align 4\n"                                                                                 \
    ".irp name, begin, end, map, hooks, hook\n"                                                    \
    ".globl attach_stub_\\name\n"                                                                  \
    ".hidden attach_stub_\\name\n"                                                                 \
    ".endr\n"                                                                                      \
    "attach_stub_begin:\n"                                                                         \
    "1: .quad 0\n"                                                                                 \
    "2: .quad 0\n"                                                                                 \
    "3: .quad 0\n"                                                                                 \
    "4: .quad 0\n"
#define STUB_ENDS                                                                                  \
    "attach_stub_end:\n"                                                                           \
    ".popsection\n"

/* attach_stub_hook is a lua_Hook: (lua_State *L, lua_Debug *ar). The program's own hook of L is
 * that of the state, or of the one that ran when we came, from which new threads inherit ours. It
 * is given back first, and called last if it has asked for this event; its count starts over. */
#ifdef __aarch64__
#include "attach/stub_aarch64.h"
#else
#include "attach/stub_x86_64.h"
#endif
#else
const char attach_stub_begin[1], attach_stub_end[1], attach_stub_map[1], attach_stub_hooks[1],
    attach_stub_hook[1];
void attach_stub_registers(AttachStubHead *head) {
    (void)head;
}
#endif
#ifndef __aarch64__
bool attach_stub_land(uint32_t landing[4], uint64_t at, uint64_t resume) {
    (void)landing, (void)at, (void)resume;
    return false;
}
#endif
