/* registers.c - a program with Lua inside that knows nothing of lmp, for aarch64: it has known
 * words in all registers most of the time and looks whether they are there still, sleeps now and
 * then, and runs some Lua in between. Its argument: for how many seconds. Status 1: a register was
 * not kept, or a sleep took too long. */
#include <lauxlib.h>
#include <lualib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

enum { LENGTH = 256 }; /* bytes of the longest vector of SVE */
enum { SLEEP_MS = 1000, LATE_MS = 1400 };

/* x0 to x30, but x0 is counted down; flags; those of floating point; the vectors: v or, with SVE,
 * z; p and ffr. */
typedef struct Words {
    uint64_t x[31], nzcv, fpcr, fpsr;
    uint8_t v[32 * LENGTH], p[17 * LENGTH / 8];
} Words;

#define TO_15 "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
#define TO_31 TO_15 ",16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
#define FROM_1_TO_30                                                                               \
    "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30"
#define EACH(numbers, does) ".irp n, " numbers "\n" does "\n.endr\n"
#define CALLEE_SAVED(does)                                                                         \
    does " x19, x20, [sp]\n" does " x21, x22, [sp, #16]\n" does " x23, x24, [sp, #32]\n" does      \
         " x25, x26, [sp, #48]\n" does " x27, x28, [sp, #64]\n" does " x29, x30, [sp, #80]\n" does \
         " d8, d9, [sp, #96]\n" does " d10, d11, [sp, #112]\n" does " d12, d13, [sp, #128]\n" does \
         " d14, d15, [sp, #144]\n"
#define PREDICATES "addvl x1, x0, #16\naddvl x1, x1, #16\n"

/* Fills all registers from *in, counts `rounds` down, and writes what they are then. */
/* clang-format off */
__asm__(".text\n.arch_extension sve\n"
        "keep:\n"
        "sub sp, sp, #176\n"
        CALLEE_SAVED("stp")
        "stp x1, x3, [sp, #160]\n"
        "mov x30, x0\n"
        "mov x29, x2\n"
        "add x0, x0, #272\n"
        "cbz x3, 1f\n"
        EACH(TO_31, "ldr z\\n, [x0, #\\n, mul vl]")
        PREDICATES
        "ldr p0, [x1, #16, mul vl]\nwrffr p0.b\n"
        EACH(TO_15, "ldr p\\n, [x1, #\\n, mul vl]")
        "b 2f\n"
        "1:\n"
        EACH(TO_31, "ldr q\\n, [x0, #\\n * 16]")
        "2: mov x0, x30\n"
        "ldp x1, x2, [x0, #248]\nmsr nzcv, x1\nmsr fpcr, x2\n"
        "ldr x1, [x0, #264]\nmsr fpsr, x1\n"
        "str x29, [sp, #-16]!\n"
        EACH(FROM_1_TO_30, "ldr x\\n, [x0, #\\n * 8]")
        "ldr x0, [sp], #16\n"
        "3: sub x0, x0, #1\n"
        "cbnz x0, 3b\n"
        "ldr x0, [sp, #160]\n"
        EACH(FROM_1_TO_30, "str x\\n, [x0, #\\n * 8]")
        "mrs x1, nzcv\nmrs x2, fpcr\nstp x1, x2, [x0, #248]\n"
        "mrs x1, fpsr\nstr x1, [x0, #264]\n"
        "msr fpcr, xzr\n"
        "ldr x3, [sp, #168]\n"
        "add x0, x0, #272\n"
        "cbz x3, 4f\n"
        EACH(TO_31, "str z\\n, [x0, #\\n, mul vl]")
        PREDICATES
        EACH(TO_15, "str p\\n, [x1, #\\n, mul vl]")
        "rdffr p0.b\nstr p0, [x1, #16, mul vl]\n"
        "b 5f\n"
        "4:\n"
        EACH(TO_31, "str q\\n, [x0, #\\n * 16]")
        "5:\n"
        CALLEE_SAVED("ldp")
        "add sp, sp, #176\n"
        "ret\n"
        ".arch_extension nosve\n");
/* clang-format on */
void keep(const Words *in, Words *out, uint64_t rounds, uint64_t sve);

static uint64_t milliseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Has known words in the registers for about a second. Returns false if one was not kept. */
static bool keep_all(const Words *in, uint64_t sve) {
    static Words out;
    for (uint64_t begun = milliseconds(); milliseconds() - begun < SLEEP_MS;) {
        keep(in, &out, 10000000, sve);
        if (memcmp(in, &out, sizeof out) == 0) continue;
        for (unsigned i = 0; i < sizeof out / 8; i++)
            if (((const uint64_t *)in)[i] != ((uint64_t *)&out)[i])
                printf("word %u is not kept\n", i);
        return false;
    }
    return true;
}

static bool sleep_on_time(void) {
    uint64_t begun = milliseconds();
    nanosleep(&(struct timespec){.tv_sec = SLEEP_MS / 1000}, NULL);
    uint64_t took = milliseconds() - begun;
    if (took > LATE_MS) printf("a sleep took %d ms\n", (int)took);
    return took <= LATE_MS;
}

int main(int argc, char **argv) {
    static Words in, first;
    uint64_t sve = getauxval(AT_HWCAP) >> 22 & 1;
    uint64_t until = milliseconds() + (argc > 1 ? strtoull(argv[1], NULL, 10) : 1) * 1000;
    int rounds = 0;
    lua_State *L = luaL_newstate();
    for (unsigned i = 1; i < 31; i++)
        first.x[i] = 0x0101010101010101 * i;
    first.nzcv = 0xa0000000, first.fpcr = 0x00c00000, first.fpsr = 0x1f;
    for (unsigned i = 0; i < sizeof first.v; i++)
        first.v[i] = (uint8_t)(i % 251);
    for (unsigned i = 0; i < sizeof first.p; i++)
        first.p[i] = (uint8_t)(i % 241);
    keep(&first, &in, 1, sve);               /* so long are vectors on this processor */
    for (; milliseconds() < until; rounds++) /* by threes, or attach and detach had one each */
        if (!(rounds % 3 ? keep_all(&in, sve) : sleep_on_time()) ||
            luaL_dostring(L, "for i = 1, 100 do T = { i } end"))
            return 1;
    printf("kept in %d rounds\n", rounds);
    return rounds == 0;
}
