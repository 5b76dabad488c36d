/* mutant.c - what a build of mutants has in each program and module: before anything else runs it
 * changes the one jump that the environment names, and lays the bytes in which jumps note where
 * they went over a file, so that they outlive whatever becomes of the process.
 *
 *   LMP_MUTANT=NUMBER:always    the jump is taken always, or never
 *   LMP_MUTANT_SEEN=FILE        LMP_SEEN bytes; two a jump: taken, not taken
 *
 * compile.lua makes the jumps. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096u

/* A jump: how far from this word it stands, and its number. */
struct Row {
    int32_t place;
    uint32_t number;
};

#define HIDDEN __attribute__((visibility("hidden")))
extern const struct Row __start_lmp_mutants[] __attribute__((weak)) HIDDEN;
extern const struct Row __stop_lmp_mutants[] __attribute__((weak)) HIDDEN;

HIDDEN extern unsigned char lmp_seen[LMP_SEEN];
unsigned char lmp_seen[LMP_SEEN] __attribute__((aligned(PAGE)));

static void see(const char *path) {
    int fd = open(path, O_RDWR | O_CLOEXEC);

    if (fd < 0) return;
    if (mmap(lmp_seen, LMP_SEEN, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
        MAP_FAILED)
        abort();
    close(fd);
}

/* `jcc over` stands before a jump to where the condition leads: without it that is always taken. */
static void change(uintptr_t at, int always) {
    unsigned char *code = (unsigned char *)at;
    void *page = (void *)(at & ~(uintptr_t)(PAGE - 1));
    size_t length = at % PAGE + 2 > PAGE ? 2 * PAGE : PAGE;

    if ((code[0] & 0xf0) != 0x70) abort(); /* not the short jump that compile.lua made */
    if (mprotect(page, length, PROT_READ | PROT_WRITE | PROT_EXEC)) abort();
    if (always)
        memcpy(code, "\x90\x90", 2);
    else
        code[0] = 0xeb;
    if (mprotect(page, length, PROT_READ | PROT_EXEC)) abort();
}

__attribute__((constructor(101))) static void begin(void) {
    const char *seen = getenv("LMP_MUTANT_SEEN");
    const char *mutant = getenv("LMP_MUTANT");
    const struct Row *row = __start_lmp_mutants;
    char *end;
    unsigned long number;

    if (row == __stop_lmp_mutants) return;
    if (seen) see(seen);
    if (!mutant || !*mutant) return;
    number = strtoul(mutant, &end, 10);
    for (; row < __stop_lmp_mutants; row++)
        if (row->number == number)
            change((uintptr_t)&row->place + (uintptr_t)(intptr_t)row->place,
                   strcmp(end, ":always") == 0);
}
