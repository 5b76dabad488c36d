/* doctor.h - the findings of `lmp doctor` about the jobs that an interpreter has run: the part of
 * doctor inside it reports them, and a table shows them. */
#ifndef LMP_DOCTOR_H
#define LMP_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "command/command.h"
#include "run/program.h"

enum { EXIT_TROUBLE = 1 };
enum { MOST_JOBS = 1000 };

/* What is counted for a job, as src/agent/doctor/doctor.c writes it. */
typedef enum Figure {
    F_BLOCKS,
    F_LINES,
    F_LINES_WRONG,
    F_PATHS,
    F_PATHS_WRONG,
    F_OWNERS,
    F_OWNERS_WRONG,
    F_TOTALS,
    F_TOTALS_WRONG,
    F_UNTOLD,
    F_UNPROVEN,
    F_OWNERS_UNPROVEN,
    F_UNKNOWN,
    F_BEHAVED,
    F_SAID_LINES,
    F_SAID_STACKS,
    F_SAID_OWNERS,
    F_SAID_SAMPLES,
    FIGURES
} Figure;

typedef enum Health { H_NONE, H_RIGHT, H_SAID, H_WRONG, H_FELL } Health;

typedef struct Job {
    char program[48], mode[24];
    uint64_t f[FIGURES];
    char first[700]; /* difference or trouble */
    Health health;
} Job;

typedef struct Doctor {
    Program program;
    ProgramModules modules;
    char lua[64], code[4096], build_id[128];
    Job job[MOST_JOBS];
    int jobs, falls;
    int at;            /* the job that is running, -1: none so far */
    bool ended;        /* everything has been said */
    bool spoke;        /* anything at all was said */
    char refused[300]; /* why the module cannot be loaded; "": it can */
    long patience;     /* seconds for one job */
    uint64_t sum[FIGURES];
    const char *only, *modes, *own;
    bool shared; /* for others to read: no folder is named */
} Doctor;

/* Reads until the pipe's end. Returns false if nothing came for too long. */
bool doctor_listen(Doctor *d, int fd);
/* Prints the table and the conclusion; returns the exit status. */
int doctor_report(const Doctor *d);

/* Prints a line of what `lmp doctor --report` says besides: `what`, and what a file or another
 * program says of it, without control characters. */
void doctor_print(const char *what, const char *text);
/* Prints versions and the system, for a report to others. */
void doctor_about(void);

/* Reads which compiler made an executable or a library, by its own account: the section .comment of
 * an ELF file; "" if there is none. Returns out. */
const char *compiler_of(const char *file, char *out, size_t size);

#endif
