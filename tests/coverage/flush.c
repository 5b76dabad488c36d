/* flush.c - in the build that counts (LMP_COVERAGE), and nowhere else: what a process has counted
 * is written before it ends in a way that exit handlers do not see. The linker leads every call of
 * _exit and raise here (--wrap), so that nothing else of lmp knows of it. A process that is killed
 * takes its figures along. */
#include <signal.h>
#include <unistd.h>

void __gcov_dump(void);
void __gcov_reset(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);
int __real_raise(int number);
int __wrap_raise(int number);

void __wrap__exit(int status) {
    __gcov_dump();
    __real__exit(status);
}

/* It may come back, if the signal only stops: then counting goes on from nothing. */
int __wrap_raise(int number) {
    __gcov_dump();
    __gcov_reset();
    return __real_raise(number);
}
