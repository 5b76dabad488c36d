/* about.c - what `lmp doctor --report` says besides the findings, for who has to understand a fault
 * from afar: versions, and what of the system lmp depends on. No name of the machine, of a user or
 * of a folder is in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/procfile.h"
#include "doctor/doctor.h"
#include "shared/layout.h"

/* Prints the value of the line that begins with `key`, without quotes. */
static void print_value(const char *name, const char *path, const char *key) {
    char line[128];
    procfile_line(path, key, line, sizeof line);
    char *value = line + strspn(line, "\"'");
    value[strcspn(value, "\"'")] = '\0';
    doctor_print(name, *value ? value : "not said");
}

static const char *said(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : "not set";
}

void doctor_about(void) {
    struct utsname kernel;
    char text[300], library[128] = "";
    doctor_print("lmp", LMP_VERSION);
    snprintf(text, sizeof text, "%u", LMP_LAYOUT);
    doctor_print("layout", text);
    if (uname(&kernel) == 0) {
        snprintf(text, sizeof text, "%s %s", kernel.release, kernel.machine);
        doctor_print("Linux", text);
    }
    print_value("system", "/etc/os-release", "PRETTY_NAME=");
#ifdef _CS_GNU_LIBC_VERSION
    confstr(_CS_GNU_LIBC_VERSION, library, sizeof library);
#endif
    doctor_print("C library", library[0] ? library : "not glibc");
    snprintf(text, sizeof text, "%ld", sysconf(_SC_PAGESIZE));
    doctor_print("page size", text);
    print_value("ptrace scope", "/proc/sys/kernel/yama/ptrace_scope", "");
    snprintf(text, sizeof text, "%s, COLORTERM %s", said("TERM"), said("COLORTERM"));
    doctor_print("terminal", text);
}
