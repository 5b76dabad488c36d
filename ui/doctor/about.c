/* about.c - what `lmp doctor --report` says besides the findings, for who has to understand a fault
 * from afar: versions, and what of the system lmp depends on. No name of the machine, of a user or
 * of a folder is in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "shared/layout.h"

/* Reads the value of the line that begins with `key`, without quotes; "not said" without one. */
static void read_value(const char *path, const char *key, char out[128]) {
    char line[256];
    FILE *file = fopen(path, "re");
    snprintf(out, 128, "not said");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) != 0) continue;
        char *value = line + strlen(key) + strspn(line + strlen(key), "\"'");
        value[strcspn(value, "\"'\n")] = '\0';
        snprintf(out, 128, "%s", value);
        break;
    }
    if (file) fclose(file);
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
    read_value("/etc/os-release", "PRETTY_NAME=", text);
    doctor_print("system", text);
#ifdef _CS_GNU_LIBC_VERSION
    confstr(_CS_GNU_LIBC_VERSION, library, sizeof library);
#endif
    doctor_print("C library", library[0] ? library : "not glibc");
    snprintf(text, sizeof text, "%ld", sysconf(_SC_PAGESIZE));
    doctor_print("page size", text);
    read_value("/proc/sys/kernel/yama/ptrace_scope", "", text);
    doctor_print("ptrace scope", text);
    snprintf(text, sizeof text, "%s, COLORTERM %s", said("TERM"), said("COLORTERM"));
    doctor_print("terminal", text);
}
