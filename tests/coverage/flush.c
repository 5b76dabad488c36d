/* flush.c - in the build that counts (LMP_COVERAGE), and nowhere else: what a process has counted
 * is written before it ends, or becomes another program, in a way that exit handlers do not see.
 * The linker leads every call of _exit, raise, execv and execl here (--wrap), so that nothing else
 * of lmp knows of it. A process that is killed takes its figures along. */
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

void __gcov_dump(void);
void __gcov_reset(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);
int __real_raise(int number);
int __wrap_raise(int number);
int __real_execv(const char *path, char *const argv[]);
int __wrap_execv(const char *path, char *const argv[]);
int __wrap_execl(const char *path, const char *word, ...);

/* A test may have left no room for files. */
static bool limited(void) {
    struct rlimit room;
    return getrlimit(RLIMIT_FSIZE, &room) == 0 && room.rlim_cur < 1u << 20;
}

/* Counting goes on from nothing. */
static void dump(void) {
    if (limited()) return;
    __gcov_dump();
    __gcov_reset();
}

/* At exit, and when the module is unloaded, what counts writes right after this. Half a file would
 * spoil what others have counted: it is to find no place. */
__attribute__((destructor)) static void at_end(void) {
    if (!limited()) return;
    signal(SIGXFSZ, SIG_IGN);
    setenv("GCOV_PREFIX", "/dev/null", 1);
    setenv("GCOV_ERROR_FILE", "/dev/null", 1);
}

void __wrap__exit(int status) {
    dump();
    __real__exit(status);
}

int __wrap_raise(int number) {
    dump();
    return __real_raise(number);
}

int __wrap_execv(const char *path, char *const argv[]) {
    dump();
    return __real_execv(path, argv);
}

int __wrap_execl(const char *path, const char *word, ...) {
    char *argv[16] = {(char *)word};
    va_list args;
    va_start(args, word);
    for (int n = 1; n < 15 && (argv[n] = va_arg(args, char *)); n++)
        ;
    va_end(args);
    return __wrap_execv(path, argv);
}
